package freshness

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// lack is the stretch of INDEXED that a store may not hold although it is
// listed for it: a store that crashed can lose what came after its position.
// It counts until the indexer has looked at the store, which then is noted as
// complete, or has another id.
type lack struct {
	store       string
	after, upTo uint64
}

func (l lack) includes(store string, seq uint64) bool {
	return store == l.store && seq > l.after && seq <= l.upTo
}

// Doubt notes that a store did not answer: when it does again, it may have
// lost something.
func (x *Index) Doubt(g document.Generation, sink document.Sink) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.doubts[bus.RecordKey{Generation: g, Sink: sink}] = true
}

// resolveDoubts reads how far the stores in doubt are complete; those that do
// not answer stay in doubt. It reports whether anything was read.
func (x *Index) resolveDoubts(ctx context.Context) (read bool) {
	x.mu.Lock()
	var keys []bus.RecordKey
	for k := range x.doubts {
		keys = append(keys, k)
	}
	x.mu.Unlock()
	for _, k := range keys {
		mark, err := x.stores.Mark(ctx, k.Generation, k.Sink)
		if err != nil {
			continue
		}
		l := lack{store: mark.ID, after: mark.Position}
		x.indexed.Range(func(o bus.OutputKey, h contract.OutputHead) bool {
			if o.Generation == k.Generation && o.Sink == k.Sink && h.Store == l.store {
				l.upTo = max(l.upTo, h.Seq)
			}
			return true
		})
		x.mu.Lock()
		delete(x.doubts, k)
		if l.after < l.upTo {
			x.lacks[k] = l
		}
		x.lacking.Store(int32(len(x.lacks)))
		x.mu.Unlock()
		read = true
	}
	return read
}

// forgetLacks drops what the indexer has looked at. x.mu is held.
func (x *Index) forgetLacks() {
	for k, l := range x.lacks {
		if r := x.records.Get(k); r.Store != l.store || r.Position >= l.upTo {
			delete(x.lacks, k)
		}
	}
	x.lacking.Store(int32(len(x.lacks)))
}

// storeChanged follows the records. That a store is complete further than
// before is no news, but where something was lacking.
func (x *Index) storeChanged(_ bus.RecordKey, old, now contract.StoreRecord) {
	if old.Store != now.Store || x.lacking.Load() > 0 {
		x.queue.push(event{kind: everything})
	}
}
