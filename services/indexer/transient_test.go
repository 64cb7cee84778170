package indexer

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"syscall"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

const testGeneration = document.Generation("code-test")

// troubled is a store in trouble: as a whole, or with the passages of a path.
type troubled struct {
	store.Lexical
	whole, refresh error
	items          map[document.Path]error
}

func (s *troubled) Apply(ctx context.Context, batch store.LexicalBatch) (store.Result, error) {
	if s.whole != nil {
		return store.Result{}, s.whole
	}
	result, err := s.Lexical.Apply(ctx, batch)
	for i := range result.Put {
		if own := s.items[batch.Put[i].Attrs.Path]; own != nil {
			result.Put[i] = own
		}
	}
	return result, err
}

func (s *troubled) Refresh(ctx context.Context) error {
	if s.refresh != nil {
		return s.refresh
	}
	return s.Lexical.Refresh(ctx)
}

func passage(t *testing.T, b *bus.Bus, path document.Path) *bus.Msg {
	t.Helper()
	text := "a text of " + string(path)
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

// lexicalSide returns a side on a store in trouble that the log knows.
func lexicalSide(t *testing.T, b *bus.Bus, s *troubled) *side[store.LexicalEntry] {
	t.Helper()
	opened, err := postings.Open(t.TempDir(), postings.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Lexical = opened
	service, err := New(config.Default().Indexer, Deps{Bus: b, Analyzer: analysis.New(), Generations: map[document.Generation]store.Sinks{testGeneration: {Lexical: s}}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Outputs(contract.StreamIndexed).Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := b.Records().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return service.sides[0].(*side[store.LexicalEntry])
}

var (
	errBusy = document.Errorf(document.RateLimited, "the store has status 429")
	errAway = &url.Error{Op: "Post", URL: "http://store", Err: syscall.ECONNREFUSED}
	errLate = fmt.Errorf("write: %w", context.DeadlineExceeded)
	errFull = fmt.Errorf("write: %w", syscall.ENOSPC)
	errSick = document.Errorf(document.Unavailable, "the store has status 503")
	errKey  = document.Errorf(document.Forbidden, "the key may not write")
)

// A store's trouble that passes by may not count against a document, and no
// document's trouble against its neighbours.
func TestPassingTroubleOfTheStore_DoesNotCountAgainstADocument(t *testing.T) {
	b := bustest.New(t)
	for i, trouble := range []error{errBusy, errAway, errLate, errFull, errSick, errKey, errors.New("the store is damaged")} {
		for j, s := range []*troubled{{whole: trouble}, {refresh: trouble}} {
			side := lexicalSide(t, b, s)
			m := passage(t, b, document.Path(fmt.Sprintf("trouble%d-%d.go", i, j)))
			if err := side.handle(t.Context(), []*bus.Msg{m})[0]; err == nil || !bus.Passing(err) {
				t.Errorf("the store as a whole: %v passes by: %v", err, bus.Passing(err))
			}
		}
	}
	items := map[document.Path]error{
		"busy.go": errBusy, "away.go": errAway, "late.go": errLate, "sick.go": errSick,
		"poison.go": document.Errorf(document.InvalidRequest, "a token is too long"),
		"odd.go":    errors.New("the store refuses it"),
	}
	own := map[document.Path]bool{"poison.go": true, "odd.go": true}
	side := lexicalSide(t, b, &troubled{items: items})
	paths, msgs := []document.Path{"fine.go"}, []*bus.Msg{passage(t, b, "fine.go")}
	for path := range items {
		paths, msgs = append(paths, path), append(msgs, passage(t, b, path))
	}
	for i, err := range side.handle(t.Context(), msgs) {
		switch path := paths[i]; {
		case path == "fine.go":
			if err != nil {
				t.Errorf("a neighbour failed: %v", err)
			}
		case err == nil || bus.Passing(err) == own[path]:
			t.Errorf("%s: %v passes by: %v", path, err, bus.Passing(err))
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
	side := lexicalSide(t, away, &troubled{})
	m := passage(t, b, "a.go")
	away.Conn().Close()
	if err := side.handle(t.Context(), []*bus.Msg{m})[0]; err == nil || !bus.Passing(err) {
		t.Errorf("%v passes by: %v", err, bus.Passing(err))
	}
}
