// Package expand words a question in other ways, by what programs call the same
// and by the names that its best passages have in common, and puts what these
// variants find beside what the question finds.
package expand

import "github.com/freshet-dev/freshet/pkg/store"

// Variant is another wording: the question with further words.
type Variant struct {
	Kind  string // "synonyms" or "names"
	Added []store.Term
	// Weight is what the best passage of the variant counts beside the best one
	// of the question.
	Weight float64
}

// Terms are what a variant of a question looks for.
func (v *Variant) Terms(question []store.Term) []store.Term {
	return append(question[:len(question):len(question)], v.Added...)
}

// Weights of variants and of their words. With these nothing is lost and nothing
// won on the published tasks; docs/quality.md has the figures.
const (
	synonymsWeight, synonymWeight = 1, .2
	namesWeight, nameWeight       = .3, .3
)

// maxAdded bounds the words of one variant, so that a pasted text costs no more
// than a question.
const maxAdded = 24

func has(terms []store.Term, token string) bool {
	for _, t := range terms {
		if t.Token == token {
			return true
		}
	}
	return false
}
