package bus_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/document"
)

type question struct {
	N int `json:"n"`
}

// Errors are answered while micro keeps its own books about the request.
func TestConcurrentErrorsGetMixedUp(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	svc, err := bus.NewService(b, "quiz", "asks back", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	err = bus.Endpoint(t.Context(), svc, bus.EndpointOptions{Name: "ask", Subject: "quiz.ask", Limit: 4},
		func(_ context.Context, q question) (question, error) {
			if q.N%2 == 1 {
				return q, document.Errorf(document.NotFound, "no %d", q.N)
			}
			return q, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := range 200 {
		wg.Go(func() {
			got, err := bus.Call[question, question](t.Context(), b.Conn(), "quiz.ask", question{n})
			if odd := n%2 == 1; odd != (document.KindOf(err) == document.NotFound) || !odd && got.N != n {
				t.Errorf("%d is answered with %v, %v", n, got, err)
			}
		})
	}
	wg.Wait()
	if err := svc.Stop(); err != nil {
		t.Error(err)
	}
}

// What a handler works with may be closed once its service has stopped.
func TestHandlerOutlivesItsService(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	svc, err := bus.NewService(b, "slow", "takes its time", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	begun, finish := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	err = bus.Endpoint(t.Context(), svc, bus.EndpointOptions{Name: "ask", Subject: "slow.ask"},
		func(context.Context, struct{}) (question, error) {
			close(begun)
			<-finish
			ended.Store(true)
			return question{}, nil
		})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Conn().PublishRequest("slow.ask", b.Conn().NewInbox(), nil); err != nil {
		t.Fatal(err)
	}
	<-begun
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		if err := svc.Stop(); err != nil {
			t.Error(err)
		}
		if !ended.Load() {
			t.Error("the service has stopped while its handler runs")
		}
	}()
	// The handler ends only after its endpoints have gone.
	for tick := time.NewTicker(time.Millisecond); !svc.Stopped(); {
		<-tick.C
	}
	close(finish)
	<-stopped
}
