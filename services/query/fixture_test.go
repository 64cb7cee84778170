package query

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

const generation document.Generation = "code-0a1b2c3d"

// rig is a pipeline whose stages move only when the test says so: put and
// remove write FILES, cut does the chunker's work on a path, index that of an
// indexer. Log, stores, analyzer and model are the real ones.
type rig struct {
	testing.TB
	bus      *bus.Bus
	lexical  *broken[store.Lexical]
	vector   *broken[store.Vector]
	analyzer *analysis.Analyzer
	model    embed.Embedder
	cfg      Config
	identity string // of the embedder that the index was built with
	svc      *Service

	mu      sync.Mutex
	sources []contract.SourceInfo
}

// broken is a store that the test can take down.
type broken[S store.Store] struct {
	store.Store
	mu   sync.Mutex
	real S
	down error
	then func()                // runs after a search
	once func()                // runs before words are counted, the first time
	hold func(context.Context) // runs within a search for a vector
}

func (b *broken[S]) fail(down error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.down = down
}

func (b *broken[S]) state() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.down
}

type brokenLexical struct{ *broken[store.Lexical] }

func (b brokenLexical) Apply(ctx context.Context, batch store.LexicalBatch) (store.Result, error) {
	return b.real.Apply(ctx, batch)
}

func (b brokenLexical) Search(ctx context.Context, terms []store.Term, filter store.Filter, k int) ([]store.Hit, error) {
	if err := b.state(); err != nil {
		return nil, err
	}
	hits, err := b.real.Search(ctx, terms, filter, k)
	if b.then != nil {
		b.then()
	}
	return hits, err
}

func (b brokenLexical) Counts(ctx context.Context, tokens []string) (store.Counts, error) {
	if err := b.state(); err != nil {
		return store.Counts{}, err
	}
	if once := b.once; once != nil {
		b.once = nil
		once()
	}
	return b.real.Counts(ctx, tokens)
}

func (b brokenLexical) Beginning(ctx context.Context, prefix string, limit int) ([]string, error) {
	if err := b.state(); err != nil {
		return nil, err
	}
	return b.real.Beginning(ctx, prefix, limit)
}

type brokenVector struct{ *broken[store.Vector] }

func (b brokenVector) Apply(ctx context.Context, batch store.VectorBatch) (store.Result, error) {
	return b.real.Apply(ctx, batch)
}

func (b brokenVector) Search(ctx context.Context, query embed.Vector, filter store.Filter, k int) ([]store.Hit, error) {
	if err := b.state(); err != nil {
		return nil, err
	}
	if b.hold != nil {
		b.hold(ctx)
	}
	return b.real.Search(ctx, query, filter, k)
}

// testConfig is the default one, without corrected words: a test finds what it
// asks for.
func testConfig() Config {
	cfg := FromConfig(config.Default())
	cfg.Version, cfg.Spelling = "0.1.0", 0
	cfg.EmbedDeadline = time.Minute // however busy the machine is
	return cfg
}

