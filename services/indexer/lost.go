package indexer

import (
	"context"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// observe follows INDEXED.
func (k *keeper[E]) observe(key bus.OutputKey, _, now contract.OutputHead) {
	if key.Generation != k.generation || key.Sink != k.sink || now.Seq == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.newest = max(k.newest, now.Seq)
	if k.Holds(now.Store, now.Seq) {
		return
	}
	// A worker that had not heard yet of the store's new id.
	k.lost[docKey{Source: key.Source, Doc: key.Doc}] = true
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// findLost notes every document whose listing does not hold.
func (k *keeper[E]) findLost() {
	lost := map[docKey]bool{}
	k.bus.Outputs(contract.StreamIndexed).Range(func(o bus.OutputKey, h contract.OutputHead) bool {
		if o.Generation == k.generation && o.Sink == k.sink && !k.Holds(h.Store, h.Seq) {
			lost[docKey{Source: o.Source, Doc: o.Doc}] = true
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
		// Not in place: what stands in lost may have to be given back.
		batch = slices.DeleteFunc(slices.Clone(batch), k.isHeld) // since it was noted
		if _, err := k.Restore(ctx, batch); err != nil {
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
	h, ok := k.bus.Outputs(contract.StreamIndexed).Get(k.key(d.Source, d.Doc))
	return ok && k.Holds(h.Store, h.Seq)
}

func (k *keeper[E]) giveBack(docs []docKey) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, d := range docs {
		k.lost[d] = true
	}
}
