package rollout

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// deployment is a log with several processes on it.
type deployment struct {
	*testing.T
	server *embedded.Server
	bus    *bus.Bus
	now    contract.Build // configured, and what answers are made of
	before contract.Build
}

func newDeployment(t *testing.T) *deployment {
	t.Helper()
	server, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	now := Configured(config.Default(), func(document.Collection) embed.Space { return embed.Space{Identity: "model", Dims: 4} })
	before := now
	before.Target++
	d := &deployment{t, server, b, now, before}
	if _, err := bus.BuildsOf(b).Serve(t.Context(), bus.Serving{}, now.ID()); err != nil {
		t.Fatal(err)
	}
	return d
}

// connect is another process.
func (d *deployment) connect() *bus.Bus {
	d.Helper()
	b, err := d.server.Connect(d.Context())
	if err != nil {
		d.Fatal(err)
	}
	d.Cleanup(b.Close)
	return b
}

func (d *deployment) reclaimer(b *bus.Bus) *Reclaimer {
	return &Reclaimer{Bus: b, Log: slog.New(slog.NewTextHandler(d.Output(), nil)), Keep: d.now}
}

func (d *deployment) publish(subject string, head interface {
	Header() nats.Header
}) uint64 {
	d.Helper()
	ack := d.bus.Publish(d.Context(), bus.Out{Subject: subject, Header: head.Header(), Body: []byte("{}")})[0]
	if ack.Err != nil {
		d.Fatal(ack.Err)
	}
	return ack.Seq
}