// newRig starts the query service with a watcher that watches the source "s".
// Options change it before that.
func newRig(t testing.TB, options ...func(*rig)) *rig {
	t.Helper()
	r := &rig{TB: t, bus: bustest.New(t), analyzer: analysis.New(), cfg: testConfig()}
	r.sources = []contract.SourceInfo{{Source: "s", Kind: contract.SourceFolder, View: document.Worktree, Watched: true}}
	var err error
	if r.model, err = open.Embedder(config.Default().Embedder); err != nil {
		t.Fatal(err)
	}
	lexical, err := postings.Open(t.TempDir(), postings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	vector, err := flat.Open(t.TempDir(), r.model.Dims(), flat.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := lexical.Close(); err != nil {
			t.Error(err)
		}
		if err := vector.Close(); err != nil {
			t.Error(err)
		}
	})
	r.lexical = &broken[store.Lexical]{Store: lexical, real: lexical}
	r.vector = &broken[store.Vector]{Store: vector, real: vector}
	for _, sink := range document.Sinks {
		r.mark(sink, store.Mark{ID: string(sink) + "-1"})
		r.know(sink, contract.StoreRecord{Lineage: contract.Lineage{Store: string(sink) + "-1"}})
	}
	r.identity = r.model.Identity()
	for _, o := range options {
		o(r)
	}
	svc, err := New(r.cfg, Deps{
		Bus: r.bus, Analyzer: r.analyzer, Embedder: r.identity,
		Stores: map[document.Generation]store.Sinks{generation: {Lexical: brokenLexical{r.lexical}, Vector: brokenVector{r.vector}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.svc = svc
	r.serveControl(t)
	r.start(svc.Run)
	r.awaitService()
	return r
}

func (r *rig) store(sink document.Sink) store.Store {
	if sink == document.Vector {
		return r.vector
	}
	return r.lexical
}

// mark writes what a store says of itself.
func (r *rig) mark(sink document.Sink, m store.Mark) {
	r.Helper()
	if err := r.store(sink).SetMark(context.Background(), m); err != nil {
		r.Fatal(err)
	}
}

// know writes what the log says of a store, as the indexer does.
func (r *rig) know(sink document.Sink, record contract.StoreRecord) {
	r.Helper()
	key := bus.RecordKey{Generation: generation, Sink: sink}
	err := r.bus.Records().Change(context.Background(), key, func(contract.StoreRecord) (contract.StoreRecord, bool) { return record, true })
	if err != nil {
		r.Fatal(err)
	}
}

// storeID is that of the store that the log knows.
func (r *rig) storeID(sink document.Sink) string {
	return r.bus.Records().Get(bus.RecordKey{Generation: generation, Sink: sink}).Store
}

// start runs a service until the test ends, and waits for its end.
func (r *rig) start(run func(context.Context) error) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	r.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			r.Errorf("the service ended with %v", err)
		}
	})
}

// serveControl answers for the embedder and the watcher.
func (r *rig) serveControl(t testing.TB) {
	svc, err := rpc.NewService(r.bus, "control", "embedder and watcher of a test", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = svc.Stop() })
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "embed", Subject: contract.SubjectEmbed}, r.embed)
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "sources", Subject: contract.SubjectSourcesList},
			func(context.Context, struct{}) (contract.SourceList, error) {
				return contract.SourceList{Sources: r.watching()}, nil
			})
	}
	if err != nil {
		t.Fatal(err)
	}
	r.start(func(ctx context.Context) error {
		return bus.ServeReport(ctx, r.bus, func() contract.Report {
			return contract.Report{Service: "watcher", Instance: "w", Sources: r.watching()}
		})
	})
}

func (r *rig) watching() []contract.SourceInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]contract.SourceInfo(nil), r.sources...)
}

func (r *rig) embed(ctx context.Context, in contract.EmbedRequest) (contract.EmbedReply, error) {
	if strings.Contains(in.Text, "sleepy") {
		<-ctx.Done() // an embedder that never answers
		return contract.EmbedReply{}, ctx.Err()
	}
	v, err := r.model.EmbedQuery(ctx, in.Text)
	if err != nil {
		return contract.EmbedReply{}, err
	}
	data := make([]byte, len(v.Data))
	for i, x := range v.Data {
		data[i] = byte(x)
	}
	return contract.EmbedReply{Identity: r.model.Identity(), Dims: r.model.Dims(), Scale: v.Scale, Data: data}, nil
}

// awaitService waits until the service answers on the last endpoint that it
// registers, and knows what there is: no keeper looks after the stores here, so
// what is listed before the service has looked at them counts as lost.
func (r *rig) awaitService() {
	r.Helper()
	for {
		_, err := client.PurgeFeedback.Ask(r.Context(), r.bus.Conn(), client.None)
		if err == nil {
			break
		}
		if document.KindOf(err) != document.Unavailable || r.Context().Err() != nil {
			r.Fatal(err)
		}
	}
	if err := r.svc.Ready(r.Context()); err != nil {
		r.Fatal(err)
	}
}

