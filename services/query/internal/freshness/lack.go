package freshness

import (
	"context"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// lack is a stretch of INDEXED that a store had not got when the index began:
// after a crash it is behind what the log lists for it, and its indexer fills
// it again. Until its position has passed the stretch, nothing in there counts
// as settled.
type lack struct{ after, upTo uint64 }

func (l lack) includes(seq uint64) bool { return seq > l.after && seq <= l.upTo }

// lackPoll is how often the position of a store that lacks something is asked
// for; most starts lack nothing.
const lackPoll = 20 * time.Millisecond

// readLacks compares each store's position with what the log lists for it.
func (x *Index) readLacks(ctx context.Context) {
	listed := map[storeKey]uint64{}
	x.indexed.Range(func(k bus.OutputKey, h contract.OutputHead) bool {
		key := storeKey{k.Generation, k.Sink}
		if h.Store == x.ids[key] {
			listed[key] = max(listed[key], h.Seq)
		}
		return true
	})
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, g := range x.stores.Generations() {
		for _, sink := range document.Sinks {
			key := storeKey{g, sink}
			if l := (lack{x.position(ctx, key), listed[key]}); l.after < l.upTo {
				x.lacks[key] = l
			}
		}
	}
}

// position is 0 for a store that does not answer.
func (x *Index) position(ctx context.Context, k storeKey) uint64 {
	p, err := x.stores.Position(ctx, k.generation, k.sink)
	if err != nil {
		return 0
	}
	return p
}

// filled reports whether a store has got what it lacked since the last call.
func (x *Index) filled(ctx context.Context) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := len(x.lacks)
	for key, l := range x.lacks {
		if x.position(ctx, key) >= l.upTo {
			delete(x.lacks, key)
		}
	}
	return len(x.lacks) < before
}

// lacksAny reports whether some store is behind the log.
func (x *Index) lacksAny() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.lacks) > 0
}
