package indexer

import (
	"context"
	"errors"
	"fmt"
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

// countAgain is how many looks after the last change of a store count its
// chunks once more.
const countAgain = 1 + int(unseenFor/keepEvery)

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

	shown   store.Mark // with which the chunks were counted
	counted int        // times with that mark: deletions take unseenFor to be seen
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
	s.tellRecovered()
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	sweep := time.NewTicker(every)
	defer sweep.Stop()
	for ctx.Err() == nil {
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
	defer s.show(store.Mark{}, 0)
	defer s.note(nil)
	return k.leave(context.WithoutCancel(ctx))
}

// attend brings the lineage in line with the store, applies again what the
// store lost, and notes how far it is complete.
func (k *keeper[E]) attend(ctx context.Context) error {
	mark, err := k.store.Mark(ctx)
	if err != nil {
		if ctx.Err() == nil {
			k.known = false // what comes back may be another store, or an older copy
		}
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
	k.outlook.filled.Store(true)
	if err := k.advance(ctx); err != nil {
		return err
	}
	if k.shown != k.marked {
		k.counted = 0
	}
	if k.counted > countAgain {
		return nil
	}
	n, err := k.store.Count(ctx)
	if err != nil {
		return err
	}
	k.shown = k.marked
	k.counted++
	k.show(k.marked, n)
	return nil
}

// adopt takes the store as it is now into the lineage.
func (k *keeper[E]) adopt(ctx context.Context, mark store.Mark) error {
	if skipMark {
		var err error
		if mark, err = k.overlook(ctx, mark); err != nil {
			return err
		}
	}
	fresh := uuid.NewString()
	if mark.ID == "" {
		// Made before anybody is told of it. Until then its id is none that
		// the log knows, so nobody trusts it.
		if err := k.store.SetMark(ctx, store.Mark{ID: fresh}); err != nil {
			return fmt.Errorf("make the %s store: %w", k.sink, err)
		}
	}
	newest, known := k.newestFor(mark.ID), k.record() // before the end of the log, which it never is above
	last, err := k.bus.LastSeq(ctx, contract.StreamIndexed)
	if err != nil {
		return err
	}
	// A store that is ahead of the log, or was when its record was written, may hold
	// what a part of it listed that was lost. The sequences of that part are given
	// again, to other messages, so that nothing may count as held because of them.
	ahead := mark.Position > last || known.Store == mark.ID && known.Position > last
	if ahead {
		k.log.Warn("the log went back: the store is ahead of it", "generation", k.generation, "sink", k.sink, "store", max(mark.Position, known.Position), "log", last)
		mark.Position, k.unclean = min(mark.Position, last), true
	}
	var renamed bool
	var held uint64 // up to where the present log's listings hold
	key := bus.RecordKey{Generation: k.generation, Sink: k.sink}
	if known.Store == mark.ID && mark.Position < known.Position && !skipMark {
		// It went back. Where all that was deleted since is purged, no listing
		// tells so, and what it holds again nobody lists.
		k.unclean = true
	}
	err = k.bus.Records().Change(ctx, key, func(r contract.StoreRecord) (contract.StoreRecord, bool) {
		next := r
		next.Lineage, renamed = r.Adopt(mark.ID, mark.Position, newest, fresh)
		if ahead && !renamed {
			next.Lineage, renamed = r.Renew(mark.Position, fresh), true
		}
		if renamed {
			held = heldOf(next.Lineage, mark.ID)
			next.Position = held
		}
		return next, renamed || r.Store == ""
	})
	if err != nil {
		return err
	}
	if renamed {
		// Until this is written, the store's id is past, and nobody trusts it.
		// A position of another log would hide that the store goes back.
		mark = store.Mark{ID: fresh, Position: held}
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

// heldOf is the INDEXED sequence up to which what was listed for an earlier id
// of a store still holds; 0 where nothing does.
func heldOf(l contract.Lineage, id string) uint64 {
	if n := len(l.Past); n > 0 && l.Past[n-1].Store == id {
		return l.Past[n-1].UpTo
	}
	return 0
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

// purgedUpTo is how far the store was known to be complete before it went back, where no
// message of INDEXED is left behind what was seen: all that was listed there is purged, and
// nothing that it lists can be missing. Without that the store would never come to be known
// again, until something else is listed.
func (k *keeper[E]) purgedUpTo(ctx context.Context) (uint64, error) {
	r := k.record()
	if r.Store != k.marked.ID || r.Position <= k.marked.Position {
		return 0, nil
	}
	last, err := k.bus.LastSeq(ctx, contract.StreamIndexed)
	if err == nil {
		err = k.bus.Outputs(contract.StreamIndexed).Wait(ctx, last) // what is left is seen by then
	}
	if err != nil {
		return 0, err
	}
	return min(r.Position, last), nil
}

// advance notes how far the store is complete. Every message of INDEXED was
// applied before it was published, by whichever process, so what the table
// has seen is in the store; what the lineage says does not hold is no part of
// the claim.
func (k *keeper[E]) advance(ctx context.Context) error {
	purged, err := k.purgedUpTo(ctx)
	if err != nil {
		return err
	}
	k.mu.Lock()
	next := store.Mark{ID: k.marked.ID, Position: max(k.newest, k.marked.Position, purged)}
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

// leaveWithin bounds the last look. It is well below what a process may take
// to stop; what it does not get done is only applied again.
const leaveWithin = 2 * time.Second

// leave notes the position once more, so that nothing is applied again after
// a clean stop. A store that cannot be reached now is looked at by the next
// keeper.
func (k *keeper[E]) leave(ctx context.Context) error {
	if !k.known {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, leaveWithin)
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
