package split

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

var update = flag.Bool("update", false, "write the golden files of structured contents")

// Passages of structured contents are those of the golden files beside them.
func TestPassagesOfStructuredContents_AreThoseOfTheGolden(t *testing.T) {
	names, err := filepath.Glob(filepath.Join("testdata", "structure", "*"))
	if err != nil {
		t.Fatal(err)
	}
	opt := Options{Target: 160, Max: 240, Prose: 200, Overlap: 20}
	for _, name := range names {
		if strings.HasSuffix(name, ".passages") {
			continue
		}
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		for _, s := range check(t, language.OfPath(document.Path(name)), content, opt) {
			fmt.Fprintf(&b, "== %s %s %q, lines %d-%d", s.Kind, s.Symbol, s.Names, s.StartLine, s.EndLine)
			if len(s.Headings) > 0 {
				fmt.Fprintf(&b, ", under %s", strings.Join(s.Headings, " > "))
			}
			if s.Context != "" {
				fmt.Fprintf(&b, ", below %q", s.Context)
			}
			b.WriteString("\n" + string(content[s.StartByte:s.EndByte]) + "\n")
		}
		if *update {
			if err := os.WriteFile(name+".passages", []byte(b.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name + ".passages")
		if err != nil {
			t.Fatal(err)
		}
		if b.String() != string(want) {
			t.Errorf("the passages of %s are\n%s\nwant\n%s", name, b.String(), want)
		}
	}
}
