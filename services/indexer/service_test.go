package indexer_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

func TestEdit_LeavesOnlyTheNewestChunksInBothStores(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n", "func beta() {}\n")
	d.settled("a.go")
	second := d.show("a.go", 1, "func beta() {}\n", "func gamma() {}\n")
	d.settled("a.go")
	d.holds(second...)
}

func TestDeletedDocument_LeavesNothingInEitherStore(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n")
	keep := d.show("b.go", 1, "func beta() {}\n")
	d.settled("b.go")
	d.show("a.go", 1)
	d.settled("a.go")
	d.holds(keep...)
}

// A stop follows the last write at once, before the next look at the store.
// The store of another deployment may be further on than this log. What it
// says of itself must not hide later that it went back.
func TestSweep_RemovesWhatIsListedNowhereAndRestoresWhatIsMissing(t *testing.T) {
	d := deploy(t)
	ids := d.show("a.go", 1, "func alpha() {}\n", "func beta() {}\n")
	d.settled("a.go")
	orphan := document.ChunkID{1, 2, 3}
	attrs := store.Attrs{Source: source, Doc: document.DocOf("a.go"), Path: "a.go"}
	if _, err := d.lexical.Apply(t.Context(), store.LexicalBatch{Put: []store.LexicalEntry{{ID: orphan, Attrs: attrs, Tokens: []string{"ghost"}}}, Delete: ids[:1]}); err != nil {
		t.Fatal(err)
	}
	if err := d.lexical.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	r, err := client.Sweep.Ask(t.Context(), d.bus.Conn(), client.None)
	if err != nil {
		t.Fatal(err)
	}
	if r.Removed != 1 || r.Restored != 1 {
		t.Errorf("the sweep removed %d and restored %d, want 1 and 1", r.Removed, r.Restored)
	}
	again, err := client.Sweep.Ask(t.Context(), d.bus.Conn(), client.None)
	if err != nil {
		t.Fatal(err)
	}
	if again.Removed != 0 || again.Restored != 0 {
		t.Errorf("a second sweep removed %d and restored %d", again.Removed, again.Restored)
	}
	d.holds(ids...)
}

func TestRepairReport_RemovesTheOrphanOfThatDocument(t *testing.T) {
	d := deploy(t)
	ids := d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	orphan := document.ChunkID{9}
	attrs := store.Attrs{Source: source, Doc: document.DocOf("a.go"), Path: "a.go"}
	if _, err := d.lexical.Apply(t.Context(), store.LexicalBatch{Put: []store.LexicalEntry{{ID: orphan, Attrs: attrs, Tokens: []string{"ghost"}}}}); err != nil {
		t.Fatal(err)
	}
	if err := d.lexical.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	js, err := json.Marshal(contract.Repair{Generation: generation, Sink: document.Lexical, Source: source, Doc: document.DocOf("a.go"), IDs: []document.ChunkID{orphan}})
	if err != nil {
		t.Fatal(err)
	}
	for len(d.held(d.lexical)) != 1 {
		if t.Context().Err() != nil {
			t.Fatal("the orphan is still there")
		}
		// A report may be lost; queries send it again.
		if err := d.bus.Conn().Publish(contract.SubjectRepair, js); err != nil {
			t.Fatal(err)
		}
		if err := d.bus.Conn().FlushTimeout(time.Minute); err != nil {
			t.Fatal(err)
		}
	}
	d.holds(ids...)
}

// The store loses something while the indexer runs, as a server does that is
// put back to an older copy of its data.
// Two processes share the stores; one of them looks after each, and dies.
// A store is brought forward in several attempts, and a document that it
// lacked is written anew between them: the next attempt leaves it out.
