package rank

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Lists are what the channels found, each best first. The scores of Pending
// are estimates on the scale of Lexical.
type Lists struct {
	Lexical, Vector, Pending []candidate.Found
	// Verbatim hold the question's text as it was typed; most stand in another
	// list, too.
	Verbatim []candidate.Found
	// Named define the name that the question is.
	Named []candidate.Found
	// Quoted were read out of the log for what must stand in them.
	Quoted []candidate.Found
	// Placed hold a line that the question names.
	Placed []candidate.Found
}

// Fuse merges the channels into one list, best first, with Fused set.
//
// A passage of the channel pending stands among the lexical ones by its score.
// It cannot be in the vector sink yet; it is counted there at the same rank,
// since a passage must not lose for being new.
func Fuse(lists Lists, class analysis.Class, w *Weights) []candidate.Candidate {
	all := merge(lists)
	orderLexical(all)
	shares := VectorShares(class, w)
	switch {
	case len(lists.Vector) == 0:
		shares = Shares{}
	case len(lists.Lexical) == 0 && len(lists.Pending) == 0:
		shares = Shares{1, 1}
	}
	if w.Fusion == Convex {
		convex(all, lists.Vector, shares)
	} else {
		reciprocal(all, shares, w.RankConstant)
	}
	sortBy(all, func(c *candidate.Candidate) float64 { return c.Fused })
	return all
}

// sortBy orders the candidates, the largest number first, ties as a store does.
// It sorts numbers and moves each candidate, which is large, once.
func sortBy(all []candidate.Candidate, number func(*candidate.Candidate) float64) {
	type place struct {
		number float64
		index  int
	}
	order := make([]place, len(all))
	for i := range all {
		order[i] = place{number(&all[i]), i}
	}
	slices.SortFunc(order, func(a, b place) int {
		return byNumber(a.number, b.number, &all[a.index], &all[b.index])
	})
	sorted := make([]candidate.Candidate, len(all))
	for i, p := range order {
		sorted[i] = all[p.index]
	}
	copy(all, sorted)
}

// merge makes one candidate per id.
func merge(lists Lists) []candidate.Candidate {
	n := len(lists.Lexical) + len(lists.Vector) + len(lists.Pending) + len(lists.Verbatim) + len(lists.Named) + len(lists.Quoted) + len(lists.Placed)
	all := make([]candidate.Candidate, 0, n)
	at := make(map[document.ChunkID]int, n)
	add := func(list []candidate.Found, channel func(*candidate.Candidate) *contract.Channel) {
		for i := range list {
			f := &list[i]
			k, known := at[f.ID]
			if !known {
				k = len(all)
				at[f.ID] = k
				all = append(all, candidate.Candidate{Found: *f})
			}
			*channel(&all[k]) = contract.Channel{Rank: i + 1, Score: f.Score}
		}
	}
	add(lists.Lexical, func(c *candidate.Candidate) *contract.Channel { return &c.Lexical })
	add(lists.Vector, func(c *candidate.Candidate) *contract.Channel { return &c.Vector })
	add(lists.Pending, func(c *candidate.Candidate) *contract.Channel { return &c.Pending })
	add(lists.Verbatim, func(c *candidate.Candidate) *contract.Channel { return &c.Verbatim })
	add(lists.Named, func(c *candidate.Candidate) *contract.Channel { return &c.Named })
	add(lists.Quoted, func(c *candidate.Candidate) *contract.Channel { return &c.Quoted })
	add(lists.Placed, func(c *candidate.Candidate) *contract.Channel { return &c.Placed })
	return all
}

// words returns the score in the lexical and pending channels together.
func words(c *candidate.Candidate) float64 { return max(c.Lexical.Score, c.Pending.Score) }

// orderLexical ranks the candidates of the lexical and pending channels
// together.
func orderLexical(all []candidate.Candidate) {
	order := make([]int, 0, len(all))
	for i := range all {
		if all[i].Lexical.Rank > 0 || all[i].Pending.Rank > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return byNumber(words(&all[a]), words(&all[b]), &all[a], &all[b])
	})
	for rank, i := range order {
		all[i].LexicalOrder = rank + 1
	}
}

func reciprocal(all []candidate.Candidate, shares Shares, constant float64) {
	for i := range all {
		c := &all[i]
		share, vector := shares.of(c), c.Vector.Rank
		if vector == 0 && c.Pending.Rank > 0 {
			vector = c.LexicalOrder
		}
		if c.LexicalOrder > 0 {
			c.Fused += (1 - share) / (constant + float64(c.LexicalOrder))
		}
		if vector > 0 {
			c.Fused += share / (constant + float64(vector))
		}
	}
	stretch(all)
}

// stretch brings Fused to 0 to 1, as the signals' weights expect it: raw
// reciprocals of neighbouring ranks are nearly equal.
func stretch(all []candidate.Candidate) {
	if len(all) == 0 {
		return
	}
	low, high := all[0].Fused, all[0].Fused
	for i := range all {
		low, high = min(low, all[i].Fused), max(high, all[i].Fused)
	}
	for i := range all {
		if high > low {
			all[i].Fused = (all[i].Fused - low) / (high - low)
		} else {
			all[i].Fused = 1
		}
	}
}

func convex(all []candidate.Candidate, vectors []candidate.Found, shares Shares) {
	most := 0.0
	for i := range all {
		most = max(most, words(&all[i]))
	}
	var low, span float64
	if n := len(vectors); n > 0 {
		low = vectors[n-1].Score
		span = vectors[0].Score - low
	}
	for i := range all {
		c := &all[i]
		lexical, vector := 0.0, 0.0
		if most > 0 {
			lexical = words(c) / most
		}
		switch {
		case c.Vector.Rank > 0 && span > 0:
			vector = (c.Vector.Score - low) / span
		case c.Vector.Rank > 0:
			vector = 1
		case c.Pending.Rank > 0:
			vector = lexical
		}
		share := shares.of(c)
		c.Fused = (1-share)*lexical + share*vector
	}
}

// byNumber orders the larger first, ties as a store does.
func byNumber(a, b float64, x, y *candidate.Candidate) int {
	switch {
	case a > b:
		return -1
	case a < b:
		return 1
	}
	return store.CompareTied(&x.Attrs, &y.Attrs, x.ID, y.ID)
}
