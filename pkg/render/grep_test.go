package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func grepReply() contract.GrepReply {
	return contract.GrepReply{
		Files: []contract.GrepFile{
			{Source: "s", Path: "a.go", Count: 2, Lines: []contract.GrepLine{
				{Line: 3, Text: "before", Context: true},
				{Line: 4, Text: "a walrus\x1b[2J", Matches: []contract.GrepRange{{Start: 2, End: 8}}},
				{Line: 9, Bytes: []byte("walrus \xe9"), Matches: []contract.GrepRange{{Start: 0, End: 6}}},
			}},
			{Source: "s", Path: "b.go", Count: 1, Lines: []contract.GrepLine{{Line: 10, Text: "walrus", Left: 100}}},
		},
		Matched: 3, Lines: 8, More: 5, Searched: 3, Complete: true,
	}
}

func TestGrep_IsPrintedAsGrepDoes(t *testing.T) {
	for want, c := range map[string]struct {
		asked  contract.GrepRequest
		people bool
		style  terminal.Style
	}{
		"s:a.go-3-before\ns:a.go:4:a walrus\x1b[2J\ns:a.go:9:walrus \xe9\ns:b.go:10:walrus\n":         {},
		"s:a.go-3-before\ns:a.go:4:a walrus\x1b[2J\n--\ns:a.go:9:walrus \xe9\n--\ns:b.go:10:walrus\n": {asked: contract.GrepRequest{Before: 1}},
		"s:a.go-3-before\ns:a.go:4:a walrus�[2J\ns:a.go:9:walrus �\ns:b.go:10:walrus\n":               {people: true},
		"s:a.go\ns:b.go\n":     {asked: contract.GrepRequest{Show: contract.GrepFiles}},
		"s:a.go:2\ns:b.go:1\n": {asked: contract.GrepRequest{Show: contract.GrepCounts}},
	} {
		var out bytes.Buffer
		if err := render.Grep(&out, c.style, c.people, render.Places{}, c.asked, grepReply()); err != nil || out.String() != want {
			t.Errorf("%q, %v; want %q", out.String(), err, want)
		}
	}
	var out bytes.Buffer
	if err := render.Grep(&out, terminal.Coloured(), true, render.Places{}, contract.GrepRequest{}, grepReply()); err != nil {
		t.Fatal(err)
	}
	if marked := "a \x1b[31mwalrus\x1b[0m"; !strings.Contains(out.String(), marked) {
		t.Errorf("%q has no match marked as %q", out.String(), marked)
	}
}

func TestWhatGrepDidNotList_IsSaid(t *testing.T) {
	reply := grepReply()
	reply.Complete = false
	for _, path := range []document.Path{"x/c", "d", "e", "f", "g", "h"} {
		reply.Unsearched = append(reply.Unsearched, contract.GrepUnsearched{Source: "s", Path: path, Reason: contract.GrepDeadline})
	}
	reply.MoreUnsearched = 10
	reply.Degraded = []string{"watcher: it does not answer"}
	var out bytes.Buffer
	if err := render.GrepNotes(&out, terminal.Style{}, render.Places{}, contract.GrepRequest{}, reply); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"degraded: watcher", "and at least 5 more matching lines", "not all is shown of 1 long line", "not searched: s:x/c (the time was up", "16 files were not searched in all"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
}
