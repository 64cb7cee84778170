package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// verify compares everything, and returns what differed.
func (r *rig) verify(req contract.VerifyRequest) (differences []contract.Difference, sum contract.VerifySummary) {
	r.t.Helper()
	err := client.Verify.Each(r.t.Context(), r.bus.Conn(), req, func(p contract.VerifyPart) error {
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

// checked waits for the look at the heads at the start: it would make again what
// is gone before anybody asks for it, or be cut off at it by the next stop.
func (r *rig) checked() {
	r.t.Helper()
	for r.counter("indexer", "checks") == 0 {
	}
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

// purge takes the messages of a document from a stream, as nobody of freshet
// would. sink narrows it in INDEXED.
func (r *rig) purge(stream string, path document.Path, sink document.Sink) {
	r.t.Helper()
	r.checked()
	s, err := r.bus.JetStream().Stream(r.t.Context(), stream)
	if err != nil {
		r.t.Fatal(err)
	}
	doc := document.DocOf(path)
	subject := map[string]string{
		contract.StreamFiles:   contract.FileSubject("*", doc, "worktree"),
		contract.StreamChunks:  contract.ChunksSubject("*", "*", doc),
		contract.StreamVectors: contract.VectorsSubject("*", "*", doc),
		contract.StreamIndexed: contract.IndexedSubject("*", sink, "*", doc),
	}[stream]
	before := s.CachedInfo().State.Msgs
	if err := s.Purge(r.t.Context(), jetstream.WithPurgeSubject(subject)); err != nil {
		r.t.Fatal(err)
	}
	after, err := s.Info(r.t.Context())
	if err != nil || after.State.Msgs >= before {
		r.t.Fatalf("nothing was purged of %s: %v", subject, err)
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

func TestEqualState_HasNoDifferences(t *testing.T) {
	t.Parallel()
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

// The command tells scripts by its exit code, and people where to go on.
func TestVerifyCommand_ExitsByWhatItFound(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 6)
	p := start(t, nil, "--data", data, "--nats-port", "0", root)
	r := attach(t, p.url, data)
	run := func(code int, args ...string) (stdout, stderr string) {
		t.Helper()
		cmd := freshetCommand(t, nil, append([]string{"verify", "--nats", r.url()}, args...)...)
		var out, complaints strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &complaints
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != code {
			t.Fatalf("verify %v: %v, want exit code %d\n%s%s", args, err, code, &out, &complaints)
		}
		return out.String(), complaints.String()
	}
	if out, complaints := run(0); !strings.Contains(out, "equal") || complaints != "" {
		t.Errorf("%s%s", out, complaints)
	}
	r.purge(contract.StreamVectors, document.Path("shelf0/"+words[0]+".go"), "")
	if out, complaints := run(1); !strings.Contains(out, "library:shelf0/"+words[0]+".go") || !strings.Contains(complaints, "freshet verify --repair") {
		t.Errorf("%s%s", out, complaints)
	}
	out, _ := run(0, "--json", "--repair", "--source", "library")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var parts []contract.VerifyPart
	for _, line := range lines {
		var part contract.VerifyPart
		if err := json.Unmarshal([]byte(line), &part); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		parts = append(parts, part)
	}
	if len(parts) != 2 || parts[0].Difference == nil || !parts[0].Difference.Repaired || parts[1].Summary == nil || !parts[1].Summary.Equal {
		t.Errorf("%s", out)
	}
	if _, complaints := run(2, "--source", "nobody"); !strings.Contains(complaints, "freshet source list") {
		t.Errorf("%s", complaints)
	}
	r.bus.Close()
	p.stop()
}

// The truth of a bare repository is its branch's tree.
func TestBareRepository_IsCompared(t *testing.T) {
	t.Parallel()
	work, data := folder(t, "work"), t.TempDir()
	git(t, work, "init", "--quiet", "--initial-branch=main")
	write(t, filepath.Join(work, "one.go"), goFile("Albatross"))
	write(t, filepath.Join(work, "two.go"), goFile("Buzzard"))
	git(t, work, "add", ".")
	git(t, work, "commit", "--quiet", "--message=first")
	bare := filepath.Join(folder(t, "served"), "birds.git")
	git(t, work, "clone", "--quiet", "--bare", ".", bare)
	r := up(t, data, bare)
	if sum := r.equal(); sum.Sources[0].View != "main" || sum.Sources[0].Documents != 2 {
		t.Errorf("sources: %+v", sum.Sources)
	}
	r.checked()
	s, err := r.bus.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	subject := contract.FileSubject(sourceOf(r), document.DocOf("two.go"), "main")
	if err := s.Purge(t.Context(), jetstream.WithPurgeSubject(subject)); err != nil {
		t.Fatal(err)
	}
	r.repaired("files  missing two.go")
	r.shows("latest", "Buzzard", string(sourceOf(r))+"/two.go")
	// A document that the tree does not have.
	ghost := contract.FileHead{Op: contract.OpPut, Path: "ghost.go", Hash: document.HashOf([]byte(goFile("Ghost"))), Collection: document.CollectionCode, Size: 1, Time: time.Now()}
	ack := r.bus.Publish(t.Context(), bus.Out{Subject: contract.FileSubject(sourceOf(r), document.DocOf("ghost.go"), "main"), Header: ghost.Header(), Body: []byte(goFile("Ghost"))})[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	r.repaired("files  extra ghost.go")
	r.shows("latest", "Ghost", "")
}

func sourceOf(r *rig) document.Source { return r.ready.Sources[0].Source }
