package query

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// follow finds where a passage was lost, and why.
func (q *searched) follow(w *wayOf) {
	if w.Final > 0 && w.Final <= q.run.req.K {
		return
	}
	if why := q.filtered(w); why != "" {
		w.Lost, w.Why = lostFilter, why
		return
	}
	fate, told := q.run.resolved.Fates[w.ID]
	switch {
	case told && fate.Stage == resolve.Held:
		w.Lost = resolve.Held
		w.Why = fmt.Sprintf("%d passages of this file stand among the same ten hits already", perFile(q.run).Of(w.ranked.Generation))
	case told && fate.Stage == resolve.Gated && fate.Why == "":
		w.Lost = resolve.Gated
		w.Why = fmt.Sprintf("its score %.3g is below the min_score %.3g", w.Score, q.run.req.MinScore)
	case told:
		w.Lost, w.Why = fate.Stage, fate.Why
	case w.Final > 0:
		w.Lost = lostK
		w.Why = fmt.Sprintf("it would be hit %d, and %d were asked for", w.Final, q.run.req.K)
	case w.ranked != nil:
		w.Lost, w.Why = resolve.Dropped, "the deadline came before it was looked at"
	case len(w.Channels) == 0 && !q.inSinks(w):
		w.Lost, w.Why = lostIndex, "it is in no index yet"
	default:
		w.Lost, w.Why = lostRecall, q.beyond(w)
	}
}

// inSinks reports whether some sink that was asked shows the passage.
func (q *searched) inSinks(w *wayOf) bool {
	for i := range q.x.Chunks {
		if c := &q.x.Chunks[i]; c.ID == w.ID {
			for _, sink := range document.Sinks {
				if s := c.Sinks[sink]; !q.off(sink) && (s == contract.SinkHeld || s == contract.SinkListed) {
					return true
				}
			}
			// One that the embedder knows no word of can be found by words.
			return c.Sinks[document.Vector] == contract.SinkBare && c.Sinks[document.Lexical] != contract.SinkUnlisted
		}
	}
	return len(q.x.Chunks) == chunksListed
}

// beyond says why no channel gave the passage.
func (q *searched) beyond(w *wayOf) string {
	return q.lexicalWhy(w) + "; " + q.vectorWhy(w)
}

func (q *searched) lexicalWhy(w *wayOf) string {
	c, scored := w.Channels["lexical"]
	switch {
	case len(q.run.terms) == 0:
		return "the query has no word that the index keeps"
	case q.run.found.lexicalDown:
		return "the lexical index did not answer"
	case q.off(document.Lexical):
		return "the lexical channel was left out"
	case !scored && len(w.Lacks) == len(q.allWords()):
		return "it holds no word of the query"
	case !scored:
		return "the lexical index does not give it"
	}
	why := fmt.Sprintf("by words it is %s, the first %d were taken", place(c), q.run.found.depth)
	if len(w.Lacks) > 0 {
		why += " (it lacks " + strings.Join(w.Lacks, ", ") + ")"
	}
	return why
}

func (q *searched) vectorWhy(w *wayOf) string {
	c, scored := w.Channels["vector"]
	switch {
	case q.run.found.vectorDown:
		return "the vector index or the embedder did not answer"
	case q.run.found.silent:
		return "the embedder knows no word of the query"
	case q.off(document.Vector):
		return "the vector channel was left out"
	case !scored:
		return "by meaning it cannot be found, for it has no vector"
	}
	return fmt.Sprintf("by meaning it is %s, the first %d were taken", place(c), q.run.found.depth)
}

// place is a rank in words.
func place(c contract.PassageRank) string {
	if c.Rank == 0 {
		return "behind the first " + strconv.Itoa(c.Beyond)
	}
	return "at rank " + strconv.Itoa(c.Rank)
}

func (q *searched) allWords() []string {
	var out []string
	for _, t := range q.run.terms {
		if w := q.word(t.Token); !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// say orders the passages, the one that came furthest first, and puts the
// verdict into words.
func (q *searched) say(ctx context.Context) {
	slices.SortStableFunc(q.states, func(a, b *wayOf) int {
		if s := slices.Index(progress, b.Lost) - slices.Index(progress, a.Lost); s != 0 {
			return s
		}
		return order(a) - order(b)
	})
	for _, w := range q.states[:min(len(q.states), statesListed)] {
		q.out.Passages = append(q.out.Passages, w.PassageState)
	}
	if left := len(q.states) - statesListed; left > 0 {
		q.out.Degraded = append(q.out.Degraded, fmt.Sprintf("the way of %d passages more is not told", left))
	}
	name := q.x.name()
	if len(q.states) == 0 {
		q.out.Verdict, q.out.Stage = contract.VerdictLost, lostIndex
		q.out.Summary = name + " has no passage that could be found: it is " + string(q.x.Verdict) + "."
		if why := q.filtered(&wayOf{}); why != "" && len(q.x.heads) > 0 && q.x.Verdict != contract.VerdictDeleted && q.x.Verdict != contract.VerdictSkipped {
			q.out.Stage = lostFilter
			q.out.Summary = name + " is left out by the search itself: " + why + "."
		}
		return
	}
	best := q.states[0]
	lines := fmt.Sprintf("lines %d to %d", best.StartLine, best.EndLine)
	if best.StartLine == best.EndLine {
		lines = fmt.Sprintf("line %d", best.StartLine)
	}
	if best.Lost == "" {
		q.out.Verdict, q.out.Rank = contract.VerdictFound, best.Final
		q.out.Summary = fmt.Sprintf("%s is hit %d of %d (%s).", name, best.Final, q.out.Hits, lines)
		return
	}
	q.out.Verdict, q.out.Stage = contract.VerdictLost, best.Lost
	q.out.Summary = fmt.Sprintf("%s is lost at the stage %s. Its best passage is %s: %s.", name, best.Lost, lines, best.Why)
	q.advise(ctx, best)
}

// order sorts passages that were lost at the same stage.
func order(w *wayOf) int {
	const last = 1 << 30
	for _, rank := range []int{w.Final, w.Ranked} {
		if rank > 0 {
			return rank
		}
	}
	best := last
	for _, c := range w.Channels {
		if c.Rank > 0 {
			best = min(best, c.Rank)
		}
	}
	if best == last {
		return last + w.StartLine
	}
	return best + deepest // behind those that were ranked
}
