package query

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/variants"
)

// stageVariants is the stage's name in traces.
const stageVariants = "variants"

// hasVariants reports whether the query is searched in other words.
func hasVariants(q *search) bool {
	return len(q.variants) > 0 && !q.req.Off(request.OffLexical) && !q.found.lexicalDown
}

// searchVariants is the stage that searches the other wordings of the request at
// the same time, each as the query itself, and puts together what all found. One
// that does not answer, or for which no time is left, leaves the answer as it is
// without it.
func searchVariants(ctx context.Context, q *search) (report, error) {
	question := variants.Found{Lexical: q.found.lexical.Found, Pending: q.found.pendingFound()}
	found, more := make([]variants.Found, len(q.variants)), make([]bool, len(q.variants))
	stages, ask := make([]contract.TraceStage, len(q.variants)), make([]func(), len(q.variants))
	for i, terms := range q.variants {
		ask[i] = func() {
			start := time.Now()
			var err error
			found[i], more[i], err = recallVariant(ctx, q, terms)
			note := passages(found[i].Beside(&question)) + " that the question did not find"
			if err != nil {
				note = unsearched(ctx, q, err)
			}
			stages[i] = contract.TraceStage{
				Stage: stageVariants, MS: milliseconds(time.Since(start)), In: len(terms), Out: found[i].Len(), Note: fmt.Sprintf("%d: %s", i+1, note),
			}
		}
	}
	atOnce(ask)
	fused := variants.Fuse(question, found)
	q.found.variants = byVariants{found: &fused, more: slices.Contains(more, true)}
	return report{parts: stages}, nil
}

// unsearched says why there is nothing of a variant.
func unsearched(ctx context.Context, q *search, err error) string {
	if ctx.Err() != nil {
		return "not searched in time"
	}
	doubt(q.service, document.Lexical)
	q.service.log.Warn("variant of a query not searched", "error", err)
	return "the lexical index did not answer"
}

// recallVariant searches the lexical stores and the pending documents as for the
// query itself.
func recallVariant(ctx context.Context, q *search, terms []store.Term) (found variants.Found, more bool, err error) {
	stores := q.service.stores.lexical(q.req.Collections)
	st, err := recall.Count(ctx, stores, terms)
	if err != nil {
		return found, false, err
	}
	r, err := recall.LexicalChannel(stores, q.knownStores(document.Lexical), terms, st).Search(ctx, q.filter(), q.found.depth, q.keep())
	if err != nil {
		return found, false, err
	}
	found.Lexical = r.Found
	if q.req.Off(request.OffPending) {
		return found, r.More, nil
	}
	p, err := q.service.plain.Search(ctx, q.lagging(), terms, st, q.req.Keep, q.req.KeepsLines)
	if err != nil {
		return variants.Found{}, false, err
	}
	found.Pending = p.Found[:min(len(p.Found), q.found.depth)]
	return found, r.More || len(p.Found) > q.found.depth, nil
}

// allTerms are the terms of the question and of its variants.
func allTerms(q *search) []store.Term {
	return append(slices.Clone(q.terms), slices.Concat(q.variants...)...)
}
