// Package freshness knows which documents are not yet settled in both sinks,
// and lets a query wait until those that it depends on are.
package freshness

import (
	"context"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/shrink"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Stores tells which store a sink of a generation has now.
type Stores interface {
	// Generation returns the one in which a collection is searched.
	Generation(document.Collection) (document.Generation, bool)
	// Mark returns what the store behind a sink says of itself.
	Mark(context.Context, document.Generation, document.Sink) (store.Mark, error)
	// Generations lists all that are searched.
	Generations() []document.Generation
	// DeadLetters is what the dead letters of a stage on documents of a collection stand
	// under.
	DeadLetters(contract.Stage, document.Collection) contract.BuildID
}

// Pending is a document that some sink does not show in its newest version.
type Pending struct {
	Head   contract.FileHead
	Oldest document.Version // at most the oldest version that is not settled
	Sinks  []document.Sink  // those that lag
}

// Index follows the head tables and keeps what is pending, and nothing else.
// It is safe for concurrent use.
type Index struct {
	files   *bus.Table[bus.FileKey, contract.FileHead]
	chunks  *bus.Table[bus.OutputKey, contract.OutputHead]
	indexed *bus.Table[bus.OutputKey, contract.OutputHead]
	dead    *bus.Table[bus.DeadKey, contract.DeadHead]
	records *bus.Records
	stores  Stores

	queue    queue
	holdings holdings

	mu      sync.Mutex
	pending shrink.Map[bus.FileKey, *unsettled]
	lineup  lineup                   // of pending
	listed  map[bus.RecordKey]string // by sink, the store that pending is told of; never written to
	waiting waiters
	done    uint64 // events of the queue that are included
	drained []drain
	ready   chan struct{} // closed when what was there at the start is included
}

// drain is somebody who waits for the queue's first n events.
type drain struct {
	n    uint64
	done chan struct{}
}

// New returns an index over the bus' head tables; it works while Run does.
func New(b *bus.Bus, stores Stores) *Index {
	return &Index{
		files: b.Files(), chunks: b.Outputs(contract.StreamChunks),
		indexed: b.Outputs(contract.StreamIndexed), dead: b.Dead(), records: b.Records(), stores: stores,
		queue: queue{wake: make(chan struct{}, 1), sources: map[document.Source]bool{}},
		holdings: holdings{
			stores: stores, records: b.Records(), indexed: b.Outputs(contract.StreamIndexed),
			doubts: map[bus.RecordKey]bool{}, lacks: map[bus.RecordKey]lack{},
		},
		waiting: waiters{}, ready: make(chan struct{}),
	}
}

// Run follows the tables until ctx ends.
func (x *Index) Run(ctx context.Context) error {
	for _, wait := range []func(context.Context) error{x.records.Ready, x.indexed.Ready, x.chunks.Ready, x.dead.Ready, x.files.Ready} {
		if err := wait(ctx); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
	for _, g := range x.stores.Generations() {
		for _, sink := range document.Sinks {
			x.holdings.doubt(g, sink)
		}
	}
	x.holdings.resolve(ctx)
	defer x.records.Observe(x.storeChanged)()
	x.mu.Lock()
	x.listed = x.holdings.now() // whatever changes after this comes as an event
	x.mu.Unlock()
	defer x.indexed.Observe(x.queue.output)()
	defer x.dead.Observe(x.queue.failure)()
	cancel := x.files.Observe(x.queue.file)
	defer cancel()
	x.queue.loaded(x.files.Seen())
	x.drain()
	close(x.ready)
	for {
		select {
		case <-x.queue.wake:
			x.drain()
		case <-ctx.Done():
			return nil
		}
	}
}

// Ready waits until the index includes what was in the log at the start.
func (x *Index) Ready(ctx context.Context) error {
	select {
	case <-x.ready:
		return nil
	default:
	}
	select {
	case <-x.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Reach waits until the index includes FILES up to seq and the stores are
// those that are there now.
func (x *Index) Reach(ctx context.Context, seq uint64) error {
	if err := x.Ready(ctx); err != nil {
		return err
	}
	if err := x.files.Wait(ctx, seq); err != nil {
		return err
	}
	if x.holdings.resolve(ctx) {
		x.queue.push(event{kind: everything})
	}
	pushed := x.queue.count()
	x.mu.Lock()
	if x.done >= pushed {
		x.mu.Unlock()
		return nil
	}
	d := drain{pushed, make(chan struct{})}
	x.drained = append(x.drained, d)
	x.mu.Unlock()
	select {
	case <-d.done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Sources returns the sources that have heads in FILES.
func (x *Index) Sources() []document.Source { return x.queue.knownSources() }

// drain includes every event that is in the queue.
func (x *Index) drain() {
	for {
		events := x.queue.take()
		if len(events) == 0 {
			return
		}
		for i := range events {
			if events[i].kind == everything {
				x.judgeAll()
				continue
			}
			x.mu.Lock()
			x.judge(&events[i])
			x.mu.Unlock()
		}
		x.mu.Lock()
		x.done += uint64(len(events))
		rest := x.drained[:0]
		for _, d := range x.drained {
			if d.n <= x.done {
				close(d.done)
				continue
			}
			rest = append(rest, d)
		}
		x.drained = rest
		x.mu.Unlock()
	}
}

// judgeAll looks at every document again, after a store was exchanged: none of
// what was settled in it counts any more.
func (x *Index) judgeAll() {
	x.holdings.forget()
	stores := x.holdings.now()
	var keys []bus.FileKey
	x.files.Range(func(k bus.FileKey, _ contract.FileHead) bool {
		keys = append(keys, k)
		return true
	})
	for _, k := range keys {
		x.mu.Lock()
		x.judge(&event{kind: other, key: k})
		x.mu.Unlock()
	}
	x.mu.Lock()
	x.listed = stores
	x.mu.Unlock()
}
