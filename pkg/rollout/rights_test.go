package rollout

import (
	"context"
	"log/slog"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// warnings hears what is logged at warning and above.
type warnings struct {
	mu   sync.Mutex
	said []string
}

func (*warnings) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }
func (w *warnings) WithAttrs([]slog.Attr) slog.Handler             { return w }
func (w *warnings) WithGroup(string) slog.Handler                  { return w }
func (w *warnings) Handle(_ context.Context, r slog.Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	w.said = append(w.said, text)
	return nil
}

// Each service does its part of a switch with the rights of its own user of the
// shipped server, and nobody else's.
func TestSwitch_NeedsNoRightBeyondTheShippedOnes(t *testing.T) {
	t.Parallel()
	said := &warnings{}
	log := slog.New(said)
	remote := bustest.Shipped(t)
	connect := func(user string) *bus.Bus {
		t.Helper()
		b, err := remote(user).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	if err := bus.EnsureStreams(t.Context(), connect("watcher")); err != nil {
		t.Fatal(err)
	}
	before := Configured(config.Default(), func(document.Collection) embed.Space { return embed.Space{Identity: "model", Dims: 4} })
	now := before
	now.Target++

	// What was there before: passages, and the note that they are to go.
	chunker, indexer, query := connect("chunker"), connect("indexer"), connect("query")
	first := &Process{Name: "query", Bus: query, Log: slog.New(slog.DiscardHandler), Build: before, Names: true}
	if _, _, err := first.compare(t.Context()); err != nil {
		t.Fatal(err)
	}
	head := contract.OutputHead{Generation: before.Generations()[0], Source: "s", Doc: "d", Path: "a.go"}
	ack := chunker.Publish(t.Context(), bus.Out{Subject: head.Subject(contract.StreamChunks), Header: head.Header(), Body: []byte("{}")})[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	if err := indexer.Outputs(contract.StreamChunks).Wait(t.Context(), ack.Seq); err != nil {
		t.Fatal(err)
	}
	if _, err := bus.GenerationsOf(indexer).SupersededSince(t.Context(), head.Generation); err != nil {
		t.Fatal(err)
	}

	process := func(name string, b *bus.Bus) *Process {
		bus.Configure(b, now)
		return &Process{Name: name, Bus: b, Log: log, Build: now, Names: name == "query"}
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var running sync.WaitGroup
	defer running.Wait()
	defer end()
	run := func(do func() error) {
		running.Go(func() {
			if err := do(); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		})
	}
	// Those that make a build: none waits, and each tells which it is.
	for _, name := range []string{"chunker", "embedder"} {
		p := process(name, connect(name))
		if err := p.settle(t.Context()); err != nil {
			t.Error(err)
		}
		if serving, former, err := p.compare(t.Context()); err != nil || former == nil || serving.Build != before.ID() {
			t.Errorf("the %s sees %+v, %v, %v", name, serving, former, err)
		}
		run(func() error {
			return bus.ServeReport(ctx, p.Bus, func() contract.Report { return contract.Report{Service: name} })
		})
	}
	if noted, err := bus.BuildsOf(connect("embedder")).All(t.Context()); err != nil || len(noted) == 0 {
		t.Errorf("the embedder sees %v, %v", noted, err)
	}
	said.mu.Lock()
	said.said = nil // which said what differs
	said.mu.Unlock()

	switches := process("query", query)
	run(func() error { return switches.Switch(ctx, func(context.Context) error { return nil }) })
	attends := process("indexer", indexer)
	run(func() error {
		return attends.Reclaim(ctx, &Reclaimer{Bus: indexer, Log: log, Keep: now}, Quiet/30)
	})

	gone := make(chan struct{}) // out of the memory of another process
	defer chunker.Outputs(contract.StreamChunks).Observe(func(_ bus.OutputKey, old, now contract.OutputHead) {
		if old.Seq > 0 && now.Seq == 0 {
			close(gone)
		}
	})()
	following, named := context.WithCancel(t.Context())
	bus.BuildsOf(query).FollowServing(following, func(s bus.Serving) {
		if s.Build == now.ID() {
			named()
		}
	})
	select {
	case <-gone:
	case <-t.Context().Done():
		t.Fatal("what was there before stays")
	}
	for {
		left, err := bus.GenerationsOf(indexer).AllSuperseded(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, noted, err := bus.BuildsOf(query).Get(t.Context(), before.ID()); err != nil || len(left) == 0 && !noted {
			break
		}
		if !pause(t.Context(), settleEvery) {
			t.Fatalf("%v is noted still", left)
		}
	}
	said.mu.Lock()
	defer said.mu.Unlock()
	for _, text := range said.said {
		t.Error(text)
	}
}
