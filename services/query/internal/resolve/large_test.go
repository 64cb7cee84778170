package resolve

import (
	"context"
	"errors"
	"testing"
	"time"
)

// Whoever asks while a large body is read waits for the same reading, and that goes on
// behind a question that had no time for it.
func TestLargeBodyIsReadForEachQuestionAnew(t *testing.T) {
	var f flights
	free, reads := make(chan struct{}), 0
	load := func(ctx context.Context) (*Body, error) {
		reads++
		select {
		case <-free:
			return &Body{Seq: 7}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	hasty, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := f.read(hasty, 7, load); !errors.Is(err, ErrLate) {
		t.Fatalf("a question without time: %v, want %v", err, ErrLate)
	}
	<-hasty.Done()
	time.AfterFunc(time.Millisecond, func() { close(free) })
	b, err := f.read(t.Context(), 7, load)
	if err != nil || b.Seq != 7 || reads != 1 {
		t.Errorf("the next question: body %+v after %d reads: %v, want that of the first read", b, reads, err)
	}
}

func TestQuestionThatHasLeftWaitsForALargeBody(t *testing.T) {
	var f flights
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	free := make(chan struct{})
	defer close(free)
	_, err := f.read(ctx, 7, func(context.Context) (*Body, error) { <-free; return nil, nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}
