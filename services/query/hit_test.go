package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// marked is the text of a hit with its matches in brackets.
func marked(h contract.Hit) string {
	var b strings.Builder
	at := 0
	for _, m := range h.Matches {
		b.WriteString(h.Text[at:m.Start] + "[" + h.Text[m.Start:m.End] + "]")
		at = m.End
	}
	return b.String() + h.Text[at:]
}

// walk is a function of which one line in the middle is asked for.
const walk = "package a\n\n// Walk goes.\nfunc Walk() {\n\tstep(1)\n\tstep(2)\n\tstep(3)\n\tturn(left, heron)\n\tstep(4)\n\tstep(5)\n\tstep(6)\n}\n"

func TestExcerpt_ShowsTheLineThatMatches(t *testing.T) {
	r := newRig(t)
	r.write("a.go", walk)
	for _, state := range []string{"pending", "indexed"} {
		reply := r.search(contract.SearchRequest{Query: "Heron"})
		if len(reply.Hits) == 0 {
			t.Fatalf("%s: no hits", state)
		}
		h := reply.Hits[0]
		if !strings.Contains(marked(h), "\n…\n") || !strings.Contains(marked(h), "\tturn(left, [heron])\n\tstep(4)") || h.Line != 8 {
			t.Errorf("%s: line %d, %q", state, h.Line, marked(h))
		}
		lines := strings.Split(walk, "\n")
		for i, shown := range strings.Split(h.Text, "\n") {
			if n := h.Lines[i]; n == 0 && shown != "…" || n > 0 && lines[n-1] != shown {
				t.Errorf("%s: %q is called line %d", state, shown, n)
			}
		}
		r.settle("a.go")
	}
}

func TestExcerpt_BeginsWithTheSignature(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", walk[:strings.Index(walk, "// Walk")]+"func Walk() {\n"+strings.Repeat("\tstep(1)\n", 40)+"\tturn(left, heron)\n}\n")
	h := r.search(contract.SearchRequest{Query: "heron"}).Hits[0]
	if !strings.HasPrefix(h.Text, "func Walk() {\n…\n") || h.Lines[0] != 3 || h.StartLine != 3 || h.EndLine != 45 {
		t.Errorf("%d-%d: %v %q", h.StartLine, h.EndLine, h.Lines, h.Text)
	}
}

func TestDefinition_IsABetterMatchThanACall(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package a\n\nfunc ReadFile() {\n\t// It reads os files and calls ReadFile.\n\tos.ReadFile(\"a file\")\n}\n")
	for _, query := range []string{"os.ReadFile", "readfile", "what calls ReadFile of os"} {
		for _, h := range r.search(contract.SearchRequest{Query: query}).Hits {
			if h.Symbol == "ReadFile" && h.Line != 3 {
				t.Errorf("%s: line %d of %q", query, h.Line, h.Text)
			}
		}
	}
}

func TestMatchesOfAWholePassage_AreMarked(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", walk)
	for show, want := range map[string]string{contract.TextFull: "[heron]", contract.TextNone: ""} {
		h := r.search(contract.SearchRequest{Query: "heron", Text: show}).Hits[0]
		if !strings.Contains(marked(h), want) || len(h.Lines) > 0 || h.Line != 8 || show == contract.TextNone && len(h.Matches) > 0 {
			t.Errorf("%s: line %d, %q", show, h.Line, fmt.Sprint(h.Lines, marked(h)))
		}
	}
}

// Three neighbours are one passage, which is indexed as the first of them.
const neighbours = "package os\n\nfunc join(name string) {\n\tclean(name)\n}\n// Heron opens what stands there.\nfunc ReadFile(name string) {\n\tjoin(name)\n\tgrow()\n}\nfunc readAll() {\n\tReadFile(bittern)\n}\n"

func TestHit_IsNamedAfterItsBestMatch(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", neighbours)
	for query, want := range map[string]string{
		"os.ReadFile":       "7 ReadFile [join readAll] as join",
		"readfile":          "7 ReadFile [join readAll] as join",
		"heron":             "6 ReadFile [join readAll] as join",
		"what may grow":     "9 ReadFile [join readAll] as join",
		"bittern":           "12 readAll [ReadFile join] as join",
		"join":              "3 join [ReadFile readAll] as ",
		"clean up":          "4 join [ReadFile readAll] as ",
		"nothing like that": "3 join [ReadFile readAll] as ",
	} {
		for _, show := range []string{contract.TextNone, contract.TextExcerpt, contract.TextFull} {
			got := ""
			for _, h := range r.search(contract.SearchRequest{Query: query, Text: show}).Hits {
				if h.Kind == document.KindFunction {
					got = fmt.Sprintf("%d %s %v as %s", h.Line, h.Symbol, h.Names, h.IndexedAs)
				}
			}
			if got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
	}
}

func TestNamesOfAnotherCase_AreToldApart(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", "package os\n\nfunc reserved() {\n}\nfunc Reserved() {\n\treserved()\n}\n")
	for query, line := range map[string]int{"os.Reserved": 5, "os.reserved": 3} {
		for _, h := range r.search(contract.SearchRequest{Query: query}).Hits {
			if h.Kind == document.KindFunction && (h.Line != line || "os."+h.Symbol != query) {
				t.Errorf("%s is %s in line %d", query, h.Symbol, h.Line)
			}
		}
	}
}

// The words that do not match stand in no line.
func TestHitWithoutAMatch_IsShownByItsOwnDefinition(t *testing.T) {
	text := "func next() {\n}\n\nfunc Heron() {\n}"
	var s resolve.Shown
	s.Text, s.Language, s.Span.Symbol, s.Span.Names = []byte(text), "go", "Heron", []string{"next"}
	marks := excerpt.NewMarks(cover.New("bittern", analysis.New(), func(string) float64 { return 1 }), nil, analysis.New())
	if in := lookInto(&s, marks, nil, -1); in.best != 3 || in.first != 3 || in.symbol != "" {
		t.Errorf("lines %d and %d, %q", in.best, in.first, in.symbol)
	}
}

// A copied line is marked as it was copied, and not only its words.
func TestCopiedLine_IsMarkedAsAWhole(t *testing.T) {
	r := newRig(t)
	r.stored("addr/parse.go", parser)
	for _, query := range []string{"return strictly(s, 0x1F)", `"strictly(s, 0x1F)"`} {
		r.stored("addr/line.go", "package addr\n\n// Line parses s strictly.\nfunc Line(s string) int {\n\treturn strictly(s, 0x1F)\n}\n")
		reply := r.search(contract.SearchRequest{Query: query, Token: "latest"})
		h := reply.Hits[0]
		want := strings.Trim(query, `"`)
		if !slices.ContainsFunc(h.Matches, func(m contract.Match) bool { return h.Text[m.Start:m.End] == want }) {
			t.Errorf("%s: marked %+v of %q", query, h.Matches, h.Text)
		}
		for i := 1; i < len(h.Matches); i++ {
			if h.Matches[i].Start < h.Matches[i-1].End {
				t.Errorf("%s: %+v", query, h.Matches)
			}
		}
	}
}
