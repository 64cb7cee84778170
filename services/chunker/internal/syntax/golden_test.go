package syntax

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

var update = flag.Bool("update", false, "write the outlines anew")

// withGrammar are the languages that have one.
func withGrammar() (out []string) {
	for _, name := range language.Names() {
		if language.Get(name).Grammar {
			out = append(out, name)
		}
	}
	return out
}

// What is cut of a sample, and which functions are found in it, stand beside it:
// `go test ./services/chunker/internal/syntax -update` writes both.
func TestOutlineOfASample_IsThatOfTheGolden(t *testing.T) {
	samples, err := filepath.Glob("testdata/sample.*")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	for _, file := range samples {
		if strings.HasSuffix(file, ".outline") {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			name := language.Detect(document.Path(file), content)
			var got strings.Builder
			for _, s := range cut(t, name, string(content), tiny) {
				got.WriteString(strings.TrimRight(strings.Join([]string{outline([]document.Span{s})[0], strings.Join(s.Names, " "), s.Signature}, " | "), " |") + "\n")
			}
			got.WriteString("\n" + strings.Join(listed(t, name, string(content)), "\n") + "\n")
			if *update {
				if err := os.WriteFile(file+".outline", []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file + ".outline")
			if err != nil {
				t.Fatalf("%v: run this test with -update, and look at what it writes", err)
			}
			if got.String() != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
		compared++
	}
	if compared < 8 {
		t.Errorf("only %d samples were found", compared)
	}
}
