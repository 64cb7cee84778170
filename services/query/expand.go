package query

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/expand"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// stageExpand is the stage's name in traces.
const stageExpand = "expand"

// expansion is a query in other words.
type expansion struct {
	chosen   bool
	variants []expand.Variant
	found    *expand.Found // by all wordings; nil where the query stands alone
	more     bool          // asking for more may give more
}

// expand searches variants of the query at the same time, each as the query
// itself, and puts together what all found. A variant that does not answer, or
// for which no time is left, leaves the answer as it is without it.
func (q *search) expand(ctx context.Context, filter store.Filter, depth int) {
	x := &q.expansion
	x.found, x.more = nil, false
	if q.cfg.Variants < 2 || q.req.Off(request.OffExpand) || q.req.Off(request.OffLexical) || q.found.lexicalDown || len(q.terms) == 0 {
		return
	}
	start := time.Now()
	if err := q.chooseVariants(ctx); err != nil {
		q.trace(stageExpand, start, len(q.terms), 0, q.unexpanded(ctx, err))
		return
	}
	if len(x.variants) == 0 {
		q.trace(stageExpand, start, len(q.terms), 0, "no word to add")
		return
	}
	question := expand.Found{Lexical: q.found.lexical.Found, Pending: q.found.pending.Found}
	found, more := make([]expand.Found, len(x.variants)), make([]bool, len(x.variants))
	stages, ask := make([]contract.TraceStage, len(x.variants)), make([]func(), len(x.variants))
	for i := range x.variants {
		ask[i] = func() {
			v, start := &x.variants[i], time.Now()
			var err error
			found[i], more[i], err = q.recallVariant(ctx, v.Terms(q.terms), filter, depth)
			note := v.Kind + ": " + passages(found[i].Beside(&question)) + " that the question did not find"
			if err != nil {
				note = v.Kind + ": " + q.unexpanded(ctx, err)
			}
			stages[i] = contract.TraceStage{
				Stage: stageExpand, MS: milliseconds(time.Since(start)), In: len(v.Added), Out: found[i].Len(), Note: note,
			}
		}
	}
	atOnce(ask)
	q.reply.Trace = append(q.reply.Trace, stages...)
	x.more = slices.Contains(more, true)
	fused := expand.Fuse(question, x.variants, found)
	x.found = &fused
}

// unexpanded says why there is nothing of a variant.
func (q *search) unexpanded(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "not searched in time"
	}
	q.doubt(document.Lexical)
	q.log.Warn("variant of a query not searched", "error", err)
	return "the lexical index did not answer"
}

// chooseVariants words the query in other ways, once for all rounds. Variants
// that would add nothing are left out.
func (q *search) chooseVariants(ctx context.Context) error {
	x := &q.expansion
	if x.chosen || ctx.Err() != nil {
		return ctx.Err()
	}
	variants := []expand.Variant{q.synonyms.Variant(q.analyzer.Words(q.meant()), q.terms)}
	if q.cfg.Variants > 2 {
		best := rank.Fuse(rank.Lists{Lexical: q.found.lexical.Found, Vector: q.found.vector.Found, Pending: q.found.pending.Found}, q.query.Class, &q.cfg.Ranking)
		rank.Signals(best, q.query, &q.cfg.Ranking, q.req.Off(request.OffSignals))
		names := expand.CoOccurring(best, q.analyzer.Words, q.terms)
		st, err := recall.Count(ctx, q.shelf.lexical(q.req.Collections), names)
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
func (q *search) recallVariant(ctx context.Context, terms []store.Term, filter store.Filter, depth int) (found expand.Found, more bool, err error) {
	stores := q.shelf.lexical(q.req.Collections)
	st, err := recall.Count(ctx, stores, terms)
	if err != nil {
		return found, false, err
	}
	r, err := recall.LexicalChannel(stores, q.known(document.Lexical), terms, st).Search(ctx, filter, depth, q.keep())
	if err != nil {
		return found, false, err
	}
	found.Lexical = r.Found
	if q.req.Off(request.OffPending) {
		return found, r.More, nil
	}
	p, err := q.plain.Search(ctx, q.lagging(), terms, st, q.req.Keep, len(q.req.Kinds) == 0)
	if err != nil {
		return expand.Found{}, false, err
	}
	found.Pending = p.Found[:min(len(p.Found), q.cfg.Overfetch)]
	return found, r.More, nil
}

// words is what was found by words: by all wordings, where there are several.
func (q *search) words() (lexical, pending []candidate.Found) {
	if f := q.expansion.found; f != nil {
		return f.Lexical, f.Pending
	}
	return q.found.lexical.Found, q.found.pending.Found
}

// listAdded says in the trace what variants added to the question, as the
// passages of the answer write it: a store may still hold words that nothing in
// the log has.
func (q *search) listAdded() {
	if !q.req.Explain {
		return
	}
	i := 0
	for s := range q.reply.Trace {
		if q.reply.Trace[s].Stage != stageExpand || i == len(q.expansion.variants) {
			continue
		}
		var words []string
		for _, t := range q.expansion.variants[i].Added {
			if word, ok := q.written(t.Token); ok && !slices.Contains(words, word) {
				words = append(words, word)
			}
		}
		if len(words) > 0 {
			q.reply.Trace[s].Note += "; it adds " + strings.Join(words, ", ")
		}
		i++
	}
}
