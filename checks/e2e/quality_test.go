package e2e

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/quality"
)

// The published tasks name files relative to the repository, of which only a
// folder is indexed.
func TestPublishedTask_IsScoredForItsOwnPath(t *testing.T) {
	t.Setenv(asProgram, "1")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	repo := folder(t, "marsh")
	git(t, repo, "init", "--quiet")
	write(t, filepath.Join(repo, "src", "heron.go"), goFile("Heron"))
	write(t, filepath.Join(repo, "src", "deep", "ibis.go"), goFile("Ibis"))
	write(t, filepath.Join(repo, "heron.go"), goFile("Heron"))
	git(t, repo, "add", "--all")
	git(t, repo, "commit", "--quiet", "--message", "Birds")
	revision := strings.TrimSpace(git(t, repo, "rev-parse", "HEAD"))

	bench := t.TempDir()
	write(t, filepath.Join(bench, "repos-dev.json"), fmt.Sprintf(`[{"name":"marsh","url":%q,"revision":%q,"root":"src","language":"go","tasks":3}]`, repo, revision))
	write(t, filepath.Join(bench, "tasks-dev.jsonl"), `{"id":"1","repo":"marsh","query":"Heron","category":"symbol","n":1,"relevant":["src/heron.go"],"language":"go","root":"src","complete":true}
{"id":"2","repo":"marsh","query":"Ibis","category":"symbol","n":2,"relevant":["src/deep/ibis.go"],"language":"go","root":"src","complete":false}
{"id":"3","repo":"marsh","query":"Heron of the marsh","category":"semantic","n":1,"relevant":["src/gone.go"],"language":"go","root":"src","complete":true}
`)
	scratch := t.TempDir()
	r, err := quality.Run(t.Context(), quality.Config{
		Binary: self, Bench: bench, Repos: t.TempDir(), Scratch: scratch, Names: []string{"all"}, Way: eval.OverChunks,
	}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	rows := r.Report.Rows
	// Of the second task one of two targets is known.
	if all := rows[0]; all.Tasks != 3 || all.Figure(eval.Hit1).Value != 2./3 || all.Figure(eval.Recall).Value != .5 || rows[1].Name != "semantic" {
		t.Errorf("%+v", rows)
	}
	if m := r.Report.Misses; len(m) != 1 || m[0].ID != "3" || m[0].Stage != eval.LostIndex || r.Report.Indexing.Documents != 2 || !r.Report.Latency.Fresh {
		t.Errorf("%+v", r.Report)
	}
	for i, name := range []string{"BM25 alone", "vectors alone", "both, fused"} {
		if a := r.Report.Arms[i]; a.Name != name || a.Rows[0].Tasks != 3 {
			t.Errorf("%+v", a)
		}
	}
	if err := r.Check(.1); err == nil || !strings.Contains(err.Error(), "no more than") {
		t.Errorf("every arm finds the same, and the whole passes as better: %v", err)
	}
	if left, err := os.ReadDir(scratch); err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}
