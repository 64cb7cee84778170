package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestFile_HasAsManyHitsAsTheQuestionAllows(t *testing.T) {
	r := newRig(t)
	for _, file := range []string{"big", "long"} {
		var b strings.Builder
		for i := range 12 {
			fmt.Fprintf(&b, "func parse%[1]c() { parse(token, %[2]s%[1]c, %[2]s[%[3]d], of%[2]s) }\n\n", 'A'+i, file, i)
		}
		r.stored(file+".go", b.String())
	}
	r.stored("small.go", "func other() { parse(token) }\n")
	for most := range 3 {
		most++
		for _, query := range []string{"parse token", "parse token path:big.go", "parse token path:*.go"} {
			for _, k := range []int{2, 10, 40} {
				reply := r.search(contract.SearchRequest{Query: query, K: &k, PerFile: &most})
				got, counts := paths(reply), map[string]int{}
				for _, p := range got {
					counts[p]++
				}
				for p, n := range counts {
					if n > most {
						t.Errorf("%s, k %d: %d hits of %s, where %d are allowed", query, k, n, p, most)
					}
				}
				want := 2*most + 1
				if strings.Contains(query, "big") {
					want = most
				}
				if len(got) != min(want, k) {
					t.Errorf("%s, k %d, %d of a file: %v", query, k, most, got)
				}
			}
		}
	}
	none, many := 0, 1001
	for _, in := range []contract.SearchRequest{{PerFile: &none}, {PerFile: &many}, {PerFile: &[]int{1}[0], Off: []string{"diversify"}}, {Around: -1}, {Around: 101}} {
		in.Query = "parse token"
		if _, err := r.ask(in); document.KindOf(err) != document.InvalidRequest {
			t.Errorf("%+v: %v", in, err)
		}
	}
}

// All that is found stands in one document, of which a few passages may be shown: those
// that fill the places are looked at, not each of the thousands that it may have.
func TestLargeDocumentHasAllHits_FewOfItsPassagesAreLookedAt(t *testing.T) {
	r := newRig(t, func(r *rig) { r.cfg.Overfetch, r.cfg.MaxOverfetch = 1000, 1000 })
	var b strings.Builder
	for i := range 600 {
		fmt.Fprintf(&b, "heron %[1]d { nest: %[2]d, eggs: %[3]d, reed: %[4]d }\n\n", i, i*7, i*11, i*13)
	}
	r.stored("colony.go", b.String())
	three := 3
	reply := r.search(contract.SearchRequest{Query: "heron nest", K: &three})
	if got := paths(reply); len(got) != three {
		t.Errorf("%d hits: %v", len(got), got)
	}
	for _, stage := range reply.Trace {
		// Ten are looked at, however few are asked for, and as many wait as can be of use.
		if most := 17 * 10; stage.Stage == "fold" && stage.In > most || stage.Stage == "fuse" && stage.Out < 2*most {
			t.Errorf("%+v, of at most %d", stage, most)
		}
	}
}

func TestLinesAroundTheMatch_GoOnBehindItsPassage(t *testing.T) {
	r := newRig(t)
	text := "package a\n\nvar before = 1\n\n" + walk[strings.Index(walk, "// Walk"):] + "\nvar after = 2 // the last\n"
	r.write("a.go", text)
	lines := strings.Split(text, "\n")
	match := 1 + slices.Index(lines, "\tturn(left, heron)")
	for _, state := range []string{"pending", "indexed"} {
		for _, n := range []int{1, 3, 4, 100} {
			h := r.search(contract.SearchRequest{Query: "Heron", Around: n}).Hits[0]
			if state == "pending" && n == 100 {
				continue // lines that are not cut yet have nothing beside them
			}
			shown := strings.Split(h.Text, "\n")
			var want []int
			for i := 1; i < len(lines); i++ {
				if i >= match-n && i <= match+n {
					want = append(want, i)
				}
			}
			for i, line := range want {
				at := slices.Index(h.Lines, line)
				if at < 0 || shown[at] != lines[line-1] {
					t.Fatalf("%s, %d around: line %d is missing or another: %v %q", state, n, want[i], h.Lines, h.Text)
				}
			}
			for i, line := range h.Lines {
				if line == 0 && shown[i] != "…" || line > 0 && shown[i] != lines[line-1] {
					t.Errorf("%s, %d around: %q is called line %d", state, n, shown[i], line)
				}
			}
			if len(h.Lines) > len(want)+2 || !strings.Contains(marked(h), "[heron]") || h.Line != match {
				t.Errorf("%s, %d around line %d: %v %q", state, n, h.Line, h.Lines, marked(h))
			}
		}
		r.settle("a.go")
	}
	r.stored("b.go", "var walrus = \""+strings.Repeat("x", 3000)+" otter "+strings.Repeat("y", 3000)+"\"\n")
	if h := r.search(contract.SearchRequest{Query: "otter", Around: 2}).Hits[0]; len(h.Text) > 500 || !strings.Contains(marked(h), "[otter]") {
		t.Errorf("%d bytes: %q", len(h.Text), h.Text)
	}
}
