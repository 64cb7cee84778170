package rpc_test

import (
	"context"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// counting serves the numbers up to N; more than a thousand break it.
func counting(t *testing.T, b rpc.Connection, ended chan<- error) micro.Service {
	t.Helper()
	svc, err := rpc.NewService(b, "count", "counts", "0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	err = rpc.StreamEndpoint(t.Context(), svc, rpc.Options{Name: "count", Subject: "count"},
		func(ctx context.Context, q question, send func(question) error) (err error) {
			defer func() { ended <- err }()
			for i := 1; q.N == 0 || i <= q.N; i++ {
				if i > 1000 && q.N > 1000 {
					return document.Errorf(document.TooLarge, "%d is too much", q.N)
				}
				if err := send(question{i}); err != nil {
					return err
				}
			}
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
	return svc
}

func TestAnswerInParts_ComesWholeAndInOrder(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	ended := make(chan error, 1)
	svc := counting(t, b, ended)
	last := 0
	next := func(q question) error {
		if q.N != last+1 {
			t.Errorf("%d follows %d", q.N, last)
		}
		last = q.N
		return nil
	}
	if err := rpc.CallStream(t.Context(), b.Conn(), "count", question{1000}, next); err != nil || last != 1000 {
		t.Errorf("the answer ends at %d: %v", last, err)
	}
	<-ended
	last = 0
	err := rpc.CallStream(t.Context(), b.Conn(), "count", question{2000}, next)
	if document.KindOf(err) != document.TooLarge || last != 1000 {
		t.Errorf("an answer that fails at 1001 ends at %d: %v", last, err)
	}
	<-ended
	if err := svc.Stop(); err != nil {
		t.Fatal(err)
	}
	if err := rpc.CallStream(t.Context(), b.Conn(), "count", question{1}, next); document.KindOf(err) != document.Unavailable {
		t.Errorf("nobody there: %v", err)
	}
}

// Without a limit the handler would go on for ever.
func TestCallerHasGone_TheHandlerEnds(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	ended := make(chan error, 1)
	counting(t, b, ended)
	enough := errors.New("enough")
	err := rpc.CallStream(t.Context(), b.Conn(), "count", question{}, func(q question) error {
		if q.N == 10 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) {
		t.Errorf("the caller's own error comes back as %v", err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("the handler ended with %v", err)
	}
}