// Whoever removes a build is killed after the log has nothing of it, and before it
// could say so. The processes that have its heads in memory would keep them for as
// long as they run, and nothing that is deleted would be purged.
func TestRemovalThatIsCutOff_IsStillToldToAll(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	g := d.before.Generation(document.Collections[0])
	head := contract.OutputHead{Generation: g, Source: "s", Doc: "d", Path: "a.go"}
	last := d.publish(head.Subject(contract.StreamChunks), head)
	table := d.bus.Outputs(contract.StreamChunks)
	if err := table.Wait(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	gone := make(chan struct{})
	defer table.Observe(func(k bus.OutputKey, old, now contract.OutputHead) {
		if k.Generation == g && old.Seq > 0 && now.Seq == 0 {
			close(gone)
		}
	})()

	killed := d.connect()
	if _, err := bus.GenerationsOf(killed).SupersededSince(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	s, err := killed.JetStream().Stream(t.Context(), contract.StreamChunks)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	killed.Close()

	next := d.connect() // which has never seen the build
	if removed, _ := d.reclaimer(next).Reclaim(t.Context()); !removed {
		t.Fatal("nothing is removed")
	}
	select {
	case <-gone:
	case <-t.Context().Done():
		t.Fatal("the heads stay")
	}
	if left, err := bus.GenerationsOf(next).AllSuperseded(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("%v are noted: %v", left, err)
	}
}

// All that a build was begun with has failed: there are letters of it and nothing
// else. They would stay for ever, and their documents with them.
func TestBuildOfFailuresAlone_IsRemoved(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	var last uint64
	for _, of := range []contract.Build{d.before, d.now} {
		letter := contract.DeadHead{Stage: contract.StageChunker, Source: "s", Doc: "d", Build: of.ID(), Path: "a.go", Attempts: 1, Reason: "no"}
		last = d.publish(contract.DeadSubject(letter.Stage, letter.Source, letter.Doc, of.ID()), letter)
	}
	if err := d.bus.Dead().Wait(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	r := d.reclaimer(d.bus)
	if removed, _ := r.Reclaim(t.Context()); !removed {
		t.Error("nothing is removed")
	}
	if removed, _ := r.Reclaim(t.Context()); removed {
		t.Error("it is removed again and again")
	}
	var left []contract.BuildID
	if _, err := bus.AuditOf(d.bus).Dead(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.bus.Dead().Range(func(k bus.DeadKey, _ contract.DeadHead) bool {
		left = append(left, k.Build)
		return true
	})
	if len(left) != 1 || left[0] != d.now.ID() {
		t.Errorf("letters are left of %v", left)
	}
}

// A build was to be removed, and the log has nothing of it any more. A process that
// makes it again waits for the note to go, which somebody has to see.
func TestNoteOfABuildThatLeftNothing_GoesSoThatItIsMadeAgain(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	if _, err := bus.GenerationsOf(d.bus).SupersededSince(t.Context(), d.before.Generation(document.Collections[0])); err != nil {
		t.Fatal(err)
	}
	p := &Process{Name: "chunker", Bus: d.connect(), Log: slog.New(slog.DiscardHandler), Build: d.before}
	bus.Configure(p.Bus, p.Build)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	settled := make(chan error, 1)
	go func() { settled <- p.settle(ctx) }()

	answers := &Process{Name: "indexer", Bus: d.bus, Log: p.Log, Build: d.now}
	attending := make(chan error, 1)
	go func() { attending <- answers.Reclaim(ctx, d.reclaimer(d.bus), Quiet) }()
	select {
	case err := <-settled:
		if err != nil {
			t.Error(err)
		}
	case <-t.Context().Done():
		t.Error("it waits for ever")
	}
	end()
	if err := <-attending; err != nil {
		t.Error(err)
	}
}

// A version of freshet has another analyzer than the one before it, and all else of the
// build is the same: what servers hold of the former words is in nobody's list.
func TestAnalyzerOfAFormerVersion_ItsStoresAreDroppedOnceUnused(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	earlier := d.now
	earlier.Analyzer = "earlier words"
	for _, b := range []contract.Build{earlier, d.now} {
		if err := bus.BuildsOf(d.bus).Note(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	var dropped []string
	r := d.reclaimer(d.bus)
	r.DropTokens = func(_ context.Context, b contract.Build, g []document.Generation) error {
		if b.ID() != d.now.ID() || !slices.Equal(g, d.now.Generations()) {
			t.Errorf("stores of %s are dropped: %v", b.ID(), g)
		}
		dropped = append(dropped, b.Analyzer)
		return nil
	}
	at := []string{earlier.Analyzer}
	r.InUse = func(context.Context) (InUse, error) { return InUse{Analyzers: at}, nil }
	if removed, _ := r.Reclaim(t.Context()); removed || len(dropped) > 0 {
		t.Errorf("while a process works with it: removed %t, %q", removed, dropped)
	}
	at = nil
	r.Grace = time.Hour
	if removed, again := r.Reclaim(t.Context()); removed || len(dropped) > 0 || again <= 0 || again > time.Hour {
		t.Errorf("within the grace: removed %t, %q, again after %s", removed, dropped, again)
	}
	r.Grace = 0
	if removed, _ := r.Reclaim(t.Context()); !removed || !slices.Equal(dropped, []string{earlier.Analyzer}) {
		t.Errorf("removed %t, %q", removed, dropped)
	}
	if removed, _ := r.Reclaim(t.Context()); removed || len(dropped) > 1 {
		t.Errorf("it is dropped again: %q", dropped)
	}
}

// Whoever goes back to the version before has its words in use again.
func TestAnalyzerThatIsConfiguredAgain_ItsStoresStay(t *testing.T) {
	t.Parallel()
	d := newDeployment(t)
	later := d.now
	later.Analyzer = "later words"
	for _, b := range []contract.Build{d.now, later, d.now} {
		if err := bus.BuildsOf(d.bus).Note(t.Context(), b); err != nil {
			t.Fatal(err)
		}
	}
	var dropped []string
	r := d.reclaimer(d.bus)
	r.DropTokens = func(_ context.Context, b contract.Build, _ []document.Generation) error {
		dropped = append(dropped, b.Analyzer)
		return nil
	}
	r.Reclaim(t.Context())
	if !slices.Equal(dropped, []string{later.Analyzer}) {
		t.Errorf("dropped is what was made with %q, want %q", dropped, later.Analyzer)
	}
	if left, err := bus.BuildsOf(d.bus).FormerAnalyzers(t.Context(), d.now.ID()); err != nil || len(left) > 0 {
		t.Errorf("%q are noted still: %v", left, err)
	}
}
