package resolve

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Whoever asks while a large body is read waits for the same reading, and that goes on
// behind a question that had no time for it.
func TestLargeBody_IsReadOnceForAllQuestions(t *testing.T) {
	// The second question comes while the first read is under way, on any machine.
	synctest.Test(t, func(t *testing.T) {
		f := newFlights()
		defer f.stop()
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
	})
}

func TestQuestionThatHasLeft_DoesNotWaitForALargeBody(t *testing.T) {
	f := newFlights()
	defer f.stop()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.read(ctx, 7, func(ctx context.Context) (*Body, error) { <-ctx.Done(); return nil, ctx.Err() })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// A document that breaks the service breaks its own reading alone.
func TestLargeBodyThatBreaks_FailsItsOwnReadingAlone(t *testing.T) {
	f := newFlights()
	defer f.stop()
	_, err := f.read(t.Context(), 7, func(context.Context) (*Body, error) { panic("no passages") })
	if err == nil || !strings.Contains(err.Error(), "no passages") {
		t.Errorf("%v", err)
	}
	if b, err := f.read(t.Context(), 7, func(context.Context) (*Body, error) { return &Body{Seq: 7}, nil }); err != nil || b.Seq != 7 {
		t.Errorf("the next reading: %+v, %v", b, err)
	}
}

// What is read when the service stops is ended, and nothing is begun.
func TestServiceStops_ReadingEnds(t *testing.T) {
	f := newFlights()
	begun, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := f.read(t.Context(), 7, func(ctx context.Context) (*Body, error) {
			close(begun)
			<-ctx.Done()
			return nil, ctx.Err()
		})
		ended <- err
	}()
	<-begun
	f.stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("what was read: %v", err)
	}
	if _, err := f.read(t.Context(), 8, nil); !errors.Is(err, ErrLate) {
		t.Errorf("what is begun afterwards: %v, want %v", err, ErrLate)
	}
}
