package render

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func TestHit_LeadsToItsLine(t *testing.T) {
	places := Places{Folder: "/home/me/src", Sources: []contract.SourceInfo{
		{Source: "here", Kind: contract.SourceFolder, Root: "/home/me/src/here"}, {Source: "bare", Kind: contract.SourceBare, Root: "/srv/bare.git"},
	}}
	reply := contract.SearchReply{Hits: []contract.Hit{{Source: "here", Path: "a.go", StartLine: 3, EndLine: 9, Line: 7}, {Source: "bare", Path: "b.go", StartLine: 1, EndLine: 2}}}
	var linked, plain strings.Builder
	if err := Hits(&linked, terminal.Linked(), places, reply); err != nil {
		t.Fatal(err)
	}
	if err := Hits(&plain, terminal.Style{}, places, reply); err != nil {
		t.Fatal(err)
	}
	if got := linked.String(); strings.Count(got, "\x1b]8;;file://") != 1 || !strings.Contains(got, "/home/me/src/here/a.go#7\x1b\\") {
		t.Errorf("got %q", got)
	}
	if strings.Contains(plain.String(), "\x1b") {
		t.Errorf("no terminal, and %q", plain.String())
	}
}
