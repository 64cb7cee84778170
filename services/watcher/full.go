package watcher

import (
	"context"
	"sync"
	"time"
)

// fullRun is one full comparison, shared by all who asked for it before it
// began.
type fullRun struct {
	live bool
	// read is false where everybody only asked for a look from time to time:
	// times are relied on wherever they come from.
	read bool
	done chan struct{}
	out  outcome
	err  error
}

// fullRunner has the whole of a source compared with the log, one comparison
// after the other, as long as somebody asks for one. It is safe for concurrent
// use.
type fullRunner struct {
	svc      *Service
	life     *life
	troubles *troubles
	compare  func(context.Context, *fullRun) (outcome, error)

	mu       sync.Mutex
	running  bool     // a loop is under way
	scanning bool     // the comparison of now has its slot
	now      *fullRun // the one that runs, or waits for its slot
	next     *fullRun
}

// ask compares the whole source with the log, and returns when a comparison
// that began after the call has ended. Callers that wait share one. Its
// outcome's highest version is that of the view's marker.
func (r *fullRunner) ask(ctx context.Context, live bool) (outcome, error) {
	return r.share(ctx, fullRun{live: live, read: true})
}

// share is ask with more to say about the comparison.
func (r *fullRunner) share(ctx context.Context, want fullRun) (outcome, error) {
	r.mu.Lock()
	if r.life.isOver() {
		r.mu.Unlock()
		return outcome{}, errStopped
	}
	if !r.running {
		if err := r.life.run(r.loop); err != nil {
			r.mu.Unlock()
			return outcome{}, err
		}
		r.running = true
	}
	if r.next == nil {
		r.next = &fullRun{done: make(chan struct{})}
	}
	run := r.next
	run.live, run.read = run.live || want.live, run.read || want.read
	r.mu.Unlock()
	select {
	case <-run.done:
		return run.out, run.err
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

func (r *fullRunner) loop() {
	for {
		r.mu.Lock()
		run := r.next
		r.next, r.now = nil, run
		if run == nil {
			r.running = false
			r.mu.Unlock()
			return
		}
		r.mu.Unlock()
		select {
		case r.svc.fullSlots <- struct{}{}:
			r.setScanning(true)
			run.out, run.err = r.compare(r.life.ctx, run)
			r.setScanning(false)
			<-r.svc.fullSlots
		case <-r.life.ctx.Done():
			run.err = errStopped
		}
		r.troubles.note(troubleComparison, run.err)
		close(run.done)
	}
}

func (r *fullRunner) setScanning(on bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scanning = on
}

// isScanning reports whether a comparison is under way.
func (r *fullRunner) isScanning() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.scanning
}

// rest waits until no full comparison runs: what it has not reached yet is no
// difference.
func (r *fullRunner) rest(ctx context.Context) error {
	for {
		r.mu.Lock()
		now := r.now
		if now == nil {
			now = r.next
		}
		r.mu.Unlock()
		if now == nil {
			return nil
		}
		select {
		case <-now.done:
			r.mu.Lock()
			if r.now == now {
				r.now = nil
			}
			r.mu.Unlock()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// recoverAfter is the pause before a full comparison makes up for a live one
// that failed.
const recoverAfter = time.Second

// makeUp makes up for a failed comparison by a full one, until that succeeds.
// While the log has no room it would be in vain; then it comes at once.
func (r *fullRunner) makeUp(ctx context.Context, err error) {
	for wait := recoverAfter; err != nil && ctx.Err() == nil; wait = min(2*wait, 30*time.Second) {
		r.troubles.note(troubleComparison, err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		if r.svc.bus.Room().For(0) != nil {
			if r.svc.bus.Room().Await(ctx) != nil {
				return
			}
			wait = recoverAfter
		}
		_, err = r.ask(ctx, true)
	}
}
