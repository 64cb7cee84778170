package indexer_test

import (
	"encoding/json"
	"runtime"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
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

// What a query had to meet first is counted apart from what the purge told itself.
func TestReportOfAnOrphan_ItIsRemovedAndCountedByWhoToldIt(t *testing.T) {
	d := deploy(t)
	ids := d.show("a.go", 1, "func alpha() {}\n")
	ids = append(ids, d.show("b.go", 1, "func beta() {}\n")...)
	d.settled("b.go")
	for path, report := range map[document.Path]contract.Repair{"a.go": {IDs: []document.ChunkID{{9}}}, "b.go": {Purged: true}} {
		d.orphan(path, document.ChunkID{9})
		report.Generation, report.Sink, report.Source, report.Doc = generation, document.Lexical, source, document.DocOf(path)
		js, err := json.Marshal(report)
		if err != nil {
			t.Fatal(err)
		}
		for len(d.held(d.lexical)) != len(ids) {
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
	}
	for met, purged := uint64(0), uint64(0); met != 1 || purged != 1; {
		r, err := rpc.Call[struct{}, contract.Report](t.Context(), d.bus.Conn(), contract.SubjectReport, struct{}{})
		if err != nil {
			t.Fatal(err)
		}
		met, purged = r.Counters["lexical_swept"], r.Counters["lexical_purged"]
		if met > 1 || purged > 1 {
			t.Fatalf("%d were met and %d purged, want 1 and 1", met, purged)
		}
		runtime.Gosched() // it is counted behind the removal
	}
	d.holds(ids...)
}

// orphan puts a passage of a document into the lexical store that nobody lists.
func (d *deployment) orphan(path document.Path, id document.ChunkID) {
	d.t.Helper()
	attrs := store.Attrs{Source: source, Doc: document.DocOf(path), Path: path}
	if _, err := d.lexical.Apply(d.t.Context(), store.LexicalBatch{Put: []store.LexicalEntry{{ID: id, Attrs: attrs, Tokens: []string{"ghost"}}}}); err != nil {
		d.t.Fatal(err)
	}
	if err := d.lexical.Refresh(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
}
