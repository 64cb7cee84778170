package bus

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// What an object of the claim check knows of its owner.
const (
	ownerSubject = "subject"
	ownerExpect  = "expect"
)

// owner is the one message that may ever name an object: the next one on a
// subject behind the sequence expect. Each publish has an object of its own,
// and a publish is a compare-and-swap; so an object whose subject has moved on,
// to a message that does not name it, is named by nobody ever again.
type owner struct {
	Name    string // of the object; no other publish has it
	Subject string
	Expect  uint64
}

// claim is the body of a publish that is under way.
type claim struct {
	owner
	body []byte
}

// bodies are the large ones, in the object store of the log.
type bodies struct {
	bus *Bus

	mu    sync.Mutex
	store jetstream.ObjectStore // nil until it is needed
}

// opened says which store it is.
func (o *bodies) opened(store jetstream.ObjectStore) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.store = store
}

// add puts a body into the object store, for the message that follows
// expect on a subject.
func (o *bodies) add(ctx context.Context, subject string, expect uint64, body []byte) (*claim, error) {
	var name [32]byte
	_, _ = rand.Read(name[:]) // it never fails
	c := &claim{owner{hex.EncodeToString(name[:]), subject, expect}, body}
	return c, o.put(ctx, c)
}

func (o *bodies) open(ctx context.Context) (jetstream.ObjectStore, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.store == nil {
		s, err := o.bus.js.ObjectStore(ctx, contract.BucketBodies)
		if err != nil {
			return nil, StoreWide(fmt.Errorf("open bucket %s: %w", contract.BucketBodies, err))
		}
		o.store = s
	}
	return o.store, nil
}

func (o *bodies) put(ctx context.Context, c *claim) error {
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	meta := jetstream.ObjectMeta{Name: c.Name}
	if c.Subject != "" {
		meta.Metadata = map[string]string{ownerSubject: c.Subject, ownerExpect: strconv.FormatUint(c.Expect, 10)}
	}
	putting, stop := o.bus.Room().while(ctx)
	defer stop()
	_, err = s.Put(putting, meta, bytes.NewReader(c.body))
	if putting.Err() != nil && ctx.Err() == nil {
		err = context.Cause(putting)
	}
	if err != nil {
		return StoreWide(fmt.Errorf("put body %s: %w", c.Name, err))
	}
	return nil
}

// settle ends a publish whose body is an object. One that was taken looks
// whether the object is still there: where the publish came so late that the
// collector gave it up, or its subject was emptied meanwhile, it is put again.
// The object of one that lost its compare-and-swap is the collector's: who
// publishes need not have the right to remove bodies.
func (o *bodies) settle(ctx context.Context, c *claim, ack Ack) Ack {
	if ack.Err != nil {
		return ack
	}
	there, err := o.has(ctx, c.Name)
	if err == nil && !there {
		err = o.put(ctx, c)
	}
	ack.Err = err
	return ack
}

// has reports whether an object is there.
func (o *bodies) has(ctx context.Context, name string) (bool, error) {
	s, err := o.open(ctx)
	if err != nil {
		return false, err
	}
	_, err = s.GetInfo(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return false, nil
	}
	if err != nil {
		return false, StoreWide(fmt.Errorf("look for body %s: %w", name, err))
	}
	return true, nil
}

func (o *bodies) get(ctx context.Context, name string) ([]byte, error) {
	s, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	body, err := readObject(ctx, s, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, ErrGone
	}
	if errors.Is(err, jetstream.ErrDigestMismatch) || isGarbage(err) {
		return nil, fmt.Errorf("get body %s: %w", name, err)
	}
	if err != nil {
		return nil, StoreWide(fmt.Errorf("get body %s: %w", name, err))
	}
	return body, nil
}

// readObject returns the bytes of an object. The library waits for a part until ctx's
// deadline, though ctx be cancelled long before: it is left to that, so that whoever is
// told to end does.
func readObject(ctx context.Context, s jetstream.ObjectStore, name string) ([]byte, error) {
	type read struct {
		body []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		body, err := s.GetBytes(ctx, name)
		done <- read{body, err}
	}()
	select {
	case r := <-done:
		return r.body, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// dropTimeout bounds the removal of one object.
const dropTimeout = 10 * time.Second

// drop removes an object and what tells of it: no mark that it was deleted
// stays behind, as Delete of an object store would leave one.
func (o *bodies) drop(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, dropTimeout)
	defer cancel()
	s, err := o.open(ctx)
	if err != nil {
		return err
	}
	info, err := s.GetInfo(ctx, name, jetstream.GetObjectInfoShowDeleted())
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for body %s: %w", name, err)
	}
	// First what tells of it, so that nobody finds an object without its bytes.
	if err := o.purge(ctx, infoSubject(name)); err != nil {
		return err
	}
	return o.purge(ctx, contract.BodyPiece+info.NUID)
}

func (o *bodies) purge(ctx context.Context, subject string) error {
	s, err := o.bus.js.Stream(ctx, contract.StreamBodies)
	if err != nil {
		return fmt.Errorf("open bucket %s: %w", contract.BucketBodies, err)
	}
	if err := s.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
		return fmt.Errorf("remove bodies of %s: %w", subject, err)
	}
	return nil
}

// ownerOf reads whose an object is; the subject is empty for one of a release
// that kept bodies by their content.
func ownerOf(info *jetstream.ObjectInfo) owner {
	subject := info.Metadata[ownerSubject]
	expect, err := strconv.ParseUint(info.Metadata[ownerExpect], 10, 64)
	if _, perr := contract.ParseSubject(subject); err != nil || perr != nil {
		return owner{Name: info.Name}
	}
	return owner{info.Name, subject, expect}
}
