package indexer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// keepEvery is the time between looks at a store's mark. The position is
// written as often: what a store that comes back after a crash has to be
// given again is no more than that.
const keepEvery = time.Second

// keeper looks after one store for the whole deployment: it gives the store
// its id, notes how far it is complete, notices when it was wiped, exchanged
// or went back, and applies again what it lost. One process at a time is the
// keeper; two that both believe to be it do each other no harm, since the
// lineage is changed by compare-and-swap and a mark of another id is noticed.
type keeper[E any] struct {
	*side[E]
	unclean bool       // a sweep is due
	marked  store.Mark // as last read or written
	known   bool       // marked is what the store has, and the lineage was brought in line with it

	mu     sync.Mutex
	newest uint64          // last message of INDEXED that was seen
	lost   map[docKey]bool // documents that INDEXED lists for a store that does not hold them
	wake   chan struct{}   // something was lost
}

// keep looks after the store until ctx ends, and compares all of it with
// INDEXED every so often.
func (s *side[E]) keep(ctx context.Context, every time.Duration, unclean bool) error {
	k := &keeper[E]{side: s, unclean: unclean, lost: map[docKey]bool{}, wake: make(chan struct{}, 1)}
	table := s.bus.Outputs(contract.StreamIndexed)
	if err := table.Ready(ctx); err != nil {
		return err
	}
	defer table.Observe(k.observe)()
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	sweep := time.NewTicker(every)
	defer sweep.Stop()
	for {
		err := k.attend(ctx)
		if ctx.Err() != nil {
			break
		}
		s.note(err)
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-sweep.C:
			k.unclean = true
		case <-k.wake:
		}
	}
	return k.leave(context.WithoutCancel(ctx))
}

// observe follows INDEXED.
func (k *keeper[E]) observe(key bus.OutputKey, _, now contract.OutputHead) {
	if key.Generation != k.generation || key.Sink != k.sink || now.Seq == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.newest = max(k.newest, now.Seq)
	if k.holds(now.Store, now.Seq) {
		return
	}
	// A worker that had not heard yet of the store's new id.
	k.lost[docKey{key.Source, key.Doc}] = true
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// attend brings the lineage in line with the store, applies again what the
// store lost, and notes how far it is complete.
func (k *keeper[E]) attend(ctx context.Context) error {
	mark, err := k.store.Mark(ctx)
	if err != nil {
		k.known = false // what comes back may be another store, or an older copy
		return err
	}
	if doubtful := k.doubtful.Swap(false); doubtful || !k.known || mark != k.marked {
		if err := k.adopt(ctx, mark); err != nil {
			k.known = false
			return err
		}
	}
	if err := k.recover(ctx); err != nil {
		return err
	}
	return k.advance(ctx)
}

// adopt takes the store as it is now into the lineage.
func (k *keeper[E]) adopt(ctx context.Context, mark store.Mark) error {
	var renamed bool
	key := bus.RecordKey{Generation: k.generation, Sink: k.sink}
	err := k.bus.Records().Change(ctx, key, func(r contract.StoreRecord) (contract.StoreRecord, bool) {
		next := contract.StoreRecord{Position: r.Position}
		next.Lineage, renamed = r.Adopt(mark.ID, mark.Position, k.newestFor(mark.ID), uuid.NewString())
		if renamed {
			next.Position = mark.Position
		}
		id := mark.ID
		if renamed {
			id = next.Store
		}
		mark.ID = id
		return next, renamed || r.Store == ""
	})
	if err != nil {
		return err
	}
	if renamed {
		// Until this is written, nobody trusts the store: its id is not the
		// lineage's.
		if err := k.store.SetMark(ctx, mark); err != nil {
			return fmt.Errorf("write the mark of the %s store: %w", k.sink, err)
		}
	}
	k.marked, k.known = mark, true
	k.findLost()
	if n := k.countLost(); n > 0 {
		k.log.Info("the store lacks what the log lists: filling it", "generation", k.generation, "sink", k.sink, "documents", n)
		k.unclean = true
	}
	return nil
}

// newestFor is the last message of INDEXED that lists something for a store.
func (k *keeper[E]) newestFor(id string) (newest uint64) {
	k.bus.Outputs(contract.StreamIndexed).Range(func(o bus.OutputKey, h contract.OutputHead) bool {
		if o.Generation == k.generation && o.Sink == k.sink && h.Store == id {
			newest = max(newest, h.Seq)
		}
		return true
	})
	return newest
}

// findLost notes every document whose listing does not hold.
func (k *keeper[E]) findLost() {
	lost := map[docKey]bool{}
	k.bus.Outputs(contract.StreamIndexed).Range(func(o bus.OutputKey, h contract.OutputHead) bool {
		if o.Generation == k.generation && o.Sink == k.sink && !k.holds(h.Store, h.Seq) {
			lost[docKey{o.Source, o.Doc}] = true
		}
		return true
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	for d := range lost {
		k.lost[d] = true
	}
}

func (k *keeper[E]) countLost() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.lost)
}

// recover applies again what was lost, and sweeps the store after that: a
// copy may hold what was deleted since.
func (k *keeper[E]) recover(ctx context.Context) error {
	lost := k.takeLost()
	for batch := range slices.Chunk(lost, refillBatch) {
		batch = slices.DeleteFunc(batch, k.isHeld) // since it was noted
		if _, err := k.restore(ctx, batch); err != nil {
			k.giveBack(lost) // those done are held by then
			return err
		}
		k.counters.refilled.Add(uint64(len(batch)))
	}
	if !k.unclean {
		return nil
	}
	r, err := k.sweep(ctx)
	if err != nil {
		return err
	}
	if r.Removed+r.Restored > 0 {
		k.log.Warn("the store differed from what INDEXED lists", "generation", k.generation, "sink", k.sink,
			"removed", r.Removed, "restored", r.Restored, "compared", r.Compared)
	}
	k.unclean = false
	return nil
}

func (k *keeper[E]) takeLost() []docKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	lost := slices.Collect(maps.Keys(k.lost))
	clear(k.lost)
	return lost
}

