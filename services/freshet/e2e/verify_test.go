package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// verify compares everything, and returns what differed.
func (r *rig) verify(req contract.VerifyRequest) (differences []contract.Difference, sum contract.VerifySummary) {
	r.t.Helper()
	err := bus.CallStream(r.t.Context(), r.bus.Conn(), contract.SubjectVerify, req, func(p contract.VerifyPart) error {
		if p.Difference != nil {
			differences = append(differences, *p.Difference)
		}
		if p.Summary != nil {
			sum = *p.Summary
		}
		return nil
	})
	if err != nil {
		r.t.Fatalf("verify: %v", err)
	}
	return differences, sum
}

// equal checks that sources, log and stores are equal, and that the counts say
// so.
func (r *rig) equal() contract.VerifySummary {
	r.t.Helper()
	differences, sum := r.verify(contract.VerifyRequest{})
	if len(differences) > 0 || !sum.Equal || sum.Pending > 0 {
		r.t.Errorf("not equal: %+v, %d pending", differences, sum.Pending)
	}
	addUp(r.t, sum)
	return sum
}

// addUp checks the counts of what is equal.
func addUp(t *testing.T, sum contract.VerifySummary) {
	t.Helper()
	for _, s := range sum.Sources {
		if s.NotCompared != "" || s.Documents != s.LogDocuments || s.Skipped != s.LogSkipped {
			t.Errorf("the counts of a source do not add up: %+v", s)
		}
	}
	for _, g := range sum.Generations {
		if g.Chunks != g.Vectors+g.Bare || g.Listed[document.Lexical] != g.Chunks || g.Listed[document.Vector] != g.Vectors ||
			g.Held[document.Lexical] != g.Chunks || g.Held[document.Vector] != g.Vectors {
			t.Errorf("the counts of a generation do not add up: %+v", g)
		}
	}
}

// repaired checks that verify finds exactly the differences wanted, as
// "stage sink what path", without changing anything; that it repairs them; and
// that all is equal then.
func (r *rig) repaired(want ...string) {
	r.t.Helper()
	began := time.Now()
	found, sum := r.verify(contract.VerifyRequest{})
	if sum.Equal && len(want) > 0 {
		r.t.Errorf("equal, although this differs: %v", want)
	}
	r.match(found, want)
	looked := time.Since(began)
	began = time.Now()
	found, sum = r.verify(contract.VerifyRequest{Repair: true})
	took := time.Since(began)
	r.match(found, want)
	for _, d := range found {
		if !d.Repaired {
			r.t.Errorf("not repaired: %+v", d)
		}
	}
	if !sum.Equal || sum.Repaired != len(want) {
		r.t.Errorf("after the repair: %+v", sum)
	}
	r.t.Logf("%d differences found in %s, found and repaired in %s", len(want), looked.Round(time.Millisecond), took.Round(time.Millisecond))
	r.equal()
}

func (r *rig) match(found []contract.Difference, want []string) {
	r.t.Helper()
	left := map[string]int{}
	for _, w := range want {
		left[w]++
	}
	for _, d := range found {
		name := fmt.Sprintf("%s %s %s %s", d.Stage, d.Sink, d.What, d.Path)
		if left[name]--; left[name] < 0 {
			r.t.Errorf("found beyond what differs: %s: %s", name, d.Detail)
		}
	}
	for name, n := range left {
		if n > 0 {
			r.t.Errorf("not found: %d × %s", n, name)
		}
	}
}

func TestEqualStateHasDifferences(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	library(t, root, 30)
	write(t, filepath.Join(root, "notes.md"), "# Notes\n\nA heron stands still.\n")
	write(t, filepath.Join(root, "picture.png"), "\x89PNG\r\n\x1a\n\x00\x00")
	write(t, filepath.Join(root, "odd.txt"), "…\n")
	r := up(t, data, root)
	sum := r.equal()
	if len(sum.Sources) != 1 || sum.Sources[0].Documents != 32 || sum.Sources[0].Skipped != 1 {
		t.Errorf("sources: %+v", sum.Sources)
	}
	documents := 0
	for _, g := range sum.Generations {
		documents += g.Documents
	}
	if documents != 32 {
		t.Errorf("%d documents have passages: %+v", documents, sum.Generations)
	}
	// It changes while it is looked at.
	if err := os.Remove(filepath.Join(root, "notes.md")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "new.md"), "# New\n\nAn egret.\n")
	if found, sum := r.verify(contract.VerifyRequest{}); len(found) > 0 || !sum.Equal {
		t.Errorf("changes on their way are differences: %+v", found)
	}
	r.seen("library", "notes.md", gone)
	r.equal()
	// The status shows the last one.
	st := r.status()
	if st.Verify == nil || !st.Verify.Equal || st.Verify.Started.Before(sum.Started) {
		t.Errorf("status: %+v", st.Verify)
	}
}
