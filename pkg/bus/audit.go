package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A head table learns what is written, not what is taken away: a message that
// somebody purged, or a stream that was deleted, leaves its heads in the table.
// An audit asks the stream's leader what there is. It keeps eight bytes a head.

// Audit compares the head tables of this process with the log.
type Audit struct{ bus *Bus }

// AuditOf is what compares the head tables of this process with the log.
func AuditOf(b *Bus) Audit { return Audit{b} }

// Files forgets the heads of FILES whose messages are gone, and returns
// them.
func (a Audit) Files(ctx context.Context) ([]contract.FileHead, error) {
	return audit(ctx, a.bus, a.bus.Files(),
		func(k FileKey) string { return contract.FileSubject(k.Source, k.Doc, k.View) },
		func(h contract.FileHead) uint64 { return uint64(h.Version) })
}

// Outputs is Files for CHUNKS, VECTORS or INDEXED.
func (a Audit) Outputs(ctx context.Context, stream string) ([]contract.OutputHead, error) {
	return audit(ctx, a.bus, a.bus.Outputs(stream),
		func(k OutputKey) string {
			return contract.OutputHead{Generation: k.Generation, Sink: k.Sink, Source: k.Source, Doc: k.Doc}.Subject(stream)
		},
		func(h contract.OutputHead) uint64 { return h.Seq })
}

// Dead is Files for DEAD.
func (a Audit) Dead(ctx context.Context) ([]contract.DeadHead, error) {
	return audit(ctx, a.bus, a.bus.Dead(),
		func(k DeadKey) string { return contract.DeadSubject(k.Stage, k.Source, k.Doc, k.Build) },
		func(h contract.DeadHead) uint64 { return h.Seq })
}

func audit[K comparable, H any](ctx context.Context, b *Bus, t *Table[K, H], subject func(K) string, seq func(H) uint64) ([]H, error) {
	last, err := b.LastSeq(ctx, t.stream)
	if err != nil {
		return nil, err
	}
	if err := t.Wait(ctx, last); err != nil {
		return nil, err
	}
	there, err := AuditOf(b).heads(ctx, t.stream, last)
	if err != nil {
		return nil, fmt.Errorf("look at what %s holds: %w", t.stream, err)
	}
	suspects := map[K]H{}
	t.Range(func(k K, h H) bool {
		// What is newer came after the look.
		if s := seq(h); s <= last {
			if _, ok := slices.BinarySearch(there, s); !ok {
				suspects[k] = h
			}
		}
		return true
	})
	var gone []H
	for k, h := range suspects {
		// It may have been replaced between the two looks.
		m, err := b.LeaderLast(ctx, t.stream, subject(k))
		if err != nil {
			return gone, err
		}
		if m == nil && t.forgetAt(k, func(now H) bool { return seq(now) == seq(h) }) {
			gone = append(gone, h)
		}
	}
	return gone, nil
}

// auditQuiet is how long an audit waits for a message before it asks whether
// one is still to come: the last one may have been removed.
const auditQuiet = 2 * time.Second

// heads returns those of the last messages of every subject up to at least
// a sequence, ascending.
func (a Audit) heads(ctx context.Context, stream string, last uint64) ([]uint64, error) {
	var out []uint64
	err := a.eachHead(ctx, stream, last, func(seq uint64, _ nats.Header) { out = append(out, seq) })
	return out, err
}

// open compares the tables that this process follows with the log.
func (a Audit) open(ctx context.Context) {
	files, outputs, dead := a.bus.Heads.open()
	var errs []string
	note := func(err error) {
		if err != nil {
			errs = append(errs, err.Error())
		}
	}
	if files != nil {
		_, err := a.Files(ctx)
		note(err)
	}
	for stream := range outputs {
		_, err := a.Outputs(ctx, stream)
		note(err)
	}
	if dead != nil {
		_, err := a.Dead(ctx)
		note(err)
	}
	if len(errs) > 0 && ctx.Err() == nil {
		a.bus.complain(fmt.Errorf("look for what was purged meanwhile: %s", strings.Join(errs, "; ")))
	}
}

// deleteConsumer is where the server is asked to delete a consumer, before the
// stream and the consumer.
const deleteConsumer = "$JS.API.CONSUMER.DELETE."

// auditLasts is how long the server keeps what nobody reads with any more.
const auditLasts = 30 * time.Second

// Sequences returns those of all messages of a stream up to at least last,
// ascending.
func (a Audit) Sequences(ctx context.Context, stream string, last uint64) (out []uint64, err error) {
	err = a.each(ctx, stream, jetstream.OrderedConsumerConfig{}, last, func(_ jetstream.Msg, seq uint64) { out = append(out, seq) })
	return out, err
}

// eachHead calls fn for the headers of the last message of every subject of a
// stream up to at least a sequence, ascending.
func (a Audit) eachHead(ctx context.Context, stream string, last uint64, fn func(seq uint64, header nats.Header)) error {
	cfg := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy}
	return a.each(ctx, stream, cfg, last, func(m jetstream.Msg, seq uint64) { fn(seq, m.Headers()) })
}

// each is eachHead for the messages that a consumer is given.
func (a Audit) each(ctx context.Context, stream string, cfg jetstream.OrderedConsumerConfig, last uint64, fn func(m jetstream.Msg, seq uint64)) error {
	s, err := a.bus.js.Stream(ctx, stream)
	if err != nil {
		return err
	}
	if s.CachedInfo().State.Msgs == 0 {
		return nil
	}
	cfg.HeadersOnly, cfg.InactiveThreshold = true, auditLasts
	cons, err := s.OrderedConsumer(ctx, cfg)
	if err != nil {
		return err
	}
	if info, err := cons.Info(ctx); err == nil && info.NumPending == 0 && info.Delivered.Consumer == 0 {
		return nil // nothing that fits
	}
	iter, err := cons.Messages(jetstream.PullMaxMessages(tablePull))
	if err != nil {
		return err
	}
	defer func() {
		iter.Stop()
		dropOrdered(a.bus, stream, cons)
	}()
	for got := uint64(1); ; got++ {
		m, err := nextOf(ctx, iter)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			got--
			info, err := cons.Info(ctx)
			if err != nil {
				return err
			}
			if info.NumPending == 0 && info.Delivered.Consumer <= got {
				return nil
			}
			continue
		}
		if err != nil {
			return err
		}
		md, err := m.Metadata()
		if err != nil {
			return err
		}
		fn(m, md.Sequence.Stream)
		// Under steady writes something is always to come, but nothing old.
		if md.NumPending == 0 || md.Sequence.Stream >= last {
			return nil
		}
	}
}

// dropOrdered removes an ordered consumer that nobody reads any more: it would
// stay for a while, and a stream has only so many. Where this user must not
// delete consumers it does.
func dropOrdered(b *Bus, stream string, cons jetstream.Consumer) {
	if info := cons.CachedInfo(); info != nil {
		_ = b.nc.PublishRequest(deleteConsumer+stream+"."+info.Name, b.nc.NewInbox(), nil)
	}
}

func nextOf(ctx context.Context, iter jetstream.MessagesContext) (jetstream.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, auditQuiet)
	defer cancel()
	return iter.Next(jetstream.NextContext(ctx))
}

// forgetAt drops a head that is still the one that fits.
func (t *Table[K, H]) forgetAt(k K, fits func(H) bool) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if h, ok := t.heads.Get(k); !ok || !fits(h) {
		return false
	}
	t.forgetLocked(k)
	return true
}
