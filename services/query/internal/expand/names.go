package expand

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

const (
	// feedback is how many of the best passages are looked at, and common how many
	// of them a word has to be in.
	feedback, common = 10, 2
	// maxNames is how many words are taken.
	maxNames = 6
)

// CoOccurring returns the words of the names that the best candidates define, and
// of the names of their files, that several of them have and the question has
// not. Each weighs what the scores of its passages come to.
func CoOccurring(best []candidate.Candidate, words func(string) []string, question []store.Term) []store.Term {
	weight, times := map[string]float64{}, map[string]int{}
	best = best[:min(len(best), feedback)]
	for i := range best {
		c := &best[i]
		names := []string{c.Attrs.Path.Stem()}
		for symbol := range strings.SplitSeq(c.Attrs.Symbol, "\n") {
			names = append(names, rank.LastPart(symbol))
		}
		seen := map[string]bool{}
		for _, name := range names {
			for _, w := range words(name) {
				if !seen[w] && !has(question, w) {
					seen[w] = true
					weight[w] += c.Final
					times[w]++
				}
			}
		}
	}
	var out []store.Term
	for _, w := range slices.Sorted(maps.Keys(weight)) {
		if times[w] >= common && weight[w] > 0 {
			out = append(out, store.Term{Token: w, Weight: weight[w]})
		}
	}
	return out
}

// Names is a question with the co-occurring words that say most: those that most
// of the best passages have and few others. worth is how rare each is.
func Names(found []store.Term, worth func(i int) float64) Variant {
	v := Variant{Kind: "names", Weight: namesWeight}
	for i, t := range found {
		v.Added = append(v.Added, store.Term{Token: t.Token, Weight: t.Weight * worth(i)})
	}
	slices.SortStableFunc(v.Added, func(a, b store.Term) int { return cmp.Compare(b.Weight, a.Weight) })
	v.Added = v.Added[:min(len(v.Added), maxNames)]
	if len(v.Added) > 0 && v.Added[0].Weight > 0 {
		most := v.Added[0].Weight
		for i := range v.Added {
			v.Added[i].Weight *= nameWeight / most
		}
	}
	return v
}
