package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

func TestWipedStore_IsRefilledFromTheLog(t *testing.T) {
	d := deploy(t)
	var want []document.ChunkID
	for i := range 300 {
		want = append(want, d.show(document.Path(fmt.Sprintf("f%d.go", i)), 1, fmt.Sprintf("func f%d() {}\n", i))...)
	}
	d.settled("f299.go")
	d.stop()
	d.close()
	d.dir = t.TempDir() // the stores are gone
	d.open()
	d.start(false)
	for i := range 300 {
		d.settled(document.Path(fmt.Sprintf("f%d.go", i)))
	}
	d.holds(want...)
}

func TestStoreThatWentBack_IsBroughtForwardFromTheLog(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n")
	kept := d.show("b.go", 1, "func beta() {}\n")
	d.settled("a.go")
	d.settled("b.go")
	newer := d.putBack("a.go", 2, "func changed() {}\n")
	d.reaches(append(kept, newer...)...)
	d.holds(append(kept, newer...)...)
}

// What was listed last is purged, so that no message of INDEXED tells how far the store
// has been.
func TestStoreWentBackAndWhatWasListedSinceIsPurged_ItIsKnownAgain(t *testing.T) {
	d := deploy(t)
	kept := d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	before := map[document.Sink]store.Mark{}
	for _, sink := range document.Sinks {
		h, _ := d.bus.Outputs(contract.StreamIndexed).Get(bus.OutputKey{Generation: generation, Sink: sink, Source: source, Doc: document.DocOf("a.go")})
		for before[sink].Position < h.Seq && t.Context().Err() == nil {
			before[sink] = d.marked(sink)
			time.Sleep(10 * time.Millisecond)
		}
	}
	d.show("b.go", 1, "func beta() {}\n")
	d.settled("b.go")
	d.stop()
	gone := func(stream string, sink document.Sink, subject string) {
		k := bus.OutputKey{Generation: generation, Sink: sink, Source: source, Doc: document.DocOf("b.go")}
		if err := bus.PurgesOf(d.bus).Output(t.Context(), stream, k, subject); err != nil {
			t.Fatal(err)
		}
	}
	doc := document.DocOf("b.go")
	gone(contract.StreamChunks, "", contract.ChunksSubject(generation, source, doc))
	gone(contract.StreamVectors, "", contract.VectorsSubject(generation, source, doc))
	for _, sink := range document.Sinks {
		gone(contract.StreamIndexed, sink, contract.IndexedSubject(generation, sink, source, doc))
	}
	for _, sink := range document.Sinks {
		if err := d.store(sink).SetMark(t.Context(), before[sink]); err != nil {
			t.Fatal(err)
		}
	}
	d.start(false)
	for _, sink := range document.Sinks {
		known := d.bus.Records().Get(bus.RecordKey{Generation: generation, Sink: sink})
		if known.Store != before[sink].ID || known.Position <= before[sink].Position {
			t.Fatalf("the %s store was known at %+v, and is at %+v", sink, known, before[sink])
		}
		d.isKnown(sink)
	}
	d.holds(kept...)
}

