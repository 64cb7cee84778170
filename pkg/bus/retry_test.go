package bus_test

import (
	"context"
	"errors"
	"fmt"
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

func letterOf(path document.Path) bus.DeadKey {
	return bus.DeadKey{Stage: contract.StageChunker, Source: "s", Doc: document.DocOf(path), Build: "1"}
}

// buried waits until a letter is in the state, and returns it.
func buried(t *testing.T, b *bus.Bus, path document.Path, state contract.LetterState) contract.DeadHead {
	t.Helper()
	var h contract.DeadHead
	waitFor(t, b.Dead(), func() bool {
		var ok bool
		h, ok = b.Dead().Get(letterOf(path))
		return ok && h.State == state
	})
	return h
}

func cleared(t *testing.T, b *bus.Bus, paths ...document.Path) {
	t.Helper()
	for _, p := range paths {
		waitFor(t, b.Dead(), func() bool { _, ok := b.Dead().Get(letterOf(p)); return !ok })
	}
}

func retry(t *testing.T, b *bus.Bus, paths ...document.Path) []contract.DeadHead {
	t.Helper()
	var keys []bus.DeadKey
	for _, p := range paths {
		keys = append(keys, letterOf(p))
	}
	heads, err := bus.DeadLettersOf(b).Mark(t.Context(), keys, contract.LetterRetrying)
	if err != nil {
		t.Fatal(err)
	}
	return heads
}

func TestRetriedLetter_IsHandledAgain(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var broken atomic.Bool
	broken.Store(true)
	start(t, b, worker(each(func(*bus.Msg) error {
		if broken.Load() {
			return bus.Permanent(errors.New("the parser is broken"))
		}
		return nil
	})))
	put(t, b, "a.go", "x", 0)
	put(t, b, "b.go", "x", 0)
	buried(t, b, "b.go", contract.LetterFailed)
	before := buried(t, b, "a.go", contract.LetterFailed)
	if before.Kind != contract.FailureRefused || before.Time.IsZero() || before.Attempts != 1 {
		t.Errorf("the letter is %+v", before)
	}

	if heads := retry(t, b, "a.go"); len(heads) != 1 || heads[0].State != contract.LetterRetrying || heads[0].Seq <= before.Seq {
		t.Fatalf("marked: %+v", heads)
	}
	waitFor(t, b.Dead(), func() bool { h, _ := b.Dead().Get(letterOf("a.go")); return h.Attempts == 2 })
	again := buried(t, b, "a.go", contract.LetterFailed)
	if !strings.Contains(again.Reason, "parser is broken") || !again.Time.After(before.Time) {
		t.Errorf("after a retry that failed: %+v", again)
	}

	broken.Store(false)
	retry(t, b, "a.go", "b.go")
	cleared(t, b, "a.go", "b.go")
	if heads := retry(t, b, "a.go", "never.go"); len(heads) != 0 {
		t.Errorf("letters that are not there were marked: %+v", heads)
	}
}

func TestRetryWhileNoWorkerRuns_IsDoneOnceOneDoes(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	stop := start(t, b, worker(each(func(*bus.Msg) error { return bus.Permanent(errors.New("broken")) })))
	put(t, b, "a.go", "x", 0)
	buried(t, b, "a.go", contract.LetterFailed)
	stop()
	retry(t, b, "a.go")
	buried(t, b, "a.go", contract.LetterRetrying)
	start(t, b, worker(each(func(*bus.Msg) error { return nil })))
	cleared(t, b, "a.go")
}

// What is retried is the newest version, never the one that failed.
func TestRetryOfAnOlderVersion_HandlesTheNewest(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	stop := start(t, b, worker(each(func(*bus.Msg) error { return bus.Permanent(errors.New("broken")) })))
	v1 := put(t, b, "a.go", "one", 0)
	buried(t, b, "a.go", contract.LetterFailed)
	stop()
	retry(t, b, "a.go")
	v2 := put(t, b, "a.go", "two", v1)
	var mu sync.Mutex
	var seen []uint64
	start(t, b, worker(each(func(m *bus.Msg) error {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, m.Seq)
		return nil
	})))
	cleared(t, b, "a.go")
	mu.Lock()
	defer mu.Unlock()
	for _, seq := range seen {
		if seq != v2 {
			t.Errorf("version %d was handled, the newest is %d", seq, v2)
		}
	}
}