// isHeld reports whether the store holds what INDEXED lists of a document.
func (k *keeper[E]) isHeld(d docKey) bool {
	h, ok := k.bus.Outputs(contract.StreamIndexed).Get(k.key(d.source, d.doc))
	return ok && k.holds(h.Store, h.Seq)
}

func (k *keeper[E]) giveBack(docs []docKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range docs {
		k.lost[d] = true
	}
}

// advance notes how far the store is complete. Every message of INDEXED was
// applied before it was published, by whichever process, so what the table
// has seen is in the store; what the lineage says does not hold is no part of
// the claim.
func (k *keeper[E]) advance(ctx context.Context) error {
	k.mu.Lock()
	next := store.Mark{ID: k.marked.ID, Position: max(k.newest, k.marked.Position)}
	k.mu.Unlock()
	if next == k.marked {
		return nil
	}
	now, err := k.store.Mark(ctx)
	if err != nil {
		return err
	}
	if now != k.marked {
		k.known = false // it went back since the look a moment ago
		return nil
	}
	if err := k.store.SetMark(ctx, next); err != nil {
		return fmt.Errorf("write the mark of the %s store: %w", k.sink, err)
	}
	k.marked = next
	key := bus.RecordKey{Generation: k.generation, Sink: k.sink}
	return k.bus.Records().Change(ctx, key, func(r contract.StoreRecord) (contract.StoreRecord, bool) {
		change := r.Store == next.ID && r.Position < next.Position
		r.Position = max(r.Position, next.Position)
		return r, change
	})
}

// leave notes the position once more, so that nothing is applied again after
// a clean stop. A store that cannot be reached now is looked at by the next
// keeper.
func (k *keeper[E]) leave(ctx context.Context) error {
	if !k.known {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	last, err := k.bus.LastSeq(ctx, contract.StreamIndexed)
	if err == nil {
		err = k.bus.Outputs(contract.StreamIndexed).Wait(ctx, last)
	}
	if err == nil {
		err = k.advance(ctx)
	}
	if document.KindOf(err) == document.Unavailable || errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	return err
}
