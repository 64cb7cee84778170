package keyword

import (
	"fmt"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
)

func choose(query string, limit int, paths ...string) (out []string) {
	words := cover.New(query, analysis.New(), func(string) float64 { return 1 })
	for _, h := range Choose(words, limit, func(each func(*contract.FileHead)) {
		for _, p := range paths {
			h := contract.FileHead{Path: document.Path(p), Op: contract.OpPut}
			if p[0] == '!' {
				h.Path, h.Op = h.Path[1:], contract.OpDelete
			}
			each(&h)
		}
	}) {
		out = append(out, string(h.Path))
	}
	return out
}

func TestCommonWordOfPaths_DoesNotDecide(t *testing.T) {
	var paths []string
	for i := range 50 {
		paths = append(paths, fmt.Sprintf("server/http/file%d.go", i))
	}
	paths = append(paths, "server/tls/session_ticket.go", "!server/tls/ticket.go", "docs/%25percent/ticket%0Akeys.md")
	got := choose("where does the http server rotate session ticket keys", 3, paths...)
	want := []string{"server/tls/session_ticket.go", "docs/%25percent/ticket%0Akeys.md", "server/http/file0.go"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := choose("kangaroo", 3, paths...); got != nil {
		t.Errorf("%v for a word that no path has", got)
	}
}
