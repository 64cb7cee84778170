package plain

import (
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// The variants of a question repeat its words.
func TestTermThatIsNamedTwice_CountsOnceInPendingLines(t *testing.T) {
	s := &Searcher{Analyzer: analysis.New()}
	matches := s.Matcher([]store.Term{{Token: "column"}, {Token: "gap"}, {Token: "column"}, {Token: "window"}})
	h := &contract.FileHead{Path: "a.go", Collection: document.CollectionCode}
	for text, want := range map[string]bool{"the column": true, "a window": true, "the gap": true, "nothing": false} {
		if got := matches(h, &document.Span{}, []byte(text)); got != want {
			t.Errorf("%q matches: %t, want %t", text, got, want)
		}
	}
}
