// Package variants puts what other wordings of a question find beside what the
// question finds.
package variants

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
)

// Found is what one wording found, each best first: passages that the lexical
// sink shows, and passages that are pending, on one scale.
type Found struct {
	Lexical, Pending []candidate.Found
}

// Len is the number of passages.
func (f *Found) Len() int { return len(f.Lexical) + len(f.Pending) }

// Beside is the number of passages that another wording did not find.
func (f *Found) Beside(other *Found) (n int) {
	known := map[document.ChunkID]bool{}
	for _, list := range [][]candidate.Found{other.Lexical, other.Pending} {
		for i := range list {
			known[list[i].ID] = true
		}
	}
	for _, list := range [][]candidate.Found{f.Lexical, f.Pending} {
		for i := range list {
			if !known[list[i].ID] {
				n++
			}
		}
	}
	return n
}

func (f *Found) best() float64 {
	best := 0.0
	for _, list := range [][]candidate.Found{f.Lexical, f.Pending} {
		if len(list) > 0 {
			best = max(best, list[0].Score)
		}
	}
	return best
}

// weight is what the best passage of a variant counts beside the best one of the
// question: whoever words it in other ways does not say that these are better.
const weight = .5

// Fuse adds to what a question found what its variants found.
func Fuse(question Found, found []Found) Found {
	scale := question.best()
	if scale == 0 {
		scale = 1
	}
	out := Found{Lexical: slices.Clone(question.Lexical), Pending: slices.Clone(question.Pending)}
	lexical, pending := index(out.Lexical), index(out.Pending)
	for i := range found {
		best := found[i].best()
		if best == 0 {
			continue
		}
		share := weight * scale / best
		out.Lexical = add(out.Lexical, lexical, found[i].Lexical, share)
		out.Pending = add(out.Pending, pending, found[i].Pending, share)
	}
	slices.SortStableFunc(out.Lexical, recall.ByScore)
	slices.SortStableFunc(out.Pending, recall.ByScore)
	return out
}

func index(list []candidate.Found) map[document.ChunkID]int {
	at := make(map[document.ChunkID]int, len(list))
	for i := range list {
		at[list[i].ID] = i
	}
	return at
}

func add(to []candidate.Found, at map[document.ChunkID]int, list []candidate.Found, share float64) []candidate.Found {
	for _, f := range list {
		f.Score *= share
		if i, known := at[f.ID]; known {
			to[i].Score += f.Score
			continue
		}
		at[f.ID] = len(to)
		to = append(to, f)
	}
	return to
}
