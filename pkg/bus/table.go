package bus

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Table is a head table: the headers of the last message of every subject of
// a stream, fed by one ordered headers-only consumer. It is safe for
// concurrent use. It may lag behind the log by a moment, never run ahead.
type Table[K comparable, H any] struct {
	log    *slog.Logger
	stream string
	filter string // subjects of the stream that are followed; empty: all
	decode func(subject string, seq uint64, header nats.Header) (key K, head H, present bool, err error)

	mu     sync.RWMutex
	heads  headMap[K, H]
	unread map[string]uint64 // sequences of unreadable last messages by subject
	seen   uint64
	last   delivery // of the message that was applied last
	ready  atomic.Bool
	failed error
	// born is when the stream that is followed was made, and restart follows
	// the one that has taken its place.
	born    time.Time
	restart context.CancelFunc
	// pending asks the leader how many messages the consumer has not got yet,
	// and up to which stream sequence that answer holds.
	pending   func(ctx context.Context) (n, upTo uint64, err error)
	changed   chan struct{} // closed and replaced when seen or ready changes and somebody waits
	waiting   bool
	observers map[int]func(k K, old, now H)
	nextID    int
}

func newTable[K comparable, H any](log *slog.Logger, stream string, heads headMap[K, H], decode func(string, uint64, nats.Header) (K, H, bool, error)) *Table[K, H] {
	return &Table[K, H]{log: log, stream: stream, heads: heads, decode: decode, unread: map[string]uint64{}, changed: make(chan struct{}), observers: map[int]func(K, H, H){}}
}

// startTable runs the table's consumer until ctx ends, at the latest when the
// Bus is closed.
func startTable[K comparable, H any](ctx context.Context, b *Bus, t *Table[K, H]) {
	b.wg.Add(1)
	go func() {
		defer b.wg.Done()
		for ctx.Err() == nil {
			err := t.follow(ctx, b)
			if ctx.Err() != nil {
				break
			}
			t.mu.Lock()
			t.failed = err
			t.wake()
			t.mu.Unlock()
			select {
			case <-time.After(200 * time.Millisecond):
			case <-ctx.Done():
			}
		}
		t.mu.Lock()
		t.failed = context.Canceled
		t.wake()
		t.mu.Unlock()
	}()
}

// tablePull is how many headers-only messages may be on their way.
const tablePull = 4096

// tableHeartbeat is pullHeartbeat for a table, whose consumer is then made anew:
// its first message may take seconds where there are a million subjects.
const tableHeartbeat = 5 * time.Second

// stallCheck is how long the table waits for a message before it asks the
// leader whether anything is pending: the last message may be one that was
// removed.
const stallCheck = 50 * time.Millisecond

