package bus_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func removeCleanMarker(t *testing.T, dir string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, "clean-stop")); err != nil {
		t.Fatal(err)
	}
}

// start runs a worker until the returned stop, which waits for its end.
func start(t *testing.T, b *bus.Bus, w bus.Worker) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx, w) }()
	var once sync.Once
	stop = func() {
		once.Do(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("worker: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return stop
}

func worker(h bus.Handler) bus.Worker {
	return bus.Worker{Stage: contract.StageChunker, Name: "chunker", Build: "1", Stream: contract.StreamFiles,
		Filters: []string{"freshet.files.*.*.*"}, Workers: 2, Batch: 8, Lease: time.Minute, MaxTries: 3, Handle: h}
}

func each(fn func(m *bus.Msg) error) bus.Handler {
	return func(_ context.Context, msgs []*bus.Msg) []error {
		errs := make([]error, len(msgs))
		for i, m := range msgs {
			errs[i] = fn(m)
		}
		return errs
	}
}

func TestOneBadMessage_DoesNotFailItsNeighbours(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var mu sync.Mutex
	done := map[string]int{}
	all := make(chan struct{}, 100)
	start(t, b, worker(each(func(m *bus.Msg) error {
		path := m.Header.Get(contract.HeaderPath)
		if path == "bad.go" {
			return errors.New("cannot be read")
		}
		mu.Lock()
		done[path]++
		mu.Unlock()
		all <- struct{}{}
		return nil
	})))
	put(t, b, "bad.go", "x", 0)
	for i := range 20 {
		put(t, b, document.Path(fmt.Sprintf("f%d.go", i)), "x", 0)
	}
	for range 20 {
		<-all
	}
	dead := b.Dead()
	key := bus.DeadKey{Stage: contract.StageChunker, Source: "s", Doc: document.DocOf("bad.go"), Build: "1"}
	waitFor(t, dead, func() bool { _, ok := dead.Get(key); return ok })
	h, _ := dead.Get(key)
	if h.Attempts != 3 || !strings.Contains(h.Reason, "cannot be read") || h.Path != "bad.go" {
		t.Errorf("dead letter is %+v", h)
	}
	mu.Lock()
	defer mu.Unlock()
	for p, n := range done {
		if n != 1 {
			t.Errorf("%s was handled %d times", p, n)
		}
	}
}

// waitFor waits on a table's changes until cond holds.
func waitFor[K comparable, H any](t *testing.T, table *bus.Table[K, H], cond func() bool) {
	t.Helper()
	changed := make(chan struct{}, 1)
	cancel := table.Observe(func(K, H, H) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	defer cancel()
	for !cond() {
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("the test ended first")
		}
	}
}

func TestSuccess_ClearsADeadLetter(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var broken atomic.Bool
	broken.Store(true)
	start(t, b, worker(each(func(*bus.Msg) error {
		if broken.Load() {
			return bus.Permanent(errors.New("not yet"))
		}
		return nil
	})))
	dead := b.Dead()
	key := bus.DeadKey{Stage: contract.StageChunker, Source: "s", Doc: document.DocOf("a.go"), Build: "1"}
	first := put(t, b, "a.go", "one", 0)
	waitFor(t, dead, func() bool { _, ok := dead.Get(key); return ok })
	if h, _ := dead.Get(key); h.Attempts != 1 {
		t.Errorf("a permanent error was tried %d times", h.Attempts)
	}
	broken.Store(false)
	put(t, b, "a.go", "two", first)
	waitFor(t, dead, func() bool { _, ok := dead.Get(key); return !ok })
}

func TestStoreWideTrouble_PausesAndCountsNothing(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var down atomic.Bool
	down.Store(true)
	var calls, probes atomic.Int64
	handled := make(chan string, 10)
	w := worker(each(func(m *bus.Msg) error {
		calls.Add(1)
		if down.Load() {
			return bus.StoreWide(errors.New("store is down"))
		}
		handled <- m.Header.Get(contract.HeaderPath)
		return nil
	}))
	w.Probe = func(context.Context) error {
		if probes.Add(1) < 4 {
			return errors.New("still down")
		}
		down.Store(false)
		return nil
	}
	start(t, b, w)
	put(t, b, "a.go", "x", 0)
	if got := <-handled; got != "a.go" {
		t.Fatalf("handled %q", got)
	}
	if n := calls.Load(); n > 3 {
		t.Errorf("the store was tried %d times while it was down", n)
	}
	if n := b.Dead().Len(); n != 0 {
		t.Errorf("%d dead letters", n)
	}
}

func TestPanic_CostsOneMessageOnly(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	ok := make(chan struct{}, 100)
	start(t, b, worker(each(func(m *bus.Msg) error {
		if m.Header.Get(contract.HeaderPath) == "panic.go" {
			panic("boom")
		}
		ok <- struct{}{}
		return nil
	})))
	put(t, b, "panic.go", "x", 0)
	for i := range 7 {
		put(t, b, document.Path(fmt.Sprintf("f%d.go", i)), "x", 0)
	}
	for range 7 {
		<-ok
	}
	dead := b.Dead()
	waitFor(t, dead, func() bool { return dead.Len() == 1 })
}

func TestStop_GivesBackWhatWasNotBegun(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	const n = 60
	for i := range n {
		put(t, b, document.Path(fmt.Sprintf("f%d.go", i)), "x", 0)
	}
	var mu sync.Mutex
	seen := map[string]int{}
	begun := make(chan struct{})
	var once sync.Once
	stop := start(t, b, worker(func(ctx context.Context, msgs []*bus.Msg) []error {
		once.Do(func() { close(begun) })
		mu.Lock()
		for _, m := range msgs {
			seen[m.Header.Get(contract.HeaderPath)]++
		}
		mu.Unlock()
		return make([]error, len(msgs))
	}))
	<-begun
	stop()
	rest := make(chan struct{}, n)
	w := worker(each(func(m *bus.Msg) error {
		mu.Lock()
		seen[m.Header.Get(contract.HeaderPath)]++
		mu.Unlock()
		rest <- struct{}{}
		return nil
	}))
	// A lease far longer than any test: only messages that were given back
	// come again.
	w.Lease = time.Hour
	mu.Lock()
	left := n - len(seen)
	mu.Unlock()
	start(t, b, w)
	for range left {
		<-rest
	}
	mu.Lock()
	defer mu.Unlock()
	if len(seen) != n {
		t.Errorf("%d of %d were handled", len(seen), n)
	}
}

func TestNudgedHead_OvertakesTheBacklog(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	release := make(chan struct{})
	nudged := make(chan string, 10)
	w := worker(func(_ context.Context, msgs []*bus.Msg) []error {
		if msgs[0].Nudged {
			for _, m := range msgs {
				nudged <- m.Header.Get(contract.HeaderPath)
			}
		} else {
			<-release // the bulk load holds every worker
		}
		return make([]error, len(msgs))
	})
	w.Lease = time.Minute
	stop := start(t, b, w)
	for i := range 200 {
		put(t, b, document.Path(fmt.Sprintf("f%d.go", i)), "x", 0)
	}
	seq := put(t, b, "live.go", "x", 0)
	subject := contract.FileSubject("s", document.DocOf("live.go"), document.Worktree)
	// A nudge may be lost before the worker listens; it is sent until it lands.
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for landed := false; !landed; {
		select {
		case p := <-nudged:
			if p != "live.go" {
				t.Errorf("nudged %q", p)
			}
			landed = true
		case <-tick.C:
			b.Nudge(contract.StageChunker, subject, seq)
		}
	}
	close(release)
	stop()
}

func TestDocumentThatKillsItsWorker_IsSuspectThenDead(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	put(t, b, "killer.go", "x", 0)
	var calm, suspect int
	// A killed worker is one whose handler never returns: it is left behind
	// with its lease, and another one comes.
	for range 8 {
		got := make(chan bool, 1)
		hold := make(chan struct{})
		ctx, cancel := context.WithCancel(context.Background())
		w := worker(func(_ context.Context, msgs []*bus.Msg) []error {
			select {
			case got <- msgs[0].Suspect:
			default:
			}
			<-hold
			return make([]error, len(msgs))
		})
		w.Lease = 300 * time.Millisecond
		w.Workers = 1
		ended := make(chan error, 1)
		go func() { ended <- b.Run(ctx, w) }()
		deadCh := make(chan struct{}, 1)
		stopObs := b.Dead().Observe(func(bus.DeadKey, contract.DeadHead, contract.DeadHead) {
			select {
			case deadCh <- struct{}{}:
			default:
			}
		})
		var dead bool
		select {
		case s := <-got:
			if s {
				suspect++
			} else {
				calm++
			}
		case <-deadCh:
			dead = true
		}
		stopObs()
		cancel()
		if dead {
			close(hold)
			<-ended
			break
		}
		t.Cleanup(func() { close(hold); <-ended })
	}
	if calm < 1 || suspect != 2 {
		t.Errorf("handled %d times as usual and %d times as suspect, want at least 1 and 2", calm, suspect)
	}
	h, ok := b.Dead().Get(bus.DeadKey{Stage: contract.StageChunker, Source: "s", Doc: document.DocOf("killer.go"), Build: "1"})
	if !ok || !strings.Contains(h.Reason, "4 workers") {
		t.Errorf("dead letter: %v %+v", ok, h)
	}
}

func TestWorkerIsStoppedWhileItStarts_ItEndsWithoutError(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Run(ctx, worker(each(func(*bus.Msg) error { return nil }))); err != nil {
		t.Errorf("the worker ended with %v", err)
	}
	if err := b.RunAlone(ctx, "role", func(context.Context) error { return nil }); err != nil {
		t.Errorf("the role ended with %v", err)
	}
}
