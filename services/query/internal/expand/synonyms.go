package expand

import (
	_ "embed" // for the list
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/store"
)

// list has the words that programs use for the same, a group a line.
//
//go:embed synonyms.txt
var list string

// Synonyms are by word, as the index has it. They do not change.
type Synonyms map[string][]string

// NewSynonyms reads the list that comes with the program. words takes a word
// apart as the index does.
func NewSynonyms(words func(string) []string) Synonyms {
	s := Synonyms{}
	for line := range strings.Lines(list) {
		group := words(line)
		for _, w := range group {
			for _, other := range group {
				if w != other && !slices.Contains(s[w], other) {
					s[w] = append(s[w], other)
				}
			}
		}
	}
	return s
}

// Variant is a question with the synonyms of its words; it adds nothing where
// these have none.
func (s Synonyms) Variant(words []string, question []store.Term) Variant {
	v := Variant{Kind: "synonyms", Weight: synonymsWeight}
	for _, w := range words {
		for _, other := range s[w] {
			if len(v.Added) < maxAdded && !has(question, other) && !has(v.Added, other) {
				v.Added = append(v.Added, store.Term{Token: other, Weight: synonymWeight})
			}
		}
	}
	return v
}
