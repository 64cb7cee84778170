package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// RecordKey names the store behind a sink of a generation.
type RecordKey struct {
	Generation document.Generation
	Sink       document.Sink
}

// Records are what the log knows of the stores, kept up to date by a watch. It
// is safe for concurrent use, and may lag behind the log by a moment.
type Records struct {
	bus *Bus

	mu        sync.Mutex
	records   map[RecordKey]record
	observers map[int]func(k RecordKey, old, now contract.StoreRecord)
	nextID    int
	ready     chan struct{} // closed when what was there at the start is in
}

type record struct {
	contract.StoreRecord
	revision uint64
}

// Records returns the records of the stores. The watch starts at first use.
func (b *Bus) Records() *Records {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.records == nil {
		b.records = &Records{bus: b, records: map[RecordKey]record{}, observers: map[int]func(RecordKey, contract.StoreRecord, contract.StoreRecord){}, ready: make(chan struct{})}
		b.wg.Go(b.records.run)
	}
	return b.records
}

func (r *Records) run() {
	r.bus.Bucket(contract.BucketStores).Follow(r.bus.ctx, ">", func(e Entry) {
		if e.Removed {
			return
		}
		if err := r.note(e.Key, e.Value, e.Revision); err != nil {
			r.bus.complain(err) // it costs that record alone
		}
	}, func(int) { r.loaded() })
}

func (r *Records) loaded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.ready:
	default:
		close(r.ready)
	}
}

func (r *Records) note(key string, value []byte, revision uint64) error {
	generation, sink, ok := strings.Cut(key, ".")
	if !ok {
		return fmt.Errorf("bucket %s: %q is not generation.sink", contract.BucketStores, key)
	}
	next := record{revision: revision}
	if err := json.Unmarshal(value, &next.StoreRecord); err != nil {
		return fmt.Errorf("read the record of the store %s: %w", key, err)
	}
	k := RecordKey{document.Generation(generation), document.Sink(sink)}
	r.mu.Lock()
	defer r.mu.Unlock()
	old := r.records[k]
	if old.revision >= revision {
		return nil // written by this process already
	}
	r.records[k] = next
	for _, fn := range r.observers {
		fn(k, old.StoreRecord, next.StoreRecord)
	}
	return nil
}

// Ready waits until the records that were there at the start are known.
func (r *Records) Ready(ctx context.Context) error {
	select {
	case <-r.ready:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for bucket %s: %w", contract.BucketStores, ctx.Err())
	}
}

// Get returns a record; the zero record where there is none.
func (r *Records) Get(k RecordKey) contract.StoreRecord {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.records[k].StoreRecord
}

// Change replaces a record by what fn makes of the present one, which is read
// from the log; a concurrent change makes fn run again. fn returning false
// leaves it as it is.
func (r *Records) Change(ctx context.Context, k RecordKey, fn func(contract.StoreRecord) (contract.StoreRecord, bool)) error {
	bucket, key := r.bus.Bucket(contract.BucketStores), contract.StoreKey(k.Generation, k.Sink)
	for {
		raw, revision, err := bucket.Get(ctx, key)
		if err != nil {
			return err
		}
		var now contract.StoreRecord
		if json.Unmarshal(raw, &now) != nil {
			// What it said is lost: the store counts as one that nothing is known of.
			now = contract.StoreRecord{}
		}
		next, change := fn(now)
		if !change {
			return nil
		}
		js, err := json.Marshal(next)
		if err != nil {
			return fmt.Errorf("encode the record of the store %s: %w", key, err)
		}
		revision, err = bucket.Update(ctx, key, js, revision)
		if errors.Is(err, ErrConflict) {
			continue
		}
		if err != nil {
			return err
		}
		// Known here at once, not when the watch comes round.
		return r.note(key, js, revision)
	}
}

// Observe calls fn after every change of a record until cancel is called. fn
// runs under a lock: it must be quick and must not call the Records.
func (r *Records) Observe(fn func(k RecordKey, old, now contract.StoreRecord)) (cancel func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := r.nextID
	r.nextID++
	r.observers[id] = fn
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.observers, id)
	}
}
