package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Bucket is a key-value bucket of the log. It is safe for concurrent use.
type Bucket struct {
	bus  *Bus
	name string
}

// Entry is what a bucket has under a key.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64
	Removed  bool // somebody has deleted the key, and left a mark
}

// followAgain is how long after a watch that ended the next one begins.
const followAgain = 200 * time.Millisecond

// Bucket returns a bucket of the log by its name. It need not be there yet.
func (b *Bus) Bucket(name string) Bucket { return Bucket{b, name} }

func (k Bucket) open(ctx context.Context) (jetstream.KeyValue, error) {
	kv, err := k.bus.js.KeyValue(ctx, k.name)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", k.name, err)
	}
	return kv, nil
}

// Get returns a value and its revision, nil and 0 where there is none.
func (k Bucket) Get(ctx context.Context, key string) (value []byte, revision uint64, err error) {
	kv, err := k.open(ctx)
	if err != nil {
		return nil, 0, err
	}
	e, err := kv.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read %s of bucket %s: %w", key, k.name, err)
	}
	return e.Value(), e.Revision(), nil
}

// Put writes a value, whatever was there, and returns its revision.
func (k Bucket) Put(ctx context.Context, key string, value []byte) (revision uint64, err error) {
	kv, err := k.open(ctx)
	if err != nil {
		return 0, err
	}
	if revision, err = kv.Put(ctx, key, value); err != nil {
		return 0, fmt.Errorf("write %s to bucket %s: %w", key, k.name, err)
	}
	return revision, nil
}

// Update writes a value in the place of the one with a revision; 0 stands for
// none. The error is ErrConflict where another is there.
func (k Bucket) Update(ctx context.Context, key string, value []byte, revision uint64) (next uint64, err error) {
	kv, err := k.open(ctx)
	if err != nil {
		return 0, err
	}
	if revision == 0 {
		next, err = kv.Create(ctx, key, value)
	} else {
		next, err = kv.Update(ctx, key, value, revision)
	}
	return next, k.written(key, err)
}

// Remove deletes the value with a revision, and leaves a mark. The error is
// ErrConflict where another is there.
func (k Bucket) Remove(ctx context.Context, key string, revision uint64) error {
	kv, err := k.open(ctx)
	if err != nil {
		return err
	}
	return k.written(key, kv.Purge(ctx, key, jetstream.LastRevision(revision)))
}

func (k Bucket) written(key string, err error) error {
	switch {
	case errors.Is(err, jetstream.ErrKeyExists):
		return ErrConflict
	case err != nil:
		return fmt.Errorf("write %s to bucket %s: %w", key, k.name, err)
	}
	return nil
}

// Forget removes a key without leaving a mark that it was there.
func (k Bucket) Forget(ctx context.Context, key string) error {
	s, err := k.bus.js.Stream(ctx, contract.KeyStream(k.name))
	if err != nil {
		return fmt.Errorf("open bucket %s: %w", k.name, err)
	}
	if err := s.Purge(ctx, jetstream.WithPurgeSubject(contract.KeyAddress(k.name, key))); err != nil {
		return fmt.Errorf("remove %s from bucket %s: %w", key, k.name, err)
	}
	return nil
}

// All returns what the bucket has under keys, which may be a pattern, by key.
func (k Bucket) All(ctx context.Context, keys string) ([]Entry, error) {
	kv, err := k.open(ctx)
	if err != nil {
		return nil, err
	}
	watch, err := kv.Watch(ctx, keys, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("read bucket %s: %w", k.name, err)
	}
	defer func() { _ = watch.Stop() }()
	var out []Entry
	for {
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("read bucket %s: %w", k.name, ctx.Err())
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return nil, fmt.Errorf("the reading of bucket %s broke off", k.name)
			case e == nil:
				slices.SortFunc(out, func(a, b Entry) int { return strings.Compare(a.Key, b.Key) })
				return out, nil
			}
			out = append(out, Entry{Key: e.Key(), Value: e.Value(), Revision: e.Revision()})
		}
	}
}

// Follow calls told with what the bucket has under keys, which may be a pattern,
// and with every change, until ctx ends. Calls come one after the other; the
// same entry may come twice. loaded is called with the number of entries that
// were there, once all of them are told: at the start, and whenever the bucket
// had to be read anew.
func (k Bucket) Follow(ctx context.Context, keys string, told func(Entry), loaded func(entries int)) {
	for ctx.Err() == nil {
		// The bucket may not be made yet.
		if err := k.follow(ctx, keys, told, loaded); err != nil && ctx.Err() == nil && !errors.Is(err, jetstream.ErrBucketNotFound) {
			k.bus.complain(err)
		}
		pause(ctx, followAgain)
	}
}

func (k Bucket) follow(ctx context.Context, keys string, told func(Entry), loaded func(int)) error {
	kv, err := k.open(ctx)
	if err != nil {
		return err
	}
	watch, err := kv.Watch(ctx, keys)
	if err != nil {
		return fmt.Errorf("watch bucket %s: %w", k.name, err)
	}
	defer func() { _ = watch.Stop() }()
	entries := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-watch.Updates():
			switch {
			case !ok:
				return fmt.Errorf("the watch of bucket %s ended", k.name)
			case e == nil:
				loaded(entries)
			default:
				entries++
				told(Entry{e.Key(), e.Value(), e.Revision(), e.Operation() != jetstream.KeyValuePut})
			}
		}
	}
}