// head reads a head of FILES from the log.
func (r *rig) last(stream, subject string) *bus.Msg {
	r.Helper()
	m, err := r.bus.GetLast(r.Context(), stream, subject)
	if err != nil {
		r.Fatal(err)
	}
	return m[subject]
}

func (r *rig) publish(out bus.Out) uint64 {
	r.Helper()
	ack := r.bus.Publish(r.Context(), out)[0]
	if ack.Err != nil {
		r.Fatal(ack.Err)
	}
	return ack.Seq
}

func seqOf(m *bus.Msg) uint64 {
	if m == nil {
		return 0
	}
	return m.Seq
}

// at names a document: "path", "source:path" or "source:path@view".
func at(name string) (document.Source, document.Path, document.View) {
	source, path, ok := strings.Cut(name, ":")
	if !ok {
		source, path = "s", name
	}
	path, view, ok := strings.Cut(path, "@")
	if !ok {
		view = string(document.Worktree)
	}
	return document.Source(source), document.Path(path), document.View(view)
}

func (r *rig) file(name string, op contract.Op, text string) document.Token {
	r.Helper()
	source, path, view := at(name)
	head := contract.FileHead{Path: path, Op: op, Size: int64(len(text)), Collection: document.CollectionCode, Time: time.Now(), Live: true}
	var body []byte
	if op == contract.OpPut {
		head.Hash = document.HashOf([]byte(text))
		body = []byte(text)
	}
	subject := contract.FileSubject(source, document.DocOf(path), view)
	seq := r.publish(bus.Out{Subject: subject, Header: head.Header(), Body: body, Expect: seqOf(r.last(contract.StreamFiles, subject))})
	token, err := r.bus.Tokens().Of(r.Context(), seq)
	if err != nil {
		r.Fatal(err)
	}
	return token
}

// write publishes a version and returns its token; remove publishes its end.
func (r *rig) write(name, text string) document.Token { return r.file(name, contract.OpPut, text) }
func (r *rig) remove(name string) document.Token      { return r.file(name, contract.OpDelete, "") }

// settle brings documents through all stages.
func (r *rig) settle(names ...string) {
	r.Helper()
	for _, n := range names {
		r.cut(n)
		r.index(n, document.Lexical)
		r.index(n, document.Vector)
	}
}

// stored writes a document and settles it.
func (r *rig) stored(name, text string) document.Token {
	r.Helper()
	t := r.write(name, text)
	r.settle(name)
	return t
}

// patient asks with a deadline that is meant to pass. Where it is too short for a
// busy machine to say anything at all, it is doubled.
func patient[Rep any](ms int, ask func(ms int) (Rep, error)) (Rep, error) {
	for {
		reply, err := ask(ms)
		if ms <= 0 || ms > 30_000 || document.KindOf(err) != document.Deadline {
			return reply, err
		}
		ms *= 2
	}
}

func (r *rig) search(in contract.SearchRequest) contract.SearchReply {
	r.Helper()
	reply, err := patient(in.DeadlineMS, func(ms int) (contract.SearchReply, error) {
		in.DeadlineMS = ms
		return r.ask(in)
	})
	if err != nil {
		r.Fatal(err)
	}
	return reply
}

func (r *rig) ask(in contract.SearchRequest) (contract.SearchReply, error) {
	return client.Search.Ask(r.Context(), r.bus.Conn(), in)
}

func (r *rig) raw(body string) *nats.Msg {
	r.Helper()
	m, err := r.bus.Conn().RequestWithContext(r.Context(), contract.SubjectSearch, []byte(body))
	if err != nil {
		r.Fatal(err)
	}
	return m
}

// texts joins everything that an answer shows.
func texts(reply contract.SearchReply) string {
	var b bytes.Buffer
	for _, h := range reply.Hits {
		b.WriteString(string(h.Path) + ": " + h.Text + "\n")
	}
	return b.String()
}
