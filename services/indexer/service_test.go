package indexer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
	"github.com/freshet-dev/freshet/services/indexer"
)

const (
	generation = document.Generation("code-test")
	source     = document.Source("s")
)

// deployment is a log with both embedded stores and an indexer.
type deployment struct {
	t        testing.TB
	bus      *bus.Bus
	dir      string
	embedder *static.Embedder
	lexical  store.Lexical
	vector   store.Vector
	version  document.Version
	shown    map[document.Path]document.Version
	stop     func()
}

func deploy(t testing.TB) *deployment {
	d := &deployment{t: t, bus: bustest.New(t), dir: t.TempDir(), version: 1 << 50, shown: map[document.Path]document.Version{}}
	var err error
	if d.embedder, err = static.New(); err != nil {
		t.Fatal(err)
	}
	d.open()
	d.start(false)
	t.Cleanup(func() { d.stop(); d.close() })
	return d
}

func (d *deployment) open() {
	var err error
	if d.lexical, err = postings.Open(d.dir+"/lexical", postings.Options{}); err != nil {
		d.t.Fatal(err)
	}
	if d.vector, err = flat.Open(d.dir+"/vector", d.embedder.Dims(), flat.Options{}); err != nil {
		d.t.Fatal(err)
	}
}

func (d *deployment) close() {
	if err := errors.Join(d.lexical.Close(), d.vector.Close()); err != nil {
		d.t.Error(err)
	}
}

