package remote

import (
	"context"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// rest is how long questions do not ask a server again that could not be
	// reached: each would wait for its whole deadline.
	rest = time.Second
	// trust is how long a probe that went well counts.
	trust = 10 * time.Second
	// mostRetries bounds what is asked again: that many at once, and one more for
	// ten answers, so that a server in trouble is not asked more often than before.
	mostRetries   = 10
	retriesEarned = .1
)

// health is what is known of the server's. It is safe for concurrent use.
type health struct {
	mu      sync.Mutex
	trouble error // the last one, nil once it answered
	failed  time.Time
	well    time.Time // a probe went well
	retries float64   // that are left
}

func newHealth() *health { return &health{retries: mostRetries} }

// answered notes an answer.
func (h *health) answered() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble = nil
	h.retries = min(mostRetries, h.retries+retriesEarned)
}

// fail notes trouble that is the server's, and returns it.
func (h *health) fail(err error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble, h.failed, h.well = err, time.Now(), time.Time{}
	return err
}

// probed notes a probe that went well.
func (h *health) probed() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.trouble, h.well = nil, time.Now()
}

// trusted reports whether a probe went well lately.
func (h *health) trusted() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Since(h.well) < trust
}

// resting returns the trouble of a moment ago, nil where there was none.
func (h *health) resting() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.trouble == nil || time.Since(h.failed) > rest {
		return nil
	}
	return h.trouble
}

func (h *health) says() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.trouble == nil {
		return ""
	}
	return h.trouble.Error()
}

// again reports whether something may be asked once more, and takes that off.
func (h *health) again() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.retries < 1 {
		return false
	}
	h.retries--
	return true
}

// mayPass reports whether what went wrong may be over in a moment.
func mayPass(err error) bool {
	k := document.KindOf(err)
	return k == document.Unavailable || k == document.RateLimited
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
