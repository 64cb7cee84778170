package indexer_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
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
	embedder embed.Embedder
	lexical  store.Lexical
	vector   store.Vector
	version  document.Version
	shown    map[document.Path]document.Version
	stop     func()
}

func deploy(t testing.TB) *deployment {
	d := &deployment{t: t, bus: bustest.New(t), dir: t.TempDir(), version: 1 << 50, shown: map[document.Path]document.Version{}}
	var err error
	if d.embedder, err = open.Embedder(config.Default().Embedder); err != nil {
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
	s, err := indexer.New(config.Default().Indexer, indexer.Deps{Bus: d.bus, Analyzer: analysis.New(), Version: "0.0.1", Unclean: unclean,
		Generations: map[document.Generation]store.Sinks{generation: {Lexical: d.lexical, Vector: d.vector}}})
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
		Covers: contract.Covering(document.Worktree, contract.Cover{Version: d.version, Hash: hash})}
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
			ok = ok && mark.ID == record.Store && found && record.Holds(h.Store, h.Seq) && h.Covers.At(document.Worktree).Version >= d.shown[path]
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

// putBack stops the indexer and goes on with the stores as they were before one
// more edit, of which they know nothing. It returns the ids that the edit made.
func (d *deployment) putBack(path document.Path, born document.Version, passages ...string) []document.ChunkID {
	d.t.Helper()
	d.stop()
	d.close()
	backup := d.t.TempDir()
	if err := os.CopyFS(backup, os.DirFS(d.dir)); err != nil {
		d.t.Fatal(err)
	}
	d.open()
	d.start(false)
	newer := d.show(path, born, passages...)
	d.settled(path)
	d.stop()
	d.close()
	d.dir = backup
	d.open()
	d.start(false)
	return newer
}
