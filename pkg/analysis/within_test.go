package analysis

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// checkWithin compares the tokens of a run of whole words with those of all.
func checkWithin(t *testing.T, a *Analyzer, whole, run string) {
	t.Helper()
	for _, prose := range []bool{false, true} {
		have := a.Passage("a/b.md", &document.Span{}, []byte(whole), prose)
		for _, token := range a.Within(run) {
			if !slices.Contains(have, token) {
				t.Fatalf("prose %v: %q has the token %q, which a passage that holds it lacks: %q", prose, run, token, whole)
			}
		}
	}
}

func TestPassageThatHoldsAText_HasEveryTokenOfIt(t *testing.T) {
	a := New()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		content, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(content), "\n")
		for i := 0; i+3 < len(lines); i += 2 {
			checkWithin(t, a, strings.Join(lines[i:i+4], "\n"), lines[i+1])
		}
	}
}

func FuzzWithin(f *testing.F) {
	f.Add("Der Fußgängerüberweg ist claim-check-fähig.", 1, 2)
	f.Add("私は日本語を 話します。 readFile2(x) and so on", 0, 2)
	f.Add("e.g. a-b-c_d::E->f #define\tX 0x1a", 1, 3)
	a := New()
	f.Fuzz(func(t *testing.T, text string, from, n int) {
		words := strings.Fields(text)
		from = min(max(from, 0), len(words))
		n = min(max(n, 0), len(words)-from)
		checkWithin(t, a, text, strings.Join(words[from:from+n], " "))
	})
}
