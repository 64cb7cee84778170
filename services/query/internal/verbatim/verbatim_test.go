package verbatim

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
)

func TestText_IsGradedByHowItStands(t *testing.T) {
	const line = "if x := f(a, b); x > 0 {"
	text, _, ok := New("  "+line+"\n", analysis.New().Within)
	if !ok {
		t.Fatal("not looked for")
	}
	for passage, want := range map[string]Grade{
		"":                                      Nowhere,
		"if y := f(a, b); y > 0 {":              Nowhere,
		"IF X := f(a, b); x > 0 {":              Nowhere,
		"func g() {\n\t" + line + "  \n\t}\n":   Lines,
		line:                                    Lines,
		"} else " + line + "\n":                 Somewhere,
		"} else " + line + "\n\t" + line + "\n": Lines,
		"if x := f(a,\n\t\tb); x > 0 {\n":       Respaced,
		line + " // why":                        Somewhere,
	} {
		if got := text.In([]byte(passage)); got != want {
			t.Errorf("%q has the grade %v, want %v", passage, got, want)
		}
	}
}

// Where a name is asked for, its definition is meant and not every use.
func TestName_IsNotLookedForAsText(t *testing.T) {
	for question, want := range map[string]bool{
		"ReadFile": false, "os.ReadFile": false, "os.ReadFile()": false, "os.ReadFile(name)": false, "std::vector": false, "pkg/store/store.go": false,
		"read file": false, "is it": false, "": false, "   ": false, "//-----": false, strings.Repeat("x[i] = y; ", 500): false,
		"os.ReadFile(name, true)": true, `log.Fatal("no such file")`: true, "the file is closed": false, "where the file is closed": true, "x[i] = y": true,
	} {
		if _, _, ok := New(question, analysis.New().Within); ok != want {
			t.Errorf("%q: looked for %v, want %v", question, ok, want)
		}
	}
}