// The log lost what it ended with, and the store lost more: its record is of sequences
// that are given again.
func TestLogEndsBeforeWhatAStoreWasKnownToHold_ItIsKnownAgain(t *testing.T) {
	d := deploy(t)
	kept := d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	d.stop()
	for _, sink := range document.Sinks {
		err := d.bus.Records().Change(t.Context(), bus.RecordKey{Generation: generation, Sink: sink}, func(r contract.StoreRecord) (contract.StoreRecord, bool) {
			r.Position += 1000
			return r, true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	d.start(false)
	for _, sink := range document.Sinks {
		d.isKnown(sink)
	}
	d.settled("a.go")
	d.holds(kept...)
}

// isKnown waits until a store is as far as the log knows.
func (d *deployment) isKnown(sink document.Sink) {
	d.t.Helper()
	for {
		known, mark := d.bus.Records().Get(bus.RecordKey{Generation: generation, Sink: sink}), d.marked(sink)
		if known.Store == mark.ID && mark.Position >= known.Position {
			return
		}
		if d.t.Context().Err() != nil {
			d.t.Fatalf("the %s store is known at %+v, and stays at %+v", sink, known, mark)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (d *deployment) marked(sink document.Sink) store.Mark {
	d.t.Helper()
	mark, err := d.store(sink).Mark(d.t.Context())
	if err != nil {
		d.t.Fatal(err)
	}
	return mark
}

func TestStoreAfterAStop_KnowsHowFarItIsComplete(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	d.stop()
	for _, sink := range document.Sinks {
		h, _ := d.bus.Outputs(contract.StreamIndexed).Get(bus.OutputKey{Generation: generation, Sink: sink, Source: source, Doc: document.DocOf("a.go")})
		mark, err := d.store(sink).Mark(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if mark.Position < h.Seq {
			t.Errorf("the %s store is complete up to %d and says %d: all behind it would be applied again", sink, h.Seq, mark.Position)
		}
	}
}

func TestStoreThatWasExchanged_IsStillSeenToGoBack(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	d.stop()
	d.close()
	d.dir = t.TempDir()
	d.open()
	for _, sink := range document.Sinks {
		if err := d.store(sink).SetMark(t.Context(), store.Mark{ID: "of-another-" + string(sink), Position: 1 << 40}); err != nil {
			t.Fatal(err)
		}
	}
	d.start(false)
	d.settled("a.go")
	newer := d.putBack("a.go", 2, "func changed() {}\n")
	d.reaches(newer...)
	d.holds(newer...)
}

func TestStoreGoesBackUnderARunningIndexer_IsBroughtForward(t *testing.T) {
	for name, mark := range map[string]func(store.Mark) store.Mark{
		"to an older copy": func(m store.Mark) store.Mark { return store.Mark{ID: m.ID, Position: 0} },
		"to nothing":       func(store.Mark) store.Mark { return store.Mark{} },
		"to another":       func(store.Mark) store.Mark { return store.Mark{ID: "other", Position: 1 << 60} },
	} {
		t.Run(name, func(t *testing.T) {
			d := deploy(t)
			lost := d.show("a.go", 1, "func alpha() {}\n")
			kept := d.show("b.go", 1, "func beta() {}\n")
			d.settled("a.go")
			d.settled("b.go")
			if _, err := d.lexical.Apply(t.Context(), store.LexicalBatch{Delete: lost}); err != nil {
				t.Fatal(err)
			}
			d.noted(document.Lexical)
			now, err := d.lexical.Mark(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := d.lexical.SetMark(t.Context(), mark(now)); err != nil {
				t.Fatal(err)
			}
			want := slices.SortedFunc(slices.Values(append(kept, lost...)), document.ChunkID.Compare)
			for !slices.Equal(d.held(d.lexical), want) {
				if t.Context().Err() != nil {
					t.Fatal("the store was not brought forward")
				}
			}
			d.settled("a.go")
			d.holds(want...)
		})
	}
}

func TestKeeperDies_AnotherLooksAfterTheStore(t *testing.T) {
	d := deploy(t)
	first := d.stop
	d.show("a.go", 1, "func alpha() {}\n")
	d.settled("a.go")
	d.start(false)
	first()
	ids := d.show("b.go", 1, "func beta() {}\n")
	d.settled("b.go")
	d.noted(document.Lexical)
	d.stop()
	if got := len(d.held(d.lexical)); got != 1+len(ids) {
		t.Errorf("the store holds %d chunks, want %d", got, 1+len(ids))
	}
}

// gated is a store whose listings wait for the test's word.
type gated struct {
	store.Lexical
	asked chan chan error
	whole *atomic.Int32 // listings of all that the store holds
}

func (g gated) IDs(ctx context.Context, in store.Scope) iter.Seq2[store.Ref, error] {
	if in == (store.Scope{}) {
		g.whole.Add(1)
	}
	word := make(chan error)
	select {
	case g.asked <- word:
	case <-ctx.Done():
		return failing(ctx.Err())
	}
	if err := <-word; err != nil {
		return failing(err)
	}
	return g.Lexical.IDs(ctx, in)
}

func failing(err error) iter.Seq2[store.Ref, error] {
	return func(yield func(store.Ref, error) bool) { yield(store.Ref{}, err) }
}

func TestRefill_BringsBackWhatIsListedInOneSweep(t *testing.T) {
	d := deploy(t)
	before := d.show("a.go", 1, "func alpha() {}\n")
	kept := d.show("b.go", 1, "func beta() {}\n")
	d.settled("a.go")
	d.settled("b.go")
	d.stop()
	embedded := d.lexical
	if _, err := embedded.Apply(t.Context(), store.LexicalBatch{Delete: slices.Concat(before, kept)}); err != nil {
		t.Fatal(err)
	}
	if err := embedded.SetMark(t.Context(), store.Mark{}); err != nil {
		t.Fatal(err)
	}
	gate := gated{Lexical: embedded, asked: make(chan chan error), whole: new(atomic.Int32)}
	d.lexical = gate
	d.start(false)
	first := <-gate.asked // both documents are to be brought back
	ids := d.show("a.go", 2, "func alpha() { again() }\n")
	d.settled("a.go")
	first <- errors.New("the server is away")
	second := <-gate.asked // a.go needs it no more
	second <- errors.New("the server is away")
	done := make(chan struct{})
	go func() {
		defer close(done)
		for word := range gate.asked {
			word <- nil
		}
	}()
	d.settled("b.go")
	d.noted(document.Lexical) // which follows the sweep
	d.lexical = embedded
	d.holds(append(ids, kept...)...)
	close(gate.asked)
	<-done
	if n := gate.whole.Load(); n != 1 {
		t.Errorf("the whole store was listed %d times, for one sweep", n)
	}
}
