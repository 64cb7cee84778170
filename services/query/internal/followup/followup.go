// Package followup completes a question that points back to what was said before it.
package followup

import (
	"strings"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/analysis"
)

// Turn is what one side of a conversation said.
type Turn struct {
	User bool
	Text string
}

const (
	// back is how many questions before it a question is completed from.
	back = 3
	// fewWords is how many words with a meaning a question has that stands for itself.
	fewWords = 3
	// mostNames bounds the names that are taken from the answer before the question.
	mostNames = 4
)

// Complete returns what a question asks, whose conversation came before it, and whether
// anything was added. A question points back if it has a word that does (it, this,
// they, …), begins as one (and, what about, …), or has fewer than three words with a
// meaning. Then the question before it is added, and the one before that while that
// points back itself, at most three; and the names in the last answer, at most four,
// that show by their shape that they are names.
func Complete(question string, before []Turn) (string, bool) {
	if !pointsBack(question) {
		return question, false
	}
	parts := []string{question}
	asked := 0
	for i := len(before) - 1; i >= 0 && asked < back; i-- {
		if !before[i].User || strings.TrimSpace(before[i].Text) == "" {
			continue
		}
		parts = append(parts, strings.TrimSpace(before[i].Text))
		if asked++; !pointsBack(before[i].Text) {
			break
		}
	}
	if len(before) > 0 && !before[len(before)-1].User {
		names := analysis.ShapedIdentifiers(before[len(before)-1].Text)
		parts = append(parts, names[:min(len(names), mostNames)]...)
	}
	if len(parts) == 1 {
		return question, false
	}
	return strings.Join(parts, "\n"), true
}

var (
	pointing = set("it its this these those they them their there same former latter")
	opening  = []string{"and", "or", "but", "then", "also", "what about", "how about", "why", "where else", "what else"}
)

func set(words string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		out[w] = true
	}
	return out
}

func pointsBack(question string) bool {
	words := strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '_' && r != '.'
	})
	meaning := 0
	for _, w := range words {
		if pointing[strings.Trim(w, ".")] {
			return true
		}
		if !analysis.IsStopWord(w) {
			meaning++
		}
	}
	start := strings.Join(words, " ") + " "
	for _, o := range opening {
		if strings.HasPrefix(start, o+" ") {
			return true
		}
	}
	return meaning < fewWords && len(analysis.ShapedIdentifiers(question)) == 0
}
