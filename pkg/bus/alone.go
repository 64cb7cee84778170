package bus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/freshet-dev/freshet/pkg/contract"
)

const (
	// aloneEvery is how often a holder is asked whether it lives.
	aloneEvery = time.Second
	// alonePatience is how long it may take to answer. One that is not
	// connected at all is noticed at once.
	alonePatience = 5 * time.Second
)

// RunAlone runs fn while no other process of the deployment runs one under the
// same role; until then it waits in reserve. It takes over as soon as the
// holder has ended or is no longer connected. fn's context ends when the role
// went to somebody else, which can happen to a process that hung or was cut
// off; the role then is waited for again. So for a moment two may believe to
// hold it: what fn writes has to stand that.
//
// It returns when ctx ends, or with fn's error.
func (b *Bus) RunAlone(ctx context.Context, role string, fn func(ctx context.Context) error) (err error) {
	defer func() {
		if ctx.Err() != nil && errors.Is(err, context.Canceled) {
			err = nil // it was ended before all was open
		}
	}()
	me, err := b.roles.self()
	if err != nil {
		return err
	}
	kv, err := b.js.KeyValue(ctx, contract.BucketMeta)
	if err != nil {
		return fmt.Errorf("open bucket %s: %w", contract.BucketMeta, err)
	}
	return b.roles.run(ctx, kv, role, me, fn)
}

// run is RunAlone in a bucket. A log that does not answer in time ends nothing: the
// role is taken again as soon as it does.
func (r *roles) run(ctx context.Context, kv jetstream.KeyValue, role, me string, fn func(context.Context) error) error {
	key := "role." + role
	// Two of one process take turns: by its name alone they could not be told apart.
	turn := r.turnOf(role)
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return nil
	}
	for ctx.Err() == nil {
		var watch jetstream.KeyWatcher
		revision, err := r.take(ctx, kv, key, me)
		if err == nil {
			if watch, err = kv.Watch(ctx, key); err != nil {
				err = fmt.Errorf("watch %s: %w", key, err)
			}
		}
		if err == nil {
			if err := r.hold(ctx, kv, watch, key, revision, fn); err != nil {
				return err
			}
			continue
		}
		if ctx.Err() == nil {
			r.bus.complain(fmt.Errorf("take the role %s: %w", role, err))
			pause(ctx, aloneEvery)
		}
	}
	return nil
}

// roles are those that this process takes.
type roles struct {
	bus *Bus

	mu   sync.Mutex
	name string // under which this process holds them
	turn map[string]chan struct{}
}

// turnOf holds one while somebody of this process holds a role, or waits for it.
func (r *roles) turnOf(role string) chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.turn == nil {
		r.turn = map[string]chan struct{}{}
	}
	if r.turn[role] == nil {
		r.turn[role] = make(chan struct{}, 1)
	}
	return r.turn[role]
}

// self is the name under which this process holds roles. Whoever asks on its
// subject gets an answer while the connection lives.
func (r *roles) self() (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.name == "" {
		name := nuid.Next()
		if _, err := r.bus.nc.Subscribe(contract.AliveSubject(name), func(m *nats.Msg) { _ = m.Respond(nil) }); err != nil {
			return "", fmt.Errorf("listen for who asks whether this process lives: %w", err)
		}
		r.name = name
	}
	return r.name, nil
}

// take waits until the role is free and takes it.
func (r *roles) take(ctx context.Context, kv jetstream.KeyValue, key, me string) (revision uint64, err error) {
	watch, err := kv.Watch(ctx, key)
	if err != nil {
		return 0, fmt.Errorf("watch %s: %w", key, err)
	}
	defer func() { _ = watch.Stop() }()
	silent := time.Time{} // when the holder first failed to answer in time
	for {
		e, err := kv.Get(ctx, key)
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			revision, err = kv.Create(ctx, key, []byte(me))
		case err != nil:
			return 0, fmt.Errorf("read %s: %w", key, err)
		default:
			free := string(e.Value()) == me
			if !free {
				free = r.gone(ctx, string(e.Value()), &silent)
			}
			if !free {
				select {
				case <-ctx.Done():
					return 0, ctx.Err()
				case <-watch.Updates(): // given back, perhaps
				case <-time.After(aloneEvery):
				}
				continue
			}
			revision, err = kv.Update(ctx, key, []byte(me), e.Revision())
		}
		if errors.Is(err, jetstream.ErrKeyExists) {
			continue // somebody was faster
		}
		if err != nil {
			return 0, fmt.Errorf("write %s: %w", key, err)
		}
		return revision, nil
	}
}

// gone reports whether a holder has ended.
func (r *roles) gone(ctx context.Context, holder string, silent *time.Time) bool {
	ask, cancel := context.WithTimeout(ctx, aloneEvery)
	defer cancel()
	_, err := r.bus.nc.RequestWithContext(ask, contract.AliveSubject(holder), nil)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return true
	case err == nil || ctx.Err() != nil:
		*silent = time.Time{}
		return false
	}
	if silent.IsZero() {
		*silent = time.Now()
	}
	return time.Since(*silent) > alonePatience
}

// hold runs fn until it returns, or somebody else has the role, or ctx ends;
// then it gives the role back, and ends watch.
func (r *roles) hold(ctx context.Context, kv jetstream.KeyValue, watch jetstream.KeyWatcher, key string, revision uint64, fn func(context.Context) error) error {
	life, end := context.WithCancel(ctx)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		for {
			select {
			case <-life.Done():
				return
			case e, ok := <-watch.Updates():
				if !ok || e != nil && e.Revision() > revision {
					end()
					return
				}
			}
		}
	}()
	err := fn(life)
	lost := life.Err() != nil && ctx.Err() == nil
	end()
	<-watched
	_ = watch.Stop()
	if !lost {
		// The next in reserve need not find out that this process has ended.
		give, cancel := context.WithTimeout(context.WithoutCancel(ctx), aloneEvery)
		defer cancel()
		_ = kv.Delete(give, key, jetstream.LastRevision(revision))
	}
	if lost && (err == nil || errors.Is(err, context.Canceled)) {
		return nil
	}
	return err
}

// pause waits for d; false when ctx ended before.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
