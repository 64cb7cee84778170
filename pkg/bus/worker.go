package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Handler handles a batch and returns one error per message; nil means done.
// It is called from several goroutines at once. It must not keep the messages.
type Handler func(ctx context.Context, msgs []*Msg) []error

// Worker consumes a stream. The runner owns acknowledgement: nil acks, an
// error is tried again with growing delay up to MaxTries and then goes to
// DEAD, Permanent goes there at once, StoreWide pauses the worker.
type Worker struct {
	Stage contract.Stage
	// Build is what it works on; what it gives up on counts for that alone.
	Build contract.BuildID
	// Name is the durable consumer; processes of one name share the work.
	Name    string
	Stream  string
	Filters []string
	// Workers handle batches at the same time; one more is reserved for nudges.
	Workers int
	Batch   int
	// Linger is how long a batch waits to fill up; 0 takes what is there.
	Linger time.Duration
	// Lease is AckWait and the handler's deadline.
	Lease time.Duration
	// MaxTries bounds the attempts on a per-document error.
	MaxTries int
	Handle   Handler
	// Probe is asked after StoreWide trouble until it returns nil. Without one
	// the log is asked whether it answers.
	Probe func(ctx context.Context) error
	Log   *slog.Logger
}

func (w *Worker) setDefaults() {
	if w.Workers == 0 {
		w.Workers = 2
	}
	if w.Batch == 0 {
		w.Batch = 64
	}
	if w.Lease == 0 {
		w.Lease = 30 * time.Second
	}
	if w.MaxTries == 0 {
		w.MaxTries = 8
	}
	if w.Log == nil {
		w.Log = slog.New(slog.DiscardHandler)
	}
}

const (
	// drainGrace is how long a running batch may take after the stop.
	drainGrace = 3 * time.Second
	retryFirst = 100 * time.Millisecond
	retryMost  = 30 * time.Second
	probeFirst = 200 * time.Millisecond
	probeMost  = 5 * time.Second
)

// Stopped takes away the error of being told to stop, perhaps while starting.
// What runs until ctx ends defers it.
func Stopped(ctx context.Context, err *error) {
	if ctx.Err() != nil {
		*err = nil
	}
}

// Run works until ctx ends, then finishes the batches at hand and gives back
// what was fetched but not begun.
func (b *Bus) Run(ctx context.Context, w Worker) (err error) {
	defer Stopped(ctx, &err)
	w.setDefaults()
	if w.Probe == nil {
		w.Probe = func(ctx context.Context) error {
			_, err := b.LastSeq(ctx, w.Stream)
			return err
		}
	}
	if err := b.Dead().Ready(ctx); err != nil {
		return err
	}
	sus, err := openSuspects(ctx, b, w.Stage)
	if err != nil {
		return err
	}
	input, letters := newDurable(b, &w, w.Stream, w.Filters), newRetries(b, &w)
	cons, err := input.open(ctx)
	if err != nil {
		return err
	}
	retries, err := letters.open(ctx)
	if err != nil {
		return err
	}
	// From before the first delivery: whoever has seen one may ask for the head
	// again.
	listening, nudges, err := listen(b, &w)
	if err != nil {
		return err
	}
	defer func() { _ = listening.Unsubscribe() }()
	hctx, hcancel := context.WithCancel(context.WithoutCancel(ctx))
	defer hcancel()
	stopGrace := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(drainGrace):
			hcancel()
		case <-hctx.Done():
		}
	})
	defer stopGrace()

	r := &runner{
		b: b, w: w, suspects: sus,
		queue:    newQueue(&w),
		keeper:   &keeper{leases: map[*lease]struct{}{}},
		failures: failures{tries: map[uint64]int{}, waits: map[uint64]int{}},
		rests:    rests{resume: make(chan struct{})},
		hand:     newInHand(),
	}
	kctx, kcancel := context.WithCancel(hctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { r.keeper.run(kctx, w.Lease/3) })
	defer keeping.Wait()
	defer kcancel()

	g, gctx := errgroup.WithContext(ctx)
	feeding, fctx := errgroup.WithContext(gctx)
	feeding.Go(func() error { return r.fetch(fctx, input, cons, r.holdNext) })
	feeding.Go(func() error { return r.fetch(fctx, letters, retries, r.holdRetry) })
	feeding.Go(func() error { return r.keepSettings(fctx, input, letters) })
	g.Go(func() error {
		defer close(r.queue.held)
		return feeding.Wait()
	})
	g.Go(func() error { return (&nudger{runner: r}).run(gctx, hctx, nudges) })
	for range w.Workers {
		g.Go(func() error { return r.work(gctx, hctx) })
	}
	return g.Wait()
}

