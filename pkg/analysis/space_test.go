package analysis

import (
	"strings"
	"testing"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Elasticsearch is given the tokens of a passage joined by spaces. Compatible
// composition makes spaces out of some letters, such as U+FDFA.
func TestATokenHoldsWhiteSpace(t *testing.T) {
	a := New()
	var text strings.Builder
	check := func() {
		for _, token := range a.Passage("", &document.Span{}, []byte(text.String()), true) {
			if strings.ContainsFunc(token, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Z, r) }) {
				t.Errorf("%q is a token", token)
			}
		}
		text.Reset()
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		text.WriteString(" a" + string(r) + "b " + string(r))
		if text.Len() > 1<<16 {
			check()
		}
	}
	check()
}
