package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
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

func TestExcerptHidesTheLineThatMatches(t *testing.T) {
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

func TestExcerptLeavesTheSignatureOut(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", walk[:strings.Index(walk, "// Walk")]+"func Walk() {\n"+strings.Repeat("\tstep(1)\n", 40)+"\tturn(left, heron)\n}\n")
	h := r.search(contract.SearchRequest{Query: "heron"}).Hits[0]
	if !strings.HasPrefix(h.Text, "func Walk() {\n…\n") || h.Lines[0] != 3 || h.StartLine != 3 || h.EndLine != 45 {
		t.Errorf("%d-%d: %v %q", h.StartLine, h.EndLine, h.Lines, h.Text)
	}
}

func TestCallIsABetterMatchThanTheDefinition(t *testing.T) {
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

func TestMatchesOfAWholePassageAreElsewhere(t *testing.T) {
	r := newRig(t)
	r.stored("a.go", walk)
	for show, want := range map[string]string{contract.TextFull: "[heron]", contract.TextNone: ""} {
		h := r.search(contract.SearchRequest{Query: "heron", Text: show}).Hits[0]
		if !strings.Contains(marked(h), want) || len(h.Lines) > 0 || h.Line != 8 || show == contract.TextNone && len(h.Matches) > 0 {
			t.Errorf("%s: line %d, %q", show, h.Line, fmt.Sprint(h.Lines, marked(h)))
		}
	}
}