// held is a delivered message with its lease.
type held struct {
	msg        *Msg
	js         *nats.Msg
	lease      *lease
	deliveries uint64
	letter     *DeadKey // of a retry; its delivery is that of the letter
}

type runner struct {
	b        *Bus
	w        Worker
	suspects *suspects
	queue    queue
	keeper   *keeper
	hand     *inHand
	failures failures
	rests    rests

	pending atomic.Uint64 // what waited in the log behind the last delivery
}

// fetch pulls from a consumer until ctx ends, and makes it again where somebody
// deletes it.
func (r *runner) fetch(ctx context.Context, d durable, cons jetstream.Consumer, hold func(context.Context, *nats.Msg) (*held, error)) error {
	for {
		err := r.pull(ctx, d, cons, hold)
		if !lost(err) {
			return err
		}
		if cons = r.again(ctx, d, err); cons == nil {
			return nil
		}
	}
}

// pull pulls messages into the queue. hold returns nil for a message that needs
// no handling and is settled.
func (r *runner) pull(ctx context.Context, d durable, cons jetstream.Consumer, hold func(context.Context, *nats.Msg) (*held, error)) error {
	p, err := newPuller(r.b.nc, d.stream, r.w.Name)
	if err != nil {
		return err
	}
	defer p.rest(func(m *nats.Msg) { _ = m.Nak() })
	for ctx.Err() == nil {
		if p.asked == 0 {
			if err := p.ask(r.queue.room(ctx)); err != nil {
				return fmt.Errorf("consume %s: %w", r.w.Name, err)
			}
		}
		m, err := p.next(ctx)
		if errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, nats.ErrBadSubscription) {
			return nil
		}
		if errors.Is(err, errSilent) {
			if missing(ctx, cons) {
				return fmt.Errorf("consume %s: %w", r.w.Name, jetstream.ErrConsumerNotFound)
			}
			continue
		}
		if err != nil {
			return fmt.Errorf("consume %s: %w", r.w.Name, err)
		}
		if m == nil {
			continue
		}
		h, err := hold(ctx, m)
		if err != nil {
			return err
		}
		if h == nil {
			continue
		}
		select {
		case r.queue.held <- h:
		case <-ctx.Done():
			r.giveBack(h, 0)
		}
	}
	return nil
}

// holdNext takes up a delivery of the stream, and notes how far behind the
// stage is.
func (r *runner) holdNext(ctx context.Context, m *nats.Msg) (*held, error) {
	if md, err := m.Metadata(); err == nil {
		r.pending.Store(md.NumPending)
	}
	return r.hold(ctx, m)
}

func (r *runner) hold(_ context.Context, m *nats.Msg) (*held, error) {
	md, err := m.Metadata()
	if err != nil {
		return nil, fmt.Errorf("consume %s: %w", r.w.Name, err)
	}
	l := newLease(m, r.w.Lease)
	r.keeper.add(l)
	return &held{
		js: m, lease: l, deliveries: md.NumDelivered,
		msg: &Msg{Subject: m.Subject, Seq: md.Sequence.Stream, Header: m.Header, Time: md.Timestamp, bus: r.b, data: m.Data, lease: l},
	}, nil
}

func (r *runner) giveBack(h *held, delay time.Duration) {
	r.keeper.remove(h.lease)
	if delay == 0 {
		_ = h.js.Nak()
		return
	}
	_ = h.js.NakWithDelay(delay)
}

// work takes batches until the queue is closed. What is left in it when life
// has ended is given back.
func (r *runner) work(life, ctx context.Context) error {
	for first := range r.queue.held {
		if life.Err() != nil {
			r.giveBack(first, 0)
			continue
		}
		batch := r.queue.collect(first)
		r.queue.tell()
		if err := r.b.Room().For(0); err != nil {
			r.pause(ctx, err) // what is handled now could not be published
		}
		if err := r.rests.wait(ctx); err != nil {
			for _, h := range batch {
				r.giveBack(h, 0)
			}
			continue
		}
		r.handle(ctx, batch)
	}
	return nil
}
