package freshness

import (
	"context"
	"sync"
	"sync/atomic"

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

// holdings is what is known of how far the stores hold what INDEXED lists. It is
// safe for concurrent use, and calls nobody who may hold the lock of an Index.
type holdings struct {
	stores  Stores
	records *bus.Records
	indexed *bus.Table[bus.OutputKey, contract.OutputHead]

	mu      sync.Mutex
	doubts  map[bus.RecordKey]bool // stores of which it is not known how far they are complete
	lacks   map[bus.RecordKey]lack
	lacking atomic.Int32 // stores in lacks: an observer of the records must not wait for mu
}

// doubt notes that a store did not answer: when it does again, it may have
// lost something.
func (h *holdings) doubt(g document.Generation, sink document.Sink) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.doubts[bus.RecordKey{Generation: g, Sink: sink}] = true
}

// resolve reads how far the stores in doubt are complete; those that do not
// answer stay in doubt. It reports whether anything was read.
func (h *holdings) resolve(ctx context.Context) (read bool) {
	h.mu.Lock()
	var keys []bus.RecordKey
	for k := range h.doubts {
		keys = append(keys, k)
	}
	h.mu.Unlock()
	for _, k := range keys {
		mark, err := h.stores.Mark(ctx, k.Generation, k.Sink)
		if err != nil {
			continue
		}
		l := lack{store: mark.ID, after: mark.Position}
		h.indexed.Range(func(o bus.OutputKey, out contract.OutputHead) bool {
			if o.Generation == k.Generation && o.Sink == k.Sink && out.Store == l.store {
				l.upTo = max(l.upTo, out.Seq)
			}
			return true
		})
		h.mu.Lock()
		delete(h.doubts, k)
		if l.after < l.upTo {
			h.lacks[k] = l
		}
		h.lacking.Store(int32(len(h.lacks)))
		h.mu.Unlock()
		read = true
	}
	return read
}

// now are the ids of the stores that the log knows.
func (h *holdings) now() map[bus.RecordKey]string {
	ids := map[bus.RecordKey]string{}
	for _, g := range h.stores.Generations() {
		for _, sink := range document.Sinks {
			key := bus.RecordKey{Generation: g, Sink: sink}
			ids[key] = h.records.Get(key).Store
		}
	}
	return ids
}

// forget drops the lacks that the indexer has looked at.
func (h *holdings) forget() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k, l := range h.lacks {
		if r := h.records.Get(k); r.Store != l.store || r.Position >= l.upTo {
			delete(h.lacks, k)
		}
	}
	h.lacking.Store(int32(len(h.lacks)))
}

// hold reports whether the present store is known to hold what INDEXED lists.
func (h *holdings) hold(k bus.OutputKey, out *contract.OutputHead) bool {
	key := bus.RecordKey{Generation: k.Generation, Sink: k.Sink}
	if !h.records.Get(key).Holds(out.Store, out.Seq) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.lacks[key].includes(out.Store, out.Seq)
}

// Doubt notes that a store did not answer: when it does again, it may have
// lost something.
func (x *Index) Doubt(g document.Generation, sink document.Sink) { x.holdings.doubt(g, sink) }

// Holds reports whether the present store is known to hold what a head of
// INDEXED lists.
func (x *Index) Holds(out *contract.OutputHead) bool {
	return x.holdings.hold(bus.OutputKey{Generation: out.Generation, Sink: out.Sink, Source: out.Source, Doc: out.Doc}, out)
}

// storeChanged follows the records. That a store is complete further than
// before is no news, but where something was lacking.
func (x *Index) storeChanged(_ bus.RecordKey, old, now contract.StoreRecord) {
	if old.Store != now.Store || x.holdings.lacking.Load() > 0 {
		x.queue.push(event{kind: everything})
	}
}