func (t *Table[K, H]) follow(ctx context.Context, b *Bus) error {
	stream, err := b.js.Stream(ctx, t.stream)
	if err != nil {
		return fmt.Errorf("open stream %s: %w", t.stream, err)
	}
	cfg := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, HeadersOnly: true}
	if t.filter != "" {
		cfg.FilterSubjects = []string{t.filter}
	}
	cons, err := stream.OrderedConsumer(ctx, cfg)
	if err != nil {
		return fmt.Errorf("follow the heads of %s: %w", t.stream, err)
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return fmt.Errorf("ask for the state of %s: %w", t.stream, err)
	}
	if info.State.Msgs == 0 {
		t.caughtUp(info.State.LastSeq)
	}
	ctx, restart := context.WithCancel(ctx)
	defer restart()
	iter, err := cons.Messages(jetstream.PullMaxMessages(tablePull), jetstream.PullHeartbeat(tableHeartbeat))
	if err != nil {
		return fmt.Errorf("follow the heads of %s: %w", t.stream, err)
	}
	t.mu.Lock()
	t.born, t.restart = info.Created, restart
	t.pending = func(ctx context.Context) (n, upTo uint64, err error) {
		if upTo, err = b.LastSeq(ctx, t.stream); err != nil {
			return 0, 0, err
		}
		info, err := cons.Info(ctx)
		if err != nil {
			return 0, 0, err
		}
		t.mu.RLock()
		seen, last := t.seen, t.last
		t.mu.RUnlock()
		// By the number of deliveries: the sequence up to which the consumer has
		// come begins with the first message of the stream, though it be not for it.
		if n := info.Delivered.Consumer; n > 0 && last.before(delivery{info.Name, n}) {
			return 1, upTo, nil // on its way
		}
		if info.NumPending > 0 || upTo <= seen {
			return info.NumPending, upTo, nil
		}
		// The consumer learns of a message a moment after the stream has it, so
		// its count alone would let the table run ahead of what it holds.
		first, err := next(ctx, b, t.stream, cmp.Or(t.filter, ">"), seen+1)
		if err != nil {
			return 0, 0, err
		}
		if first != 0 {
			return 1, upTo, nil // on its way, or the successor of what was
		}
		return 0, upTo, nil
	}
	t.mu.Unlock()
	stop := context.AfterFunc(ctx, iter.Stop)
	defer stop()
	defer func() {
		iter.Stop()
		if t.filter != "" { // it was followed for a while
			dropOrdered(b, t.stream, cons)
		}
	}()
	for {
		// The context ends this also where Stop comes while the iterator is
		// making its consumer again, which would pass the new one by.
		msg, err := iter.Next(jetstream.NextContext(ctx))
		if errors.Is(err, jetstream.ErrMsgIteratorClosed) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("follow the heads of %s: %w", t.stream, err)
		}
		md, err := msg.Metadata()
		if err != nil {
			return fmt.Errorf("follow the heads of %s: %w", t.stream, err)
		}
		t.apply(msg.Subject(), md.Sequence.Stream, msg.Headers(), delivery{md.Consumer, md.Sequence.Consumer}, md.NumPending == 0)
	}
}

// delivery is the number of a delivery of a consumer.
type delivery struct {
	consumer string
	number   uint64
}

// before reports whether a delivery has not come by the time of d: what is
// followed has one consumer at a time, and another one counts anew.
func (d delivery) before(later delivery) bool {
	return d.consumer != later.consumer || d.number < later.number
}

// next returns the sequence of the first message from a sequence on that the
// leader of a stream holds on the subjects that fit, 0 if there is none.
func next(ctx context.Context, b *Bus, stream, subjects string, from uint64) (uint64, error) {
	req, err := json.Marshal(struct {
		Seq  uint64 `json:"seq"`
		Next string `json:"next_by_subj"`
	}{from, subjects})
	if err != nil {
		return 0, fmt.Errorf("encode a request for the next message: %w", err)
	}
	m, err := b.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+stream, req)
	if err != nil {
		return 0, fmt.Errorf("ask for the next message of %s: %w", stream, err)
	}
	var resp struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Seq uint64 `json:"seq"`
		} `json:"message"`
	}
	if err := json.Unmarshal(m.Data, &resp); err != nil {
		return 0, fmt.Errorf("read the next message of %s: %w", stream, err)
	}
	if resp.Error != nil && resp.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
		return 0, nil
	}
	if resp.Error != nil {
		return 0, fmt.Errorf("ask for the next message of %s: %w", stream, resp.Error)
	}
	return resp.Message.Seq, nil
}

func (t *Table[K, H]) apply(subject string, seq uint64, header nats.Header, d delivery, last bool) {
	k, h, present, err := t.decode(subject, seq, header)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen, t.last = max(t.seen, seq), d
	t.failed = nil
	if err != nil {
		t.unreadable(k, subject, seq, err)
	} else {
		delete(t.unread, subject)
		old, _ := t.heads.Get(k)
		if present {
			k, h = t.heads.Set(k, h)
		} else {
			t.heads.Delete(k)
			var none H
			h = none
		}
		for _, fn := range t.observers {
			fn(k, old, h)
		}
	}
	if last {
		t.ready.Store(true)
	}
	if t.waiting {
		t.wake()
	}
}

