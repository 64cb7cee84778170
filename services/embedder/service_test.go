package embedder_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/embedder"
)

const (
	generation = document.Generation("code-test")
	source     = document.Source("s")
	path       = document.Path("pkg/a.go")
)

func start(t *testing.T) (*bus.Bus, embed.Embedder) {
	t.Helper()
	return startWith(t, config.Default().Embedder, func(e embed.Embedder) embed.Embedder { return e })
}

// startWith starts the service with an embedder that is made of the configured one.
func startWith(t *testing.T, cfg config.Embedder, as func(embed.Embedder) embed.Embedder) (*bus.Bus, embed.Embedder) {
	t.Helper()
	b := bustest.New(t)
	opened, err := open.Embedder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	e := as(opened)
	s, err := embedder.New(embedder.Config{Embedder: cfg, Generations: []document.Generation{generation}}, embedder.Deps{Bus: b, Embedders: open.Alike(e), Version: "0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("embedder: %v", err)
		}
	})
	return b, e
}

// chunks publishes a CHUNKS message at a version and returns its ids.
func chunks(t *testing.T, b *bus.Bus, version document.Version, passages ...string) []document.ChunkID {
	t.Helper()
	text := strings.Join(passages, "")
	content := document.Content{Hash: document.HashOf([]byte(text)), Language: "go", Size: len(text), Chunks: []document.Chunk{}}
	var ids []document.ChunkID
	at := 0
	for _, p := range passages {
		digest := document.HashOf([]byte(p))
		id := document.NewChunkID(source, path, digest, 0, 1)
		ids = append(ids, id)
		content.Chunks = append(content.Chunks, document.Chunk{ID: id, Born: 1, Digest: digest,
			Span: document.Span{StartByte: at, EndByte: at + len(p), StartLine: 1, EndLine: 1, Kind: document.KindFunction}})
		at += len(p)
	}
	head := contract.OutputHead{Generation: generation, Source: source, Doc: document.DocOf(path), Path: path, Count: len(ids),
		Covers: contract.Covering(document.Worktree, contract.Cover{Version: version, Hash: content.Hash})}
	subject := head.Subject(contract.StreamChunks)
	last, err := b.GetLast(t.Context(), contract.StreamChunks, subject)
	if err != nil {
		t.Fatal(err)
	}
	var expect uint64
	if m := last[subject]; m != nil {
		expect = m.Seq
	}
	header := head.Header()
	body, err := contract.JoinBody(header, contract.ChunksBody{Path: path, Collection: document.CollectionCode, Contents: []document.Content{content}}, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if ack := b.Publish(t.Context(), bus.Out{Subject: subject, Header: header, Body: body, Expect: expect})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	return ids
}

// vectors waits for the VECTORS message that covers a version.
func vectors(t *testing.T, b *bus.Bus, version document.Version) contract.VectorsBody {
	t.Helper()
	table := b.Outputs(contract.StreamVectors)
	changed := make(chan struct{}, 1)
	cancel := table.Observe(func(bus.OutputKey, contract.OutputHead, contract.OutputHead) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer cancel()
	key := bus.OutputKey{Generation: generation, Source: source, Doc: document.DocOf(path)}
	for {
		if h, ok := table.Get(key); ok && h.Covers.At(document.Worktree).Version >= version {
			m, err := b.Get(t.Context(), contract.StreamVectors, h.Seq)
			if err != nil {
				t.Fatal(err)
			}
			raw, err := m.Body(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var body contract.VectorsBody
			blob, err := contract.SplitBody(m.Header, raw, &body)
			if err != nil {
				t.Fatal(err)
			}
			if len(blob) != len(body.IDs)*body.Dims || len(body.Attrs) != len(body.IDs) || len(body.Scales) != len(body.IDs) {
				t.Fatalf("%d ids, %d attributes, %d scales, %d bytes", len(body.IDs), len(body.Attrs), len(body.Scales), len(blob))
			}
			return body
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("no vectors came")
		}
	}
}

func counter(t *testing.T, b *bus.Bus, name string) uint64 {
	t.Helper()
	rep, err := rpc.Call[struct{}, contract.Report](t.Context(), b.Conn(), contract.SubjectReport, struct{}{})
	if err != nil {
		t.Fatal(err)
	}
	return rep.Counters[name]
}

func TestEdit_EmbedsOnlyTheNewPassage(t *testing.T) {
	b, _ := start(t)
	chunks(t, b, 10, "func one() {}\n", "func two() {}\n")
	vectors(t, b, 10)
	ids := chunks(t, b, 11, "func one() {}\n", "func three() {}\n")
	body := vectors(t, b, 11)
	if len(body.IDs) != 2 || body.IDs[0] != ids[0] || body.IDs[1] != ids[1] {
		t.Fatalf("ids %v, want %v", body.IDs, ids)
	}
	// The counters are raised after the publish that vectors waits for.
	for counter(t, b, "documents") < 2 {
	}
	if n := counter(t, b, "embedded"); n != 3 {
		t.Errorf("%d passages were embedded, want 3", n)
	}
}

func TestDeletedDocument_IsCoveredWithoutVectors(t *testing.T) {
	b, _ := start(t)
	chunks(t, b, 10, "func one() {}\n")
	vectors(t, b, 10)
	chunks(t, b, 11)
	if body := vectors(t, b, 11); len(body.IDs) != 0 {
		t.Fatalf("%d vectors of a deleted document", len(body.IDs))
	}
}

func TestQueryForAnotherIdentity_IsRefused(t *testing.T) {
	b, e := start(t)
	chunks(t, b, 10, "func one() {}\n")
	vectors(t, b, 10) // the service is up
	rep, err := client.Embed.Ask(t.Context(), b.Conn(), contract.EmbedRequest{Text: "open a file", Identity: e.Identity()})
	if err != nil {
		t.Fatal(err)
	}
	want, err := e.EmbedQuery(t.Context(), "open a file")
	if err != nil {
		t.Fatal(err)
	}
	if rep.Dims != e.Dims() || fmt.Sprint(rep.Data) != fmt.Sprint(want.Bytes()) || rep.Scale != want.Scale {
		t.Error("the vector changed on its way")
	}
	_, err = client.Embed.Ask(t.Context(), b.Conn(), contract.EmbedRequest{Text: "x", Identity: "another"})
	if document.KindOf(err) != document.IdentityMismatch {
		t.Errorf("got %v, want identity_mismatch", err)
	}
}

// The text behind the passages of a document is cut off. Somebody is told to make
// it again, and the embedder lives to see that.
func TestPassagesWithoutTheirText_AreMadeAgain(t *testing.T) {
	b, _ := start(t)
	told, err := b.Conn().SubscribeSync(contract.SubjectUnread)
	if err != nil {
		t.Fatal(err)
	}
	text := "func heron() {}\n"
	content := document.Content{Hash: document.HashOf([]byte(text)), Language: "go", Size: len(text), Chunks: []document.Chunk{{
		ID: document.NewChunkID(source, path, "d", 0, 1), Born: 1, Span: document.Span{EndByte: len(text), StartLine: 1, EndLine: 1, Kind: document.KindFunction}}}}
	head := contract.OutputHead{Generation: generation, Source: source, Doc: document.DocOf(path), Path: path, Count: 1,
		Covers: contract.Covering(document.Worktree, contract.Cover{Version: 1, Hash: content.Hash})}
	header := head.Header()
	body, err := contract.JoinBody(header, contract.ChunksBody{Path: path, Collection: document.CollectionCode, Contents: []document.Content{content}}, []byte(text[:5]))
	if err != nil {
		t.Fatal(err)
	}
	if ack := b.Publish(t.Context(), bus.Out{Subject: head.Subject(contract.StreamChunks), Header: header, Body: body})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	if _, err := told.NextMsgWithContext(t.Context()); err != nil {
		t.Fatalf("nobody is told: %v", err)
	}
	ids := chunks(t, b, 2, "func heron() {}\n")
	if got := vectors(t, b, 2); len(got.IDs) != len(ids) {
		t.Errorf("%d vectors of %d passages", len(got.IDs), len(ids))
	}
}

// unhurried takes its time for each text.
type unhurried struct {
	embed.Embedder
	time time.Duration
}

func (u unhurried) AtOnce() int { return 1 }

func (u unhurried) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	select {
	case <-time.After(time.Duration(len(texts)) * u.time):
	case <-ctx.Done():
	}
	return u.Embedder.EmbedDocuments(ctx, texts)
}

// The passages of one document take three leases.
func TestDocumentThatTakesLongerThanItsLease_IsDone(t *testing.T) {
	cfg := config.Default().Embedder
	cfg.Lease = time.Second
	b, _ := startWith(t, cfg, func(e embed.Embedder) embed.Embedder { return unhurried{e, cfg.Lease / 2} })
	ids := chunks(t, b, 1, "one ", "two ", "three ", "four ", "five ", "six ")
	if got := vectors(t, b, 1); len(got.IDs) != len(ids) {
		t.Errorf("%d of %d passages have vectors", len(got.IDs), len(ids))
	}
}
