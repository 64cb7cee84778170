package resolve

import (
	"math"
	"slices"

	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// alike is what candidates have in common that nothing in the ranking tells
// apart.
type alike struct {
	doc                               DocKey
	fused, definition, exact, learned float64
}

// tied finds the candidates of one document that nothing in the ranking tells
// apart, as their places in the list, ascending.
func tied(all []candidate.Candidate) map[DocKey][][]int {
	first := make(map[float64]int, len(all)) // place of the first one, by Fused
	groups := map[alike][]int{}
	for i := range all {
		k, known := first[all[i].Fused]
		if !known {
			first[all[i].Fused] = i
			continue
		}
		if a := alikeOf(&all[k]); groups[a] == nil {
			groups[a] = []int{k}
		}
		a := alikeOf(&all[i])
		groups[a] = append(groups[a], i)
	}
	var out map[DocKey][][]int
	for a, places := range groups {
		if len(places) > 1 {
			if out == nil {
				out = map[DocKey][][]int{}
			}
			out[a.doc] = append(out[a.doc], places)
		}
	}
	return out
}

func alikeOf(c *candidate.Candidate) alike {
	return alike{docOf(c), c.Fused, c.Signals[candidate.Definition], rank.Exact(c), c.Learned.Score}
}

// byLine puts tied candidates of a document whose passages are known into the
// order of their lines, of which an index knows nothing. The scores stay in their
// places.
func (s *session) byLine(k DocKey) {
	for _, places := range s.ties[k] {
		list := make([]candidate.Candidate, len(places))
		lines := make(map[*candidate.Candidate]int, len(places))
		order := make([]*candidate.Candidate, len(places))
		for i, place := range places {
			list[i] = s.all[place]
			order[i] = &list[i]
			lines[order[i]] = s.lineOf(order[i])
		}
		slices.SortStableFunc(order, func(a, b *candidate.Candidate) int { return lines[a] - lines[b] })
		for i, c := range order {
			was := &list[i]
			c := *c
			c.Final, c.Signals[candidate.Saturation] = was.Final, was.Signals[candidate.Saturation]
			s.all[places[i]] = c
		}
	}
}

// lineOf is the line at which a candidate begins, behind every other where the
// log does not tell.
func (s *session) lineOf(c *candidate.Candidate) int {
	if c.Window != nil {
		return c.Window.StartLine
	}
	if chunk, _ := s.bodies[docOf(c)].find(c.ID); chunk != nil {
		return chunk.StartLine
	}
	return math.MaxInt
}