// caughtUp notes that the leader has nothing pending up to seq.
func (t *Table[K, H]) caughtUp(seq uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seen = max(t.seen, seq)
	t.ready.Store(true)
	t.failed = nil
	t.wake()
}

func (t *Table[K, H]) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
	t.waiting = false
}

// Ready waits until everything that was in the stream at the start is in the
// table.
func (t *Table[K, H]) Ready(ctx context.Context) error {
	return t.await(ctx, func() bool { return t.ready.Load() })
}

// Wait waits until the table has seen at least seq.
func (t *Table[K, H]) Wait(ctx context.Context, seq uint64) error {
	return t.await(ctx, func() bool { return t.ready.Load() && t.seen >= seq })
}

// CatchUp waits until a head table of this process has seen its stream as it is now, so
// that what was acknowledged before the call is in it.
func CatchUp[K comparable, H any](ctx context.Context, b *Bus, t *Table[K, H]) error {
	last, err := b.LastSeq(ctx, t.stream)
	if err == nil {
		err = t.Wait(ctx, last)
	}
	if err != nil {
		return fmt.Errorf("wait for the heads of %s: %w", t.stream, err)
	}
	return nil
}

func (t *Table[K, H]) await(ctx context.Context, done func() bool) error {
	for {
		t.mu.Lock()
		if done() {
			t.mu.Unlock()
			return nil
		}
		if errors.Is(t.failed, context.Canceled) {
			t.mu.Unlock()
			return document.Errorf(document.Unavailable, "the connection to the log was closed")
		}
		t.waiting = true
		changed, pending := t.changed, t.pending
		t.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(stallCheck):
			if pending == nil {
				continue
			}
			if n, upTo, err := pending(ctx); err == nil && n == 0 {
				t.caughtUp(upTo)
			}
		case <-ctx.Done():
			t.mu.RLock()
			failed := t.failed
			t.mu.RUnlock()
			if failed != nil {
				return fmt.Errorf("wait for the heads of %s: %w (%w)", t.stream, failed, ctx.Err())
			}
			return fmt.Errorf("wait for the heads of %s: %w", t.stream, ctx.Err())
		}
	}
}

// Seen is the highest sequence that the table includes.
func (t *Table[K, H]) Seen() uint64 {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.seen
}

// Len is the number of heads.
func (t *Table[K, H]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.heads.Len()
}

// Get returns a head.
func (t *Table[K, H]) Get(k K) (H, bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.heads.Get(k)
}

// Read calls fn with one consistent state: the sequence that it includes, and
// a look-up that is valid until fn returns. fn must not call the table.
func (t *Table[K, H]) Read(fn func(seen uint64, get func(K) (H, bool))) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	fn(t.seen, t.heads.Get)
}

// Range calls fn for every head of one consistent state until it returns
// false, and returns the sequence that this state includes. fn must not call the
// table.
func (t *Table[K, H]) Range(fn func(K, H) bool) (seen uint64) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	for k, h := range t.heads.All() {
		if !fn(k, h) {
			break
		}
	}
	return t.seen
}

// Observe calls fn for every head present, then for every change in log
// order: old is the zero head for a new one, now for one that is gone. fn runs
// under the table's lock: it must be quick and must not call the table.
func (t *Table[K, H]) Observe(fn func(k K, old, now H)) (cancel func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var none H
	for k, h := range t.heads.All() {
		fn(k, none, h)
	}
	id := t.nextID
	t.nextID++
	t.observers[id] = fn
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.observers, id)
	}
}

// forget drops a head whose messages were purged.
func (t *Table[K, H]) forget(k K) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forgetLocked(k)
}

func (t *Table[K, H]) forgetLocked(k K) {
	old, ok := t.heads.Get(k)
	if !ok {
		return
	}
	t.heads.Delete(k)
	var none H
	for _, fn := range t.observers {
		fn(k, old, none)
	}
}
