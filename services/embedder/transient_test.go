package embedder

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

const testGeneration = document.Generation("code-test")

// troubled fails for texts that name a trouble.
type troubled struct {
	embed.Embedder
	troubles map[string]error
}

func (e troubled) EmbedDocuments(ctx context.Context, texts []string) ([]embed.Vector, []error) {
	vectors, errs := e.Embedder.EmbedDocuments(ctx, texts)
	for i, text := range texts {
		for name, err := range e.troubles {
			if strings.Contains(text, name) {
				errs[i] = err
			}
		}
	}
	return vectors, errs
}

// passage publishes CHUNKS of a document with one passage, and returns the
// message.
func passage(t *testing.T, b *bus.Bus, path document.Path, text string) *bus.Msg {
	t.Helper()
	hash := document.HashOf([]byte(text))
	head := contract.OutputHead{Generation: testGeneration, Source: "s", Doc: document.DocOf(path), Path: path, Count: 1,
		Covers: contract.Covering(document.Worktree, contract.Cover{Version: 5, Hash: hash})}
	header := head.Header()
	body, err := contract.JoinBody(header, contract.ChunksBody{Path: path, Collection: document.CollectionCode, Contents: []document.Content{{
		Hash: hash, Size: len(text), Chunks: []document.Chunk{{ID: document.NewChunkID("s", path, hash, 0, 5), Born: 5, Digest: hash,
			Span: document.Span{EndByte: len(text), StartLine: 1, EndLine: 1}}}}}}, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	ack := b.Publish(t.Context(), bus.Out{Subject: head.Subject(contract.StreamChunks), Header: header, Body: body})[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	m, err := b.Get(t.Context(), contract.StreamChunks, ack.Seq)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func service(t *testing.T, b *bus.Bus, troubles map[string]error) *Service {
	t.Helper()
	e, err := open.Embedder(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Embedder: config.Default().Embedder, Generations: []document.Generation{testGeneration}}, Deps{Bus: b, Embedders: open.Alike(troubled{e, troubles})})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Outputs(contract.StreamVectors).Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// An embedder's trouble that passes by may not count against a document, and
// no document's trouble against its neighbours.
func TestPassingTroubleOfTheEmbedder_DoesNotCountAgainstADocument(t *testing.T) {
	b := bustest.New(t)
	troubles := map[string]error{
		"503":      document.Errorf(document.Unavailable, "the embedder has status 503"),
		"429":      document.Errorf(document.RateLimited, "the embedder has status 429"),
		"revoked":  document.Errorf(document.Unauthorized, "the key is not known"),
		"late":     fmt.Errorf("embed: %w", context.DeadlineExceeded),
		"stopped":  fmt.Errorf("embed: %w", context.Canceled),
		"refusing": &url.Error{Op: "Post", URL: "http://embedder", Err: syscall.ECONNREFUSED},
		"full":     fmt.Errorf("write the cache: %w", syscall.ENOSPC),
		"poison":   errors.New("the text cannot be embedded"),
		"too-long": document.Errorf(document.TooLarge, "the text has too many tokens"),
	}
	own := map[string]bool{"poison": true, "too-long": true}
	s := service(t, b, troubles)
	msgs, names := []*bus.Msg{passage(t, b, "fine.go", "a calm text")}, []string{"fine"}
	for name := range troubles {
		msgs, names = append(msgs, passage(t, b, document.Path(name+".go"), "a text of "+name)), append(names, name)
	}
	for i, err := range s.makers[0].handle(t.Context(), msgs) {
		switch {
		case names[i] == "fine":
			if err != nil {
				t.Errorf("a neighbour failed: %v", err)
			}
		case err == nil || bus.Passing(err) == own[names[i]]:
			t.Errorf("%s: %v passes by: %v", names[i], err, bus.Passing(err))
		}
	}
}

func TestAbsentLog_DoesNotCountAgainstADocument(t *testing.T) {
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	away, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer away.Close()
	s := service(t, away, nil)
	m := passage(t, b, "a.go", "a calm text")
	away.Conn().Close()
	if err := s.makers[0].handle(t.Context(), []*bus.Msg{m})[0]; err == nil || !bus.Passing(err) {
		t.Errorf("%v passes by: %v", err, bus.Passing(err))
	}
}

// Vectors that cannot be read are made again, and harm no neighbour.
func TestUnreadableVectors_AreMadeAgainAndHarmNoNeighbour(t *testing.T) {
	b := bustest.New(t)
	s := service(t, b, nil)
	good, bad := passage(t, b, "good.go", "a calm text"), passage(t, b, "bad.go", "another text")
	head := contract.OutputHead{Generation: testGeneration, Source: "s", Doc: document.DocOf("bad.go"), Path: "bad.go",
		Covers: contract.Covering(document.Worktree, contract.Cover{Version: 4, Hash: document.HashOf(nil)})}
	header := head.Header()
	header.Set(contract.HeaderMeta, "7")
	ack := b.Publish(t.Context(), bus.Out{Subject: head.Subject(contract.StreamVectors), Header: header, Body: []byte("no JSON at all"), Raw: true})[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	if err := b.Outputs(contract.StreamVectors).Wait(t.Context(), ack.Seq); err != nil {
		t.Fatal(err)
	}
	for i, err := range s.makers[0].handle(t.Context(), []*bus.Msg{good, bad}) {
		if err != nil {
			t.Errorf("document %d: %v", i, err)
		}
	}
}
