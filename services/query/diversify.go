package query

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/diversify"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// diversePool is how many of the best passages may change places for being
// unlike each other: enough that ten of them can be.
const diversePool = 20

// diversifies reports whether likeness counts.
func diversifies(q *search) bool {
	return q.diversity > 0 && !q.req.Off(request.OffDiversify)
}

// spreadFiles is the stage that puts passages that say the same apart, where that
// is configured, and bounds the hits of one file among ten in the order that comes
// of all stages.
// What is too many of a file fills the places that nothing else is left for.
// The scores stay in their places, as those of a reranker do.
func spreadFiles(_ context.Context, q *search) (report, error) {
	all, note := q.resolved.Shown, ""
	if diversifies(q) {
		best := all[:min(len(all), max(diversePool, q.req.K))]
		before := slices.Clone(best)
		scores, texts := make([]float64, len(best)), make([][]byte, len(best))
		for i := range best {
			scores[i], texts[i] = best[i].Candidate.Final, best[i].Text
		}
		for place, from := range diversify.Order(scores, texts, q.diversity) {
			best[place] = before[from]
			best[place].Candidate.Final = scores[place]
			best[place].Candidate.Undiverse = from + 1
		}
		note = "by likeness of words"
	}
	spread, held := resolve.Spread(all, perFile(q), unbounded(q))
	held = append(held, q.resolved.Held...)
	// Where nothing else is left, more of a file is better than a free place, but where
	// the request bounds them.
	fill := min(max(q.req.K-len(spread), 0), len(held))
	if q.req.PerFile > 0 {
		fill = 0
	}
	spread = append(spread, held[:fill]...)
	for i := range held[fill:] {
		q.lose(&held[fill+i], resolve.Held, "")
	}
	q.resolved.Shown = spread
	return report{in: len(all) + len(q.resolved.Held), out: len(spread), note: note}, nil
}

// unbounded says which files may have any number of hits: those that the question
// names, but where the request says how many it wants of a file.
func unbounded(q *search) func(document.Path) bool {
	if q.req.PerFile > 0 {
		return nil
	}
	return namesFile(q)
}

// perFile is the most hits of one file among ten, or of all where the request says so.
func perFile(q *search) resolve.PerFile {
	if n := q.req.PerFile; n > 0 {
		return resolve.PerFile{Code: n, Docs: n, Whole: true}
	}
	if q.req.Off(request.OffDiversify) {
		return resolve.PerFile{}
	}
	if q.headline != nil {
		return resolve.PerFile{Code: 1, Docs: 1} // who reports something looks for files
	}
	return q.service.cfg.perFile()
}
