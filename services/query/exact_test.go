package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// crowded has more passages than a channel fetches, which say the words of a
// question more often than the one that is meant.
func crowded(t *testing.T, words string) *rig {
	r := newRig(t, func(r *rig) { r.cfg.Overfetch, r.cfg.MaxOverfetch = 5, 5 })
	for i := range 12 {
		r.stored(fmt.Sprintf("lib/f%02d.go", i), "package lib\n\n"+strings.Repeat("// "+words+"\n", 4))
	}
	return r
}

var prosy = strings.Repeat("// Much is said of otters and of what they eat in winter, when rivers freeze.\n", 12)

func TestCopiedLine_StandsBeforePassagesWithItsWords(t *testing.T) {
	const line = `if err := walk(root); err != nil {`
	r := crowded(t, "nil err walk root if err nil walk root")
	r.stored("main.go", "package main\n\n"+prosy+"func run() {\n\t"+line+"\n\t\tpanic(err)\n\t}\n}\n")
	reply := r.search(contract.SearchRequest{Query: line, Text: contract.TextFull})
	if len(reply.Hits) == 0 || reply.Hits[0].Path != "main.go" || !strings.Contains(reply.Hits[0].Text, line) || reply.Hits[0].Channels["verbatim"].Rank != 1 {
		t.Fatalf("first is not the line:\n%s", texts(reply))
	}
	without := r.search(contract.SearchRequest{Query: line, Text: contract.TextFull, Off: []string{request.OffExact}})
	if without.Hits[0].Path == "main.go" {
		t.Fatal("it is first without being looked for: the test shows nothing")
	}
	r.remove("main.go")
	for _, h := range r.search(contract.SearchRequest{Query: line}).Hits {
		if h.Path == "main.go" {
			t.Errorf("the deleted line is shown: %+v", h)
		}
	}
	// The newest text is searched before any stage has seen it.
	r.write("late.go", "package main\n\n"+prosy+"func again() {\n\t"+line+"\n\t}\n}\n")
	if first := r.search(contract.SearchRequest{Query: line, Text: contract.TextFull}).Hits[0]; first.Path != "late.go" || !strings.Contains(first.Text, line) {
		t.Errorf("first is %s", first.Path)
	}
}

func TestLineAsItWasTyped_StandsAboveItsLikeness(t *testing.T) {
	r := newRig(t)
	for name, line := range map[string]string{"a.go": "limit   =   0x1a", "b.go": "limit = 0x1a0", "c.go": "limit = 0x1a", "d.go": "LIMIT = 0x1A"} {
		r.stored(name, "package a\n\n"+line+"\n")
	}
	reply := r.search(contract.SearchRequest{Query: "limit = 0x1a"})
	var order []string
	for _, h := range reply.Hits[:3] {
		order = append(order, string(h.Path))
	}
	// The whole line, with other white space. The other two hold another number,
	// or other letters.
	if order[0] != "c.go" || order[1] != "a.go" {
		t.Fatalf("order %v", order)
	}
}

func TestDefinition_StandsBeforeUses(t *testing.T) {
	r := crowded(t, "osfs ReadFile osfs.ReadFile readfile")
	r.stored("io/virtual/read.go", "package virtual\n\nfunc ReadFile(name string) { open(name) }\n")
	r.stored("osfs/file.go", "package osfs\n\nfunc ReadFile(name string) { open(name) }\n"+prosy)
	r.stored("osfs/tree.go", "package osfs\n\nfunc Tree.ReadFile(name string) { open(name) }\n"+prosy)
	for question, want := range map[string]string{
		"osfs.ReadFile": "osfs/file.go", "osfs.ReadFile()": "osfs/file.go", "Tree.ReadFile": "osfs/tree.go",
		"virtual::ReadFile": "io/virtual/read.go", "osfs.Tree.ReadFile": "osfs/tree.go",
	} {
		reply := r.search(contract.SearchRequest{Query: question})
		if len(reply.Hits) == 0 || string(reply.Hits[0].Path) != want {
			t.Errorf("%s: first is not %s:\n%s", question, want, texts(reply))
		}
	}
}

func TestExcerpt_ShowsTheCopiedLine(t *testing.T) {
	const line = `t.Fatalf("the key %q is %d", key, n)`
	r := newRig(t)
	filler := strings.Repeat("\tt.Fatalf(\"the key is %q, key %d and n\", key, n, key)\n", 20)
	r.stored("a.go", "func Test(t *T) {\n"+filler+"\t"+line+"\n"+filler+"}\n")
	hit := r.search(contract.SearchRequest{Query: line}).Hits[0]
	if !strings.Contains(hit.Text, line) || hit.Line != 22 {
		t.Errorf("line %d is shown:\n%s", hit.Line, hit.Text)
	}
}
