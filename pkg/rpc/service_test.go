package rpc_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

type question struct {
	N int `json:"n"`
}

// Errors are answered while micro keeps its own books about the request.
func TestConcurrentErrors_ReachTheirCallers(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	svc, err := rpc.NewService(b, "quiz", "asks back", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "ask", Subject: "quiz.ask", Limit: 4},
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
			got, err := rpc.Call[question, question](t.Context(), b.Conn(), "quiz.ask", question{n})
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
func TestService_StopsAfterItsHandlers(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	svc, err := rpc.NewService(b, "slow", "takes its time", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	begun, finish := make(chan struct{}), make(chan struct{})
	var ended atomic.Bool
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "ask", Subject: "slow.ask"},
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

// A list without a limit takes as long as somebody wants it to.
func TestEndpointWithAListWithoutALimit_IsRefused(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	svc, err := rpc.NewService(b, "open", "takes anything", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	type open struct {
		Names []string `json:"names"`
	}
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "ask", Subject: "open.ask"},
		func(context.Context, open) (question, error) { return question{}, nil })
	if err == nil {
		t.Error("an endpoint with a list without a limit is served")
	}
	type bounded struct {
		Names []string `json:"names" limit:"2,10"`
	}
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "ask", Subject: "open.ask"},
		func(context.Context, bounded) (question, error) { return question{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	_, err = rpc.Call[bounded, question](t.Context(), b.Conn(), "open.ask", bounded{[]string{"a", "b", "c"}})
	if document.KindOf(err) != document.InvalidRequest || err.Error() != "names has 3 entries: send at most 2 at once" {
		t.Errorf("three names are answered with %v", err)
	}
}

type echo struct {
	Text string `json:"text" limit:"1000"`
}

func TestEndpoint_RefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	svc, err := rpc.NewService(b, "freshet-test", "test", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = svc.Stop() }()
	err = rpc.Endpoint(t.Context(), svc, rpc.Options{Name: "echo", Subject: "freshet.test.echo"}, func(_ context.Context, in echo) (echo, error) {
		if in.Text == "" {
			return echo{}, document.Errorf(document.NotFound, "no text: send some")
		}
		return in, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if rep, err := rpc.Call[echo, echo](t.Context(), b.Conn(), "freshet.test.echo", echo{"hello"}); err != nil || rep.Text != "hello" {
		t.Fatalf("reply %+v, error %v", rep, err)
	}
	for body, want := range map[string]document.ErrorKind{
		`{"text":`:           document.InvalidRequest,
		`{"txet":"a"}`:       document.InvalidRequest,
		`{"text":"a"} {"b"}`: document.InvalidRequest,
		`{}`:                 document.NotFound,
	} {
		m, err := b.Conn().Request("freshet.test.echo", []byte(body), time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Header.Get("Nats-Service-Error-Code"); got != string(want) {
			t.Errorf("%s: code %q, want %q", body, got, want)
		}
	}
	if _, err := rpc.Call[echo, echo](t.Context(), b.Conn(), "freshet.test.nobody", echo{}); document.KindOf(err) != document.Unavailable {
		t.Errorf("nobody answers: %v, want unavailable", err)
	}
}
