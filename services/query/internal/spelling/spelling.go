// Package spelling finds the words of the index that a word which no passage has
// may have been meant for: those that are one edit away, and those that it is
// the beginning of.
package spelling

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Limits of one query, so that a pasted text costs no more than a question.
const (
	maxWords = 4
	// maxGuesses is how many words stand in for one.
	maxGuesses = 3
	// longer is how many of the words that begin with it are looked at.
	longer = 200
)

// Index is what a lexical store tells of its words.
type Index interface {
	Counts(ctx context.Context, tokens []string) (store.Counts, error)
	Beginning(ctx context.Context, prefix string, limit int) ([]string, error)
}

// Analyzer spells words as the index does.
type Analyzer interface {
	Near(w *analysis.Word) []analysis.Spelling
}

// Correction is a word that no passage has, and what may have been meant, best
// first.
type Correction struct {
	Word    analysis.Word
	Guesses []analysis.Spelling
}

// Correct looks for what stands in for words in the indexes. in says whether a
// token leads to a passage that the query may see; nil is always. Words without
// anything near are left out.
func Correct(ctx context.Context, a Analyzer, indexes []Index, words []analysis.Word, in func(context.Context, string) (bool, error)) ([]Correction, error) {
	words = words[:min(len(words), maxWords)]
	near := make([][]analysis.Spelling, len(words))
	var tokens []string
	for i := range words {
		near[i] = a.Near(&words[i])
		for _, index := range indexes {
			begin, err := index.Beginning(ctx, words[i].Form, longer)
			if err != nil {
				return nil, fmt.Errorf("look for words that begin with %s: %w", words[i].Form, err)
			}
			for _, token := range begin {
				near[i] = append(near[i], analysis.Spelling{Word: token, Token: token})
			}
		}
		for _, s := range near[i] {
			tokens = append(tokens, s.Token)
		}
	}
	with, err := count(ctx, indexes, tokens)
	if err != nil {
		return nil, err
	}
	var out []Correction
	for i, w := range words {
		guesses, err := best(ctx, near[i], with, in)
		if err != nil {
			return nil, err
		}
		if len(guesses) > 0 {
			out = append(out, Correction{Word: w, Guesses: guesses})
		}
	}
	return out, nil
}

// count returns how many passages hold each token.
func count(ctx context.Context, indexes []Index, tokens []string) (map[string]int, error) {
	slices.Sort(tokens)
	tokens = slices.Compact(tokens)
	with := make(map[string]int, len(tokens))
	for _, index := range indexes {
		c, err := index.Counts(ctx, tokens)
		if err != nil {
			return nil, fmt.Errorf("count words that are spelt alike: %w", err)
		}
		for i, t := range tokens {
			with[t] += c.With[i]
		}
	}
	return with, nil
}

// best returns the spellings that most passages have; of equal ones those come
// first that are one edit away.
func best(ctx context.Context, near []analysis.Spelling, with map[string]int, in func(context.Context, string) (bool, error)) ([]analysis.Spelling, error) {
	near = slices.DeleteFunc(slices.Clone(near), func(s analysis.Spelling) bool { return with[s.Token] == 0 })
	slices.SortStableFunc(near, func(a, b analysis.Spelling) int { return cmp.Compare(with[b.Token], with[a.Token]) })
	var out []analysis.Spelling
	seen := map[string]bool{}
	for _, s := range near {
		if len(out) == maxGuesses {
			break
		}
		if seen[s.Token] {
			continue
		}
		seen[s.Token] = true
		ok := true
		if in != nil {
			var err error
			if ok, err = in(ctx, s.Token); err != nil {
				return nil, fmt.Errorf("look for %s: %w", s.Token, err)
			}
		}
		if ok {
			out = append(out, s)
		}
	}
	return out, nil
}
