// Package diversify keeps passages that say the same from following each other.
package diversify

import (
	"hash/maphash"
	"slices"
)

// Order returns a new order of passages that stand best first: by maximal
// marginal relevance (Carbonell and Goldstein 1998), λ·relevance − (1 − λ)·the
// largest likeness to one before it. Relevance is the score as a part of the
// best one, likeness the share of words that two passages have in common.
func Order(scores []float64, texts [][]byte, lambda float64) []int {
	n := len(scores)
	if n == 0 {
		return nil
	}
	words := make([][]uint64, n)
	for i, t := range texts {
		words[i] = wordsOf(t)
	}
	nearest := make([]float64, n) // to one that is placed
	taken := make([]bool, n)
	order := make([]int, 0, n)
	for len(order) < n {
		best, most := -1, 0.0
		for i := range n {
			if taken[i] {
				continue
			}
			relevance := 0.0
			if scores[0] > 0 {
				relevance = scores[i] / scores[0]
			}
			if v := lambda*relevance - (1-lambda)*nearest[i]; best < 0 || v > most {
				best, most = i, v
			}
		}
		taken[best] = true
		order = append(order, best)
		for i := range n {
			if !taken[i] {
				nearest[i] = max(nearest[i], alike(words[best], words[i]))
			}
		}
	}
	return order
}

var seed = maphash.MakeSeed()

// wordsOf returns the distinct words of a text as sorted hashes; case does not
// matter.
func wordsOf(text []byte) []uint64 {
	var out []uint64
	word := make([]byte, 0, 64)
	flush := func() {
		if len(word) > 1 {
			out = append(out, maphash.Bytes(seed, word))
		}
		word = word[:0]
	}
	for _, c := range text {
		switch {
		case c >= 'A' && c <= 'Z':
			word = append(word, c|0x20)
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c >= 0x80:
			word = append(word, c)
		default:
			flush()
		}
	}
	flush()
	slices.Sort(out)
	return slices.Compact(out)
}

// alike is the share of the words of both that both have (Jaccard).
func alike(a, b []uint64) float64 {
	both := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both, i, j = both+1, i+1, j+1
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}