// A document that killed its workers begins with a clean sheet.
func TestRetryOfAKiller_BeginsWithACleanSheet(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	put(t, b, "killer.go", "x", 0)
	for dead := false; !dead; {
		got, hold, ended := make(chan struct{}, 1), make(chan struct{}), make(chan error, 1)
		ctx, cancel := context.WithCancel(context.Background())
		w := worker(func(_ context.Context, msgs []*bus.Msg) []error {
			select {
			case got <- struct{}{}:
			default:
			}
			<-hold
			return make([]error, len(msgs))
		})
		w.Lease, w.Workers = 300*time.Millisecond, 1
		go func() { ended <- b.Run(ctx, w) }()
		gone := make(chan struct{}, 1)
		unobserve := b.Dead().Observe(func(bus.DeadKey, contract.DeadHead, contract.DeadHead) {
			select {
			case gone <- struct{}{}:
			default:
			}
		})
		select {
		case <-got:
		case <-gone:
			dead = true
		}
		unobserve()
		cancel() // it is left behind with its lease
		t.Cleanup(func() { close(hold); <-ended })
	}
	if h := buried(t, b, "killer.go", contract.LetterFailed); h.Kind != contract.FailureKilled {
		t.Errorf("the letter is %+v", h)
	}
	retry(t, b, "killer.go")
	suspect := make(chan bool, 1)
	start(t, b, worker(each(func(m *bus.Msg) error {
		suspect <- m.Suspect
		return nil
	})))
	cleared(t, b, "killer.go")
	if <-suspect {
		t.Error("the retried document was handled as a suspect")
	}
}

// A success in one view says nothing of another.
func TestSuccessInAnotherView_LeavesTheLetter(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var fixed atomic.Bool
	start(t, b, worker(each(func(m *bus.Msg) error {
		k, err := contract.ParseSubject(m.Subject)
		if err == nil && k.View != "main" && !fixed.Load() {
			err = bus.Permanent(fmt.Errorf("broken in %s", k.View))
		}
		return err
	})))
	dead := map[document.View]document.Version{}
	for _, view := range []document.View{"next", "wild", "main"} {
		dead[view] = putView(t, b, "a.go", view, "x")
		if view == "main" {
			// Another document that comes after it tells that it is done.
			putView(t, b, "z.go", "wild", "x")
			buried(t, b, "z.go", contract.LetterFailed)
			continue
		}
		waitFor(t, b.Dead(), func() bool { h, _ := b.Dead().Get(letterOf("a.go")); return h.Covers.At(view).Version == dead[view] })
	}
	if h := buried(t, b, "a.go", contract.LetterFailed); h.Covers.Len() != 2 || h.Covers.At("next").Version != dead["next"] {
		t.Fatalf("after a failure in two views and a success in a third: %+v", h)
	}
	fixed.Store(true)
	retry(t, b, "a.go")
	cleared(t, b, "a.go")
}

func putView(t *testing.T, b *bus.Bus, path document.Path, view document.View, text string) document.Version {
	t.Helper()
	head := contract.FileHead{Path: path, Op: contract.OpPut, Hash: document.HashOf([]byte(text)), Collection: document.CollectionCode, Time: time.Now()}
	ack := b.Publish(t.Context(), bus.Out{Subject: contract.FileSubject("s", document.DocOf(path), view), Header: head.Header(), Body: []byte(text)})[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	return document.Version(ack.Seq)
}
