package query

import (
	"context"
	"time"
)

// wake calls somebody who works in the background. Calls that come while one is not heard
// yet are one.
type wake chan struct{}

func newWake() wake { return make(wake, 1) }

func (w wake) poke() {
	select {
	case w <- struct{}{}:
	default:
	}
}

// each has work done whenever somebody calls, and after a pause without a call, until ctx
// ends. What changes within a moment of a call is done with it.
func (w wake) each(ctx context.Context, moment, pause time.Duration, work func(context.Context)) {
	again := time.NewTimer(pause)
	defer again.Stop()
	for {
		select {
		case <-w:
		case <-again.C:
		case <-ctx.Done():
			return
		}
		if !sleep(ctx, moment) {
			return
		}
		work(ctx)
		again.Reset(pause)
	}
}

// sleep is false where ctx ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
