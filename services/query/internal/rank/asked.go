package rank

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// asked is the kind of file that a question asks for by name. Words that ask for
// code, such as function, are not among them: in a mixed index they moved the
// answer of 3 questions of 754.
type asked struct {
	languages map[string]bool // as passages carry them; nil for none
	words     []string        // that name these, lower case
	prose     bool
}

var (
	codeNouns  = set("code file files function functions method class classes implementation source script scripts test tests package module")
	proseWords = set("docs documentation readme guide tutorial handbook changelog runbook howto faq")
)

// whatIsAsked looks at the words of a question. A single word is what is looked
// for, and so are all words of a path and of an error message.
func whatIsAsked(text string, class analysis.Class) asked {
	var a asked
	words := strings.Fields(strings.ToLower(text))
	if len(words) < 2 || class == analysis.Path || class == analysis.Error {
		return a
	}
	for i := range words {
		words[i] = strings.Trim(words[i], "\"'`,;:!?()[]{}.")
	}
	for i, w := range words {
		a.prose = a.prose || proseWords[w]
		names := language.Called(w)
		if names == nil && (i > 0 && words[i-1] == "in" || i+1 < len(words) && codeNouns[words[i+1]]) {
			names = language.CalledBeside(w)
		}
		if len(names) > 0 {
			a.words = append(a.words, w)
		}
		for _, n := range names {
			if a.languages == nil {
				a.languages = map[string]bool{}
			}
			a.languages[n] = true
		}
	}
	return a
}

// LanguageWords returns the words of a question that name the language that it asks
// for, lower case: code in that language seldom has them.
func (q *Query) LanguageWords() []string { return q.asked.words }

// asksLanguage is the factor for a file in a language that is asked for.
func (q *Query) asksLanguage(c *candidate.Candidate, w *Weights) float64 {
	if q.asked.languages[c.Attrs.Language] {
		return 1 + w.Language
	}
	return 1
}

// asksProse is the factor for prose where that is asked for.
func (q *Query) asksProse(c *candidate.Candidate, w *Weights) float64 {
	if q.asked.prose && contract.CollectionOf(c.Generation).Prose() {
		return 1 + w.Intent
	}
	return 1
}
