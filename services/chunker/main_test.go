package chunker

import (
	"context"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/chunker/internal/merge"
)

// TestMain makes the test binary a parser child when it is started as one.
func TestMain(m *testing.M) {
	cutter.ChildOrReturn()
	os.Exit(m.Run())
}

const testSource document.Source = "src"

// rig is a running service on a real log.
type rig struct {
	t   testing.TB
	bus *bus.Bus
	svc *Service
}

// testConfig is the configuration of every test.
func testConfig() Config {
	return FromConfig(config.Default(), contract.NewBuild(config.Default().Chunker.Cut(), "", contract.Embedding{Embedder: "test-embedder"}))
}

func newRig(t testing.TB, change func(*Config)) *rig {
	t.Helper()
	return newRigOn(t, bustest.New(t), change)
}

func newRigOn(t testing.TB, b *bus.Bus, change func(*Config)) *rig {
	t.Helper()
	cfg := testConfig()
	if change != nil {
		change(&cfg)
	}
	svc, err := New(cfg, Deps{Bus: b})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- svc.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the service ended with %v", err)
		}
	})
	return &rig{t: t, bus: b, svc: svc}
}

// write publishes a version; expect is the version that it replaces.
func (r *rig) write(head contract.FileHead, content string, expect document.Version) document.Version {
	r.t.Helper()
	head.Source, head.Doc, head.Time = testSource, document.DocOf(head.Path), time.Now()
	if head.View == "" {
		head.View = document.Worktree
	}
	if head.Op == contract.OpPut {
		head.Hash, head.Size = document.HashOf([]byte(content)), int64(len(content))
	}
	ack := r.bus.Publish(r.t.Context(), bus.Out{
		Subject: contract.FileSubject(head.Source, head.Doc, head.View), Header: head.Header(),
		Body: []byte(content), Expect: uint64(expect),
	})[0]
	if ack.Err != nil {
		r.t.Fatal(ack.Err)
	}
	return document.Version(ack.Seq)
}

func (r *rig) put(path document.Path, view document.View, content string, expect document.Version) document.Version {
	r.t.Helper()
	return r.write(contract.FileHead{Path: path, View: view, Op: contract.OpPut, Collection: document.CollectionCode}, content, expect)
}

// counted waits for a counter, which is raised a moment after the publish.
func (r *rig) counted(counter func() uint64, want uint64) {
	r.t.Helper()
	for counter() < want {
		runtime.Gosched()
	}
	if n := counter(); n > want {
		r.t.Errorf("counted %d, want %d", n, want)
	}
}

// covered waits until CHUNKS covers a version, and returns its message.
func (r *rig) covered(path document.Path, view document.View, version document.Version) (merge.State, contract.OutputHead) {
	r.t.Helper()
	return r.coveredIn(document.CollectionCode, path, view, version)
}

func (r *rig) coveredIn(collection document.Collection, path document.Path, view document.View, version document.Version) (merge.State, contract.OutputHead) {
	r.t.Helper()
	if view == "" {
		view = document.Worktree
	}
	subject := contract.ChunksSubject(r.svc.cfg.Generation(collection), testSource, document.DocOf(path))
	table := r.bus.Outputs(contract.StreamChunks)
	for seq := uint64(1); ; seq = table.Seen() + 1 {
		heads, err := r.bus.GetLast(r.t.Context(), contract.StreamChunks, subject)
		if err != nil {
			r.t.Fatal(err)
		}
		if m := heads[subject]; m != nil {
			head, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
			if err != nil {
				r.t.Fatal(err)
			}
			if head.Covers.At(view).Version >= version {
				body, err := m.Body(r.t.Context())
				if err != nil {
					r.t.Fatal(err)
				}
				state, err := merge.Decode(m.Header, body)
				if err != nil {
					r.t.Fatal(err)
				}
				return state, head
			}
		}
		if err := table.Wait(r.t.Context(), seq); err != nil {
			r.t.Fatal(err)
		}
	}
}

// ids maps the symbol of each chunk of a content to its id.
func ids(c merge.Content) map[string]document.ChunkID {
	out := map[string]document.ChunkID{}
	for _, chunk := range c.Chunks {
		out[chunk.Symbol] = chunk.ID
	}
	return out
}

// nudges collects the subjects that a stage is nudged with.
func (r *rig) nudges(stage contract.Stage) <-chan string {
	r.t.Helper()
	out := make(chan string, 64)
	sub, err := r.bus.Conn().Subscribe(contract.NudgeSubject(stage), func(m *nats.Msg) { out <- string(m.Data) })
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = sub.Unsubscribe() })
	return out
}
