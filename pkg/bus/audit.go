package bus

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// A head table learns what is written, not what is taken away: a message that
// somebody purged, or a stream that was deleted, leaves its heads in the table.
// An audit asks the stream's leader what there is. It keeps eight bytes a head.

// AuditFiles forgets the heads of FILES whose messages are gone, and returns
// them.
func (b *Bus) AuditFiles(ctx context.Context) ([]contract.FileHead, error) {
	return audit(ctx, b, b.Files(),
		func(k FileKey) string { return contract.FileSubject(k.Source, k.Doc, k.View) },
		func(h contract.FileHead) uint64 { return uint64(h.Version) })
}

// AuditOutputs is AuditFiles for CHUNKS, VECTORS or INDEXED.
func (b *Bus) AuditOutputs(ctx context.Context, stream string) ([]contract.OutputHead, error) {
	return audit(ctx, b, b.Outputs(stream),
		func(k OutputKey) string {
			return contract.OutputHead{Generation: k.Generation, Sink: k.Sink, Source: k.Source, Doc: k.Doc}.Subject(stream)
		},
		func(h contract.OutputHead) uint64 { return h.Seq })
}

// AuditDead is AuditFiles for DEAD.
func (b *Bus) AuditDead(ctx context.Context) ([]contract.DeadHead, error) {
	return audit(ctx, b, b.Dead(),
		func(k DeadKey) string { return contract.DeadSubject(k.Stage, k.Source, k.Doc) },
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
	there, err := b.sequences(ctx, t.stream, last)
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

// sequences returns those of the last messages of every subject up to at least
// a sequence, ascending.
func (b *Bus) sequences(ctx context.Context, stream string, last uint64) ([]uint64, error) {
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	if s.CachedInfo().State.Msgs == 0 {
		return nil, nil
	}
	cons, err := s.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, HeadersOnly: true})
	if err != nil {
		return nil, err
	}
	iter, err := cons.Messages(jetstream.PullMaxMessages(tablePull))
	if err != nil {
		return nil, err
	}
	defer func() {
		iter.Stop()
		// It would stay for minutes, and a stream has only so many.
		if info := cons.CachedInfo(); info != nil {
			_ = s.DeleteConsumer(context.WithoutCancel(ctx), info.Name)
		}
	}()
	var out []uint64
	for {
		m, err := nextOf(ctx, iter)
		if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
			info, err := cons.Info(ctx)
			if err != nil {
				return nil, err
			}
			if info.NumPending == 0 && info.Delivered.Consumer <= uint64(len(out)) {
				return out, nil
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		md, err := m.Metadata()
		if err != nil {
			return nil, err
		}
		out = append(out, md.Sequence.Stream)
		// Under steady writes something is always to come, but nothing old.
		if md.NumPending == 0 || md.Sequence.Stream >= last {
			return out, nil
		}
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
	if h, ok := t.heads[k]; !ok || !fits(h) {
		return false
	}
	t.forgetLocked(k)
	return true
}
