package scope

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// watcher answers for the list of sources when the test lets it.
type watcher struct {
	t     *testing.T
	bus   *bus.Bus
	svc   micro.Service
	began chan struct{} // each request, when it is handled
	let   chan struct{} // lets one answer go
	end   chan struct{} // closed at the end: lets all go
}

func newWatcher(t *testing.T) (*watcher, *Sources) {
	t.Helper()
	w := &watcher{t: t, bus: bustest.New(t), began: make(chan struct{}, 1024), let: make(chan struct{}, 1024), end: make(chan struct{})}
	w.start()
	s := New(w.bus.Conn())
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		close(w.end)
		w.stop()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	w.let <- struct{}{}
	if l := s.Watched(t.Context(), time.Now(), nil); !l.Known || len(l.Watched) != 1 {
		t.Fatalf("at first %+v", l)
	}
	<-w.began
	return w, s
}

func (w *watcher) start() {
	w.t.Helper()
	svc, err := rpc.NewService(w.bus, "watcher", "a watcher of a test", "0.1.0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.svc = svc
	err = rpc.Endpoint(context.Background(), svc, rpc.Options{Name: "sources", Subject: contract.SubjectSourcesList},
		func(ctx context.Context, _ struct{}) (contract.SourceList, error) {
			w.began <- struct{}{}
			select {
			case <-w.let:
			case <-w.end:
			case <-ctx.Done():
			}
			return contract.SourceList{Sources: []contract.SourceInfo{{Source: "s", Watched: true}}}, nil
		})
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.bus.Conn().Flush(); err != nil {
		w.t.Fatal(err)
	}
}

func (w *watcher) stop() {
	w.t.Helper()
	if err := w.svc.Stop(); err != nil {
		w.t.Error(err)
	}
	if err := w.bus.Conn().Flush(); err != nil {
		w.t.Error(err)
	}
}

// goOn lets all answers go that a Sources may be waiting for.
func (w *watcher) goOn() {
	for range most {
		w.let <- struct{}{}
	}
}

// age waits until the list is too old for a query without a token.
func age() { <-time.After(maxAge + 10*time.Millisecond) }

func TestSlowWatcher_DoesNotCountAsGone(t *testing.T) {
	t.Parallel()
	w, s := newWatcher(t)
	age()
	if l := s.Watched(t.Context(), time.Time{}, []document.Source{"s"}); !l.Known || len(l.Watched) != 1 {
		t.Errorf("while the watcher does not come to answer: %+v", l)
	}
	<-w.began
	s.unsaid = 0
	if l := s.Watched(t.Context(), time.Time{}, []document.Source{"s"}); !l.Known || l.Age < maxAge {
		t.Errorf("of an older list: %+v", l)
	}
	// A token asks for a list that is not older than the question.
	var later sync.WaitGroup
	defer later.Wait()
	later.Go(func() {
		<-w.began
		<-time.After(2 * brief)
		w.goOn()
	})
	if l := s.Watched(t.Context(), time.Now(), nil); !l.Known || l.Age != 0 {
		t.Errorf("with a token: %+v", l)
	}
}

func TestListThatMayLackASource_IsToldToBeOld(t *testing.T) {
	t.Parallel()
	_, s := newWatcher(t)
	<-time.After(maxAge / 10)
	if l := s.Watched(t.Context(), time.Time{}, []document.Source{"s", "new"}); !l.Known || l.Age == 0 {
		t.Errorf("%+v", l)
	}
}

func TestWatcherThatHasGone_CountsAsGone(t *testing.T) {
	t.Parallel()
	w, s := newWatcher(t)
	w.stop()
	if l := s.Watched(t.Context(), time.Now(), nil); l.Known {
		t.Errorf("with a token: %+v", l)
	}
	age()
	if l := s.Watched(t.Context(), time.Time{}, nil); l.Known {
		t.Errorf("without one: %+v", l)
	}
	w.let <- struct{}{}
	w.start()
	if l := s.Watched(t.Context(), time.Now(), nil); !l.Known {
		t.Errorf("of the next one: %+v", l)
	}
}

// The server knows somebody who would answer, and that is all.
// Nobody has asked for longer than a watcher may be silent.
func TestWatcherThatNobodyAsked_DoesNotCountAsSilent(t *testing.T) {
	t.Parallel()
	w, s := newWatcher(t)
	s.silent = 10 * time.Millisecond
	age()
	s.mu.Lock()
	silent := s.isSilent()
	s.mu.Unlock()
	s.silent = time.Hour
	w.goOn()
	if l := s.Watched(t.Context(), time.Now(), nil); silent || !l.Known || l.Age != 0 {
		t.Errorf("silent %t, %+v", silent, l)
	}
}

func TestWatcherThatHangs_IsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	w, s := newWatcher(t)
	s.silent = time.Millisecond
	<-time.After(2 * s.silent)
	if l := s.Watched(t.Context(), time.Now(), nil); l.Known {
		t.Errorf("%+v", l)
	}
	w.goOn()
	s.silent = time.Hour
	if l := s.Watched(t.Context(), time.Now(), nil); !l.Known {
		t.Errorf("as it goes on: %+v", l)
	}
}
