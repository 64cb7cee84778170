package bus

import (
	"context"
	"time"
)

// most is how many messages the worker has in its queue beside those that it
// handles.
func (w *Worker) most() int { return w.Workers * w.Batch }

// queue is what a worker has taken up and not begun with. The stream and the
// retries feed it.
type queue struct {
	held   chan *held
	taken  chan struct{} // tells those who feed it that there is more room
	most   int
	batch  int
	linger time.Duration
}

// newQueue has room for whole batches: with none, a worker would mostly find the
// one message that is being handed over.
func newQueue(w *Worker) queue {
	return queue{held: make(chan *held, 2*w.most()), taken: make(chan struct{}, 1), most: w.most(), batch: w.Batch, linger: w.Linger}
}

// room waits until half of the queue is free, and returns how many more it has
// room for. Whoever feeds it has a half, so that what was asked for has its
// place when it comes: there its lease is kept.
func (q *queue) room(ctx context.Context) int {
	for {
		free := q.most - len(q.held)
		if 2*free >= q.most || ctx.Err() != nil {
			q.tell() // perhaps the other one waits, too
			return max(free, 1)
		}
		select {
		case <-q.taken:
		case <-ctx.Done():
		}
	}
}

// tell tells one of those who feed the queue to look at it.
func (q *queue) tell() {
	select {
	case q.taken <- struct{}{}:
	default:
	}
}

// collect makes a batch of a message and those that follow it within the linger.
func (q *queue) collect(first *held) []*held {
	batch := append(make([]*held, 0, q.batch), first)
	var linger <-chan time.Time
	if q.linger > 0 {
		t := time.NewTimer(q.linger)
		defer t.Stop()
		linger = t.C
	}
	for len(batch) < q.batch {
		if linger == nil {
			select {
			case h, ok := <-q.held:
				if !ok {
					return batch
				}
				batch = append(batch, h)
				continue
			default:
				return batch
			}
		}
		select {
		case h, ok := <-q.held:
			if !ok {
				return batch
			}
			batch = append(batch, h)
		case <-linger:
			return batch
		}
	}
	return batch
}
