package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/expand"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// stageExpand is the stage's name in traces.
const stageExpand = "expand"

// mayExpand reports whether the query is searched in other words.
func mayExpand(q *search) bool {
	return q.service.cfg.Expand.Variants > 1 && !q.req.Off(request.OffLexical) && !q.found.lexicalDown && len(q.terms) > 0
}

// searchVariants is the stage that searches variants of the query at the same
// time, each as the query itself, and puts together what all found. A variant that
// does not answer, or for which no time is left, leaves the answer as it is without
// it.
func searchVariants(ctx context.Context, q *search) (report, error) {
	x := &q.found.expansion
	if err := chooseVariants(ctx, q); err != nil {
		return report{in: len(q.terms), note: unexpanded(ctx, q, err)}, nil
	}
	if len(x.variants) == 0 {
		return report{in: len(q.terms), note: "no word to add"}, nil
	}
	question := expand.Found{Lexical: q.found.lexical.Found, Pending: q.found.pendingFound()}
	found, more := make([]expand.Found, len(x.variants)), make([]bool, len(x.variants))
	stages, ask := make([]contract.TraceStage, len(x.variants)), make([]func(), len(x.variants))
	for i := range x.variants {
		ask[i] = func() {
			v, start := &x.variants[i], time.Now()
			var err error
			found[i], more[i], err = recallVariant(ctx, q, v.Terms(q.terms))
			note := v.Kind + ": " + passages(found[i].Beside(&question)) + " that the question did not find"
			if err != nil {
				note = v.Kind + ": " + unexpanded(ctx, q, err)
			}
			stages[i] = contract.TraceStage{
				Stage: stageExpand, MS: milliseconds(time.Since(start)), In: len(v.Added), Out: found[i].Len(), Note: note,
			}
		}
	}
	atOnce(ask)
	x.more = slices.Contains(more, true)
	fused := expand.Fuse(question, x.variants, found)
	x.found = &fused
	return report{parts: stages}, nil
}

// unexpanded says why there is nothing of a variant.
func unexpanded(ctx context.Context, q *search, err error) string {
	if ctx.Err() != nil {
		return "not searched in time"
	}
	doubt(q.service, document.Lexical)
	q.service.log.Warn("variant of a query not searched", "error", err)
	return "the lexical index did not answer"
}

// chooseVariants words the query in other ways, once for all rounds. Variants
// that would add nothing are left out.
func chooseVariants(ctx context.Context, q *search) error {
	x := &q.found.expansion
	if x.chosen || ctx.Err() != nil {
		return ctx.Err()
	}
	variants := []expand.Variant{q.service.synonyms.Variant(q.service.analyzer.Words(meant(q)), q.terms)}
	if q.service.cfg.Expand.Variants > 2 {
		best := rank.Fuse(rank.Lists{Lexical: q.found.lexical.Found, Vector: q.found.vector.Found, Pending: q.found.pendingFound()}, q.query.Class, &q.service.cfg.Ranking)
		rank.Signals(best, q.query, &q.service.cfg.Ranking, q.service.priorities, q.req.Off(request.OffSignals))
		names := expand.CoOccurring(best, q.service.analyzer.Words, q.terms)
		st, err := recall.Count(ctx, q.service.shelf.lexical(q.req.Collections), names)
		if err != nil {
			return err
		}
		variants = append(variants, expand.Names(names, st.IDF))
	}
	x.variants = slices.DeleteFunc(variants, func(v expand.Variant) bool { return len(v.Added) == 0 })
	x.chosen = true
	return nil
}

// recallVariant searches the lexical stores and the pending documents as for the
// query itself.
func recallVariant(ctx context.Context, q *search, terms []store.Term) (found expand.Found, more bool, err error) {
	stores := q.service.shelf.lexical(q.req.Collections)
	st, err := recall.Count(ctx, stores, terms)
	if err != nil {
		return found, false, err
	}
	r, err := recall.LexicalChannel(stores, knownStores(q.service, document.Lexical), terms, st).Search(ctx, q.filter(), q.found.depth, q.keep())
	if err != nil {
		return found, false, err
	}
	found.Lexical = r.Found
	if q.req.Off(request.OffPending) {
		return found, r.More, nil
	}
	p, err := q.service.plain.Search(ctx, q.lagging(), terms, st, q.req.Keep, q.req.KeepsLines)
	if err != nil {
		return expand.Found{}, false, err
	}
	found.Pending = p.Found[:min(len(p.Found), q.found.depth)]
	return found, r.More || len(p.Found) > q.found.depth, nil
}

// allTerms are the terms of the question and what its variants add.
func allTerms(q *search) []store.Term {
	all := slices.Clone(q.terms)
	for i := range q.found.expansion.variants {
		all = append(all, q.found.expansion.variants[i].Added...)
	}
	return all
}

// listAdded says in the trace what variants added to the question, as the
// passages of the answer write it: a store may still hold words that nothing in
// the log has.
func listAdded(q *search) {
	if !q.req.Explain {
		return
	}
	i := 0
	for s := range q.reply.Trace {
		if q.reply.Trace[s].Stage != stageExpand || i == len(q.found.expansion.variants) {
			continue
		}
		var words []string
		for _, t := range q.found.expansion.variants[i].Added {
			if word, ok := writtenAs(q, t.Token); ok && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		if len(words) > 0 {
			q.reply.Trace[s].Note += "; it adds " + strings.Join(words, ", ")
		}
		i++
	}
}
