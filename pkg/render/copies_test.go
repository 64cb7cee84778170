package render

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

func TestHitWithManyCopies_CountsThoseNotListed(t *testing.T) {
	h := contract.Hit{Source: "s", Path: "a.go", StartLine: 1, EndLine: 2}
	for _, p := range []document.Path{"b.go", "c.go", "d.go", "e.go"} {
		h.Copies = append(h.Copies, contract.Copy{Source: "s", Path: p, Differs: p == "c.go", StartLine: 7, EndLine: 8})
	}
	var out strings.Builder
	if err := Hits(&out, terminal.Style{}, Places{}, contract.SearchReply{Hits: []contract.Hit{h}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "and 4 copies: s:b.go:7, s:c.go:7 (differs a little), s:d.go:7, 1 more\n") {
		t.Errorf("got %q", out.String())
	}
}