func (d *deployment) start(unclean bool) {
	s, err := indexer.New(indexer.Config{}, indexer.Deps{Bus: d.bus, Analyzer: analysis.New(), Version: "0.0.1", Unclean: unclean,
		Generations: map[document.Generation]indexer.Stores{generation: {Lexical: d.lexical, Vector: d.vector}}})
	if err != nil {
		d.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	stopped := false
	d.stop = func() {
		if !stopped {
			stopped = true
			cancel()
			if err := <-done; err != nil {
				d.t.Errorf("indexer: %v", err)
			}
		}
	}
}

// show publishes CHUNKS and VECTORS for a document whose passages are given;
// born tells apart passages of equal text. It returns the ids.
func (d *deployment) show(path document.Path, born document.Version, passages ...string) []document.ChunkID {
	d.t.Helper()
	d.version++
	d.shown[path] = d.version
	text := strings.Join(passages, "")
	var chunks []document.Chunk
	var ids []document.ChunkID
	at := 0
	for i, p := range passages {
		span := document.Span{StartByte: at, EndByte: at + len(p), StartLine: i + 1, EndLine: i + 1, Kind: document.KindFunction, Symbol: fmt.Sprint("f", i)}
		at += len(p)
		digest := document.HashOf([]byte(p))
		id := document.NewChunkID(source, path, digest, 0, born)
		ids = append(ids, id)
		chunks = append(chunks, document.Chunk{ID: id, Born: born, Digest: digest, Span: span})
	}
	hash := document.HashOf([]byte(text))
	head := contract.OutputHead{Generation: generation, Source: source, Doc: document.DocOf(path), Path: path, Count: len(chunks),
		Covers: contract.Covers{document.Worktree: {Version: d.version, Hash: hash}}}
	body := contract.ChunksBody{Path: path, Collection: document.CollectionCode, Contents: []document.Content{{Hash: hash, Language: "go", Chunks: chunks, Size: len(text)}}}
	d.publish(contract.StreamChunks, head, body, []byte(text))

	vectors := contract.VectorsBody{Path: path, Model: d.embedder.Identity(), Dims: d.embedder.Dims(), IDs: []document.ChunkID{}, Scales: []float32{}, Attrs: []contract.ChunkAttrs{}}
	var blob []byte
	for i, p := range passages {
		v, err := d.embedder.EmbedQuery(d.t.Context(), embed.Compose(path, &chunks[i].Span, []byte(p)))
		if err != nil {
			d.t.Fatal(err)
		}
		vectors.IDs = append(vectors.IDs, ids[i])
		vectors.Scales = append(vectors.Scales, v.Scale)
		vectors.Attrs = append(vectors.Attrs, contract.ChunkAttrs{Language: "go", Kind: chunks[i].Kind, Symbol: chunks[i].Symbol})
		blob = append(blob, v.Bytes()...)
	}
	d.publish(contract.StreamVectors, head, vectors, blob)
	return ids
}

func (d *deployment) publish(stream string, head contract.OutputHead, body any, blob []byte) {
	d.t.Helper()
	subject := head.Subject(stream)
	last, err := d.bus.GetLast(d.t.Context(), stream, subject)
	if err != nil {
		d.t.Fatal(err)
	}
	var expect uint64
	if m := last[subject]; m != nil {
		expect = m.Seq
	}
	header := head.Header()
	raw, err := contract.JoinBody(header, body, blob)
	if err != nil {
		d.t.Fatal(err)
	}
	if ack := d.bus.Publish(d.t.Context(), bus.Out{Subject: subject, Header: header, Body: raw, Expect: expect})[0]; ack.Err != nil {
		d.t.Fatal(ack.Err)
	}
}

// settled waits until INDEXED of both sinks covers the newest version.
func (d *deployment) settled(path document.Path) {
	d.t.Helper()
	table := d.bus.Outputs(contract.StreamIndexed)
	changed := make(chan struct{}, 1)
	cancel := table.Observe(func(bus.OutputKey, contract.OutputHead, contract.OutputHead) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer cancel()
	for {
		ok := true
		for _, sink := range document.Sinks {
			record := d.bus.Records().Get(bus.RecordKey{Generation: generation, Sink: sink})
			mark, err := d.store(sink).Mark(d.t.Context())
			if err != nil {
				d.t.Fatal(err)
			}
			h, found := table.Get(bus.OutputKey{Generation: generation, Sink: sink, Source: source, Doc: document.DocOf(path)})
			ok = ok && mark.ID == record.Store && found && record.Holds(h.Store, h.Seq) && h.Covers[document.Worktree].Version >= d.shown[path]
		}
		if ok {
			return
		}
		select {
		case <-changed:
		case <-d.t.Context().Done():
			d.t.Fatal("the test ended before the document was settled")
		}
	}
}

// noted waits until the log knows that the store of a sink is complete up to
// the newest message of INDEXED.
func (d *deployment) noted(sink document.Sink) {
	d.t.Helper()
	var last uint64
	d.bus.Outputs(contract.StreamIndexed).Range(func(k bus.OutputKey, h contract.OutputHead) bool {
		if k.Sink == sink {
			last = max(last, h.Seq)
		}
		return true
	})
	moved := make(chan struct{}, 1)
	defer d.bus.Records().Observe(func(bus.RecordKey, contract.StoreRecord, contract.StoreRecord) {
		select {
		case moved <- struct{}{}:
		default:
		}
	})()
	for d.bus.Records().Get(bus.RecordKey{Generation: generation, Sink: sink}).Position < last {
		select {
		case <-moved:
		case <-d.t.Context().Done():
			d.t.Fatal("nobody notes how far the store is complete")
		}
	}
}

func (d *deployment) store(sink document.Sink) store.Store {
	if sink == document.Vector {
		return d.vector
	}
	return d.lexical
}

func (d *deployment) held(s store.Store) []document.ChunkID {
	d.t.Helper()
	if err := s.Refresh(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	var ids []document.ChunkID
	for ref, err := range s.IDs(d.t.Context(), store.Scope{}) {
		if err != nil {
			d.t.Fatal(err)
		}
		ids = append(ids, ref.ID)
	}
	slices.SortFunc(ids, document.ChunkID.Compare)
	return ids
}

// holds checks that both stores hold exactly these chunks. Deletes follow the
// publish, so it first lets the indexer stop, which finishes them.
func (d *deployment) holds(want ...document.ChunkID) {
	d.t.Helper()
	d.stop()
	want = slices.Clone(want)
	slices.SortFunc(want, document.ChunkID.Compare)
	for name, s := range map[string]store.Store{"lexical": d.lexical, "vector": d.vector} {
		if got := d.held(s); !slices.Equal(got, want) {
			d.t.Errorf("the %s store holds %d chunks, want %d: %v …, want %v …", name, len(got), len(want), got[:min(3, len(got))], want[:min(3, len(want))])
		}
	}
}

// reaches waits until both stores hold exactly these chunks.
func (d *deployment) reaches(want ...document.ChunkID) {
	d.t.Helper()
	want = slices.SortedFunc(slices.Values(want), document.ChunkID.Compare)
	for !slices.Equal(d.held(d.lexical), want) || !slices.Equal(d.held(d.vector), want) {
		if d.t.Context().Err() != nil {
			d.t.Fatal("the stores were not brought forward")
		}
	}
}

func TestEditLeavesOnlyTheNewestChunksInBothStores(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n", "func beta() {}\n")
	d.settled("a.go")
	second := d.show("a.go", 1, "func beta() {}\n", "func gamma() {}\n")
	d.settled("a.go")
	d.holds(second...)
}

func TestDeletedDocumentLeavesNothingInEitherStore(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n")
	keep := d.show("b.go", 1, "func beta() {}\n")
	d.settled("b.go")
	d.show("a.go", 1)
	d.settled("a.go")
	d.holds(keep...)
}

func TestWipedStoreIsRefilledFromTheLog(t *testing.T) {
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

func TestStoreThatWentBackIsBroughtForwardFromTheLog(t *testing.T) {
	d := deploy(t)
	d.show("a.go", 1, "func alpha() {}\n")
	kept := d.show("b.go", 1, "func beta() {}\n")
	d.settled("a.go")
	d.settled("b.go")
	d.stop()
	d.close()
	backup := t.TempDir()
	if err := os.CopyFS(backup, os.DirFS(d.dir)); err != nil {
		t.Fatal(err)
	}
	d.open()
	d.start(false)
	newer := d.show("a.go", 2, "func changed() {}\n")
	d.settled("a.go")
	d.stop()
	d.close()
	d.dir = backup // the stores know nothing of the edit, and what it replaced
	d.open()
	d.start(false)
	d.reaches(append(kept, newer...)...)
	d.holds(append(kept, newer...)...)
}

// A stop follows the last write at once, before the next look at the store.
func TestStoreDoesNotKnowAfterAStopHowFarItIsComplete(t *testing.T) {
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

// The store of another deployment may be further on than this log. What it
// says of itself must not hide later that it went back.
func TestStoreThatWasExchangedHidesThatItGoesBack(t *testing.T) {
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
	d.stop()
	d.close()
	backup := t.TempDir()
	if err := os.CopyFS(backup, os.DirFS(d.dir)); err != nil {
		t.Fatal(err)
	}
	d.open()
	d.start(false)
	newer := d.show("a.go", 2, "func changed() {}\n")
	d.settled("a.go")
	d.stop()
	d.close()
	d.dir = backup
	d.open()
	d.start(false)
	d.reaches(newer...)
	d.holds(newer...)
}

func TestSweepRemovesWhatIsListedNowhereAndRestoresWhatIsMissing(t *testing.T) {
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
	r, err := bus.Call[struct{}, contract.SweepReply](t.Context(), d.bus.Conn(), contract.SubjectSweep, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Removed != 1 || r.Restored != 1 {
		t.Errorf("the sweep removed %d and restored %d, want 1 and 1", r.Removed, r.Restored)
	}
	again, err := bus.Call[struct{}, contract.SweepReply](t.Context(), d.bus.Conn(), contract.SubjectSweep, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	if again.Removed != 0 || again.Restored != 0 {
		t.Errorf("a second sweep removed %d and restored %d", again.Removed, again.Restored)
	}
	d.holds(ids...)
}

func TestRepairReportRemovesTheOrphanOfThatDocument(t *testing.T) {
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
func TestStoreThatGoesBackUnderARunningIndexerStaysBehind(t *testing.T) {
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

// Two processes share the stores; one of them looks after each, and dies.
func TestStoreIsNotLookedAfterWhenItsKeeperDies(t *testing.T) {
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

// A store is brought forward in several attempts, and a document that it
// lacked is written anew between them: the next attempt leaves it out.
func TestRefillLooksForWhatNeverWasADocument(t *testing.T) {
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
