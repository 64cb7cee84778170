package bus_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestPurgedHead_IsFoundGoneByAnAudit(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var last uint64
	for i := range 20 {
		last = put(t, b, document.Path(fmt.Sprintf("%d.go", i)), "one", 0)
	}
	kept := put(t, b, "0.go", "two", firstOf(t, b, "0.go"))
	if err := b.Files().Wait(t.Context(), kept); err != nil {
		t.Fatal(err)
	}
	if gone, err := bus.AuditOf(b).Files(t.Context()); err != nil || len(gone) != 0 {
		t.Fatalf("nothing was purged: %v, %v", gone, err)
	}
	s, err := b.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	key := keyOf("19.go")
	subject := contract.FileSubject(key.Source, key.Doc, key.View)
	if err := s.Purge(t.Context(), jetstream.WithPurgeSubject(subject)); err != nil {
		t.Fatal(err)
	}
	if _, ok := b.Files().Get(key); !ok {
		t.Fatal("the table knows of the purge by itself")
	}
	gone, err := bus.AuditOf(b).Files(t.Context())
	if err != nil || len(gone) != 1 || uint64(gone[0].Version) != last {
		t.Errorf("gone: %v, %v", gone, err)
	}
	if _, ok := b.Files().Get(key); ok {
		t.Error("the table still has it")
	}
	if m, err := b.LeaderLast(t.Context(), contract.StreamFiles, subject); m != nil || err != nil {
		t.Errorf("the leader: %v, %v", m, err)
	}
	// All of it.
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	if gone, err := bus.AuditOf(b).Files(t.Context()); err != nil || len(gone) != 19 {
		t.Errorf("gone: %d, %v", len(gone), err)
	}
	// The server is asked to remove them and nobody waits for it; by itself it would
	// come to that much later.
	asked, again := time.After(10*time.Second), time.NewTicker(10*time.Millisecond)
	defer again.Stop()
	for n := consumersOf(t, s); n > 1; n = consumersOf(t, s) {
		select {
		case <-again.C:
		case <-asked:
			t.Fatalf("%d consumers are left, the table has one", n)
		}
	}
}

func consumersOf(t *testing.T, s jetstream.Stream) (n int) {
	t.Helper()
	for range s.ConsumerNames(t.Context()).Name() {
		n++
	}
	return n
}

func keyOf(path document.Path) bus.FileKey {
	return bus.FileKey{Source: "s", Doc: document.DocOf(path), View: document.Worktree}
}

func firstOf(t *testing.T, b *bus.Bus, path document.Path) uint64 {
	t.Helper()
	k := keyOf(path)
	m, err := b.LeaderLast(t.Context(), contract.StreamFiles, contract.FileSubject(k.Source, k.Doc, k.View))
	if err != nil || m == nil {
		t.Fatal(m, err)
	}
	return m.Seq
}
