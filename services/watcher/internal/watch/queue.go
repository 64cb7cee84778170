package watch

import (
	"sync"

	"github.com/fsnotify/fsnotify"
)

// queue takes events as fast as they come. fsnotify may hold its lock while it
// hands an error over, so whoever takes them must never wait for that lock, as
// adding and removing watches does.
type queue struct {
	wake chan struct{} // holds one value while something is queued

	mu     sync.Mutex
	events []fsnotify.Event
	errs   []error
}

// fill runs until fs is closed.
func (q *queue) fill(fs *fsnotify.Watcher) {
	events, errs := fs.Events, fs.Errors
	for events != nil || errs != nil {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				continue
			}
			q.mu.Lock()
			q.events = append(q.events, ev)
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			q.mu.Lock()
			q.errs = append(q.errs, err)
		}
		q.mu.Unlock()
		select {
		case q.wake <- struct{}{}:
		default:
		}
	}
}

// take empties the queue.
func (q *queue) take() ([]fsnotify.Event, []error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	events, errs := q.events, q.errs
	q.events, q.errs = nil, nil
	return events, errs
}
