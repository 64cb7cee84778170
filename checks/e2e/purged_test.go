package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// carried is what the log and the head tables of this process hold.
type carried map[string][2]int // by stream: messages, heads

func (r *rig) carried() carried {
	r.t.Helper()
	out := carried{}
	for _, stream := range contract.Streams[:4] {
		s, err := r.bus.JetStream().Stream(r.t.Context(), stream)
		if err != nil {
			r.t.Fatal(err)
		}
		heads := r.bus.Files().Len()
		if stream != contract.StreamFiles {
			heads = r.bus.Outputs(stream).Len()
		}
		out[stream] = [2]int{int(s.CachedInfo().State.Msgs), heads}
	}
	return out
}

// follow has this process follow every head table.
func (r *rig) follow() {
	r.t.Helper()
	wait := []func() error{func() error { return r.bus.Files().Ready(r.t.Context()) }}
	for _, stream := range contract.Streams[1:4] {
		wait = append(wait, func() error { return r.bus.Outputs(stream).Ready(r.t.Context()) })
	}
	for _, ready := range wait {
		if err := ready(); err != nil {
			r.t.Fatal(err)
		}
	}
}

// litter writes some hundred files that say what round they are of.
func litter(t *testing.T, root string, round int) (paths []string) {
	t.Helper()
	for i := range 300 {
		path := filepath.Join(root, fmt.Sprintf("r%d", round), fmt.Sprintf("f%03d.go", i))
		write(t, path, fmt.Sprintf("package r%d\n\n// F%d says hello in round %d.\nfunc F%d() {}\n", round, i, round, i))
		paths = append(paths, path)
	}
	return paths
}

// What was made and deleted over and over leaves nothing: log and head tables
// are those of a fresh index of the files that are there.
func TestDeletedFiles_LeaveNoMessagesAndHeads(t *testing.T) {
	root := folder(t, "churned")
	write(t, filepath.Join(root, "kept.go"), "package kept\n\n// Stays is here to stay.\nfunc Stays() {}\n")
	fresh := up(t, t.TempDir(), root)
	fresh.follow()
	want := fresh.carried()
	fresh.stop()

	r := up(t, t.TempDir(), root)
	r.follow()
	var last string
	most := 0
	for round := range 10 {
		litter(t, root, round)
		r.look(root)
		if err := os.RemoveAll(filepath.Join(root, fmt.Sprintf("r%d", round))); err != nil {
			t.Fatal(err)
		}
		last = r.look(root).String()
		most = max(most, r.bus.Files().Len())
	}
	// A token that covers deletions is answered while they are purged, and after.
	if got := found(r.find("says hello in round", last), "round"); len(got) != 0 {
		t.Errorf("deleted files are found: %v", got)
	}
	for got := r.carried(); fmt.Sprint(got) != fmt.Sprint(want); got = r.carried() {
		select {
		case <-time.After(50 * time.Millisecond):
		case <-t.Context().Done():
			t.Fatalf("log and tables hold %v, a fresh index %v", got, want)
		}
	}
	t.Logf("3,000 paths came and went, at most %d were known at once", most)
	if got := found(r.find("here to stay", last), "stay"); len(got) != 1 {
		t.Errorf("with a token of purged deletions, the file that stayed is found as %v", got)
	}
	if differences, s := r.verify(contract.VerifyRequest{}); !s.Equal || len(differences) != 0 || s.Pending != 0 {
		t.Errorf("after the purge sources, log and stores are not equal: %+v, %+v", differences, s)
	}
	gone := filepath.Join(root, "r3", "f007.go")
	x := ask[contract.ExplainFile, contract.FileExplanation](t, r.bus, contract.SubjectExplainFile, contract.ExplainFile{Path: gone})
	if x.Verdict != contract.VerdictMissing {
		t.Errorf("a purged path is explained as %s: %s", x.Verdict, x.Summary)
	}

	// A path that comes back is a new document.
	write(t, gone, "package r3\n\n// Back says hello again.\nfunc Back() {}\n")
	if got := found(r.find("says hello again", r.look(root).String()), "Back"); len(got) != 1 {
		t.Errorf("a purged path that came back is found as %v", got)
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
