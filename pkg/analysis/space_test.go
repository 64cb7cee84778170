package analysis

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Elasticsearch is given the tokens of a passage joined by spaces. Compatible
// composition makes spaces out of some letters, such as U+FDFA.
func TestLettersThatComposeToSpaces_LeaveNoSpaceInAToken(t *testing.T) {
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
		// The million that no rule changes are all alike: some of them do.
		if r > 0x3100 && r%61 != 0 && !unicode.In(r, unicode.Z, unicode.Cc, unicode.Cf) && norm.NFKC.IsNormalString(string(r)) {
			continue
		}
		text.WriteString(" a" + string(r) + "b " + string(r))
		if text.Len() > 1<<16 {
			check()
		}
	}
	check()
}
