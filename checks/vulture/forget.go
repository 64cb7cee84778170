package vulture

import (
	"context"
	"slices"
	"time"
)

// horizon is how long the history of a file is kept. No question is open that
// long, and no token older than that is asked with.
const horizon = 5 * time.Minute

// forgetting drops what nothing can be judged by any more, so that a vulture
// can circle for ever.
func (v *Vulture) forgetting(ctx context.Context, stop <-chan struct{}) {
	tick := time.NewTicker(horizon / 10)
	defer tick.Stop()
	var floors []uint64 // acknowledged at each tick, newest last
	for {
		select {
		case <-tick.C:
		case <-stop:
			return
		case <-ctx.Done():
			return
		}
		floors = append(floors, v.world.acknowledged())
		if len(floors) > 10 {
			v.world.forget(floors[0])
			floors = floors[1:]
		}
	}
}

// forget drops the states and versions that were replaced at seq, and the
// files that were gone then.
func (w *world) forget(seq uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for at, f := range w.files {
		if base := f.base(seq); base > 0 {
			f.states = slices.Clone(f.states[base:])
		}
		n := 0
		for n+1 < len(f.log) && f.log[n+1].seq <= seq {
			n++
		}
		f.log = slices.Clone(f.log[n:])
		if len(f.states) == 1 && f.states[0].content == nil && f.base(seq) == 0 {
			delete(w.files, at)
		}
	}
}
