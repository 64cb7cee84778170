package speed

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Span is when a stage wrote its heads, in seconds since the process began, as
// the log itself dates them. Stages overlap.
type Span struct {
	Stage string  `json:"stage"`
	First float64 `json:"first_s"`
	Last  float64 `json:"last_s"`
	Heads int     `json:"heads"`
}

// spans reads the dates of all heads; nothing is asked of the program while it
// indexes.
func (c *instance) spans(ctx context.Context, since time.Time) ([]Span, error) {
	var out []Span
	for _, part := range []struct{ stage, stream, filter string }{
		{"watcher (FILES)", contract.StreamFiles, contract.StreamSubjects(contract.StreamFiles)},
		{"chunker (CHUNKS)", contract.StreamChunks, contract.StreamSubjects(contract.StreamChunks)},
		{"embedder (VECTORS)", contract.StreamVectors, contract.StreamSubjects(contract.StreamVectors)},
		{"indexer lexical (INDEXED)", contract.StreamIndexed, contract.IndexedSubject("*", document.Lexical, "*", "*")},
		{"indexer vector (INDEXED)", contract.StreamIndexed, contract.IndexedSubject("*", document.Vector, "*", "*")},
	} {
		s, err := c.span(ctx, part.stream, part.filter, since)
		if err != nil {
			return nil, fmt.Errorf("read the dates of %s: %w", part.stream, err)
		}
		s.Stage = part.stage
		out = append(out, s)
	}
	return out, nil
}

func (c *instance) span(ctx context.Context, stream, filter string, since time.Time) (Span, error) {
	st, err := c.bus.JetStream().Stream(ctx, stream)
	if err != nil {
		return Span{}, err
	}
	cons, err := st.OrderedConsumer(ctx, jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{filter}, HeadersOnly: true, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy,
	})
	if err != nil {
		return Span{}, err
	}
	msgs, err := cons.Messages()
	if err != nil {
		return Span{}, err
	}
	defer msgs.Stop()
	info, err := cons.Info(ctx)
	if err != nil {
		return Span{}, err
	}
	var s Span
	if info.NumPending == 0 && info.Delivered.Consumer == 0 {
		return s, nil
	}
	for {
		m, err := msgs.Next(jetstream.NextContext(ctx))
		if err != nil {
			return Span{}, err
		}
		meta, err := m.Metadata()
		if err != nil {
			return Span{}, err
		}
		at := meta.Timestamp.Sub(since).Seconds()
		if s.Heads == 0 || at < s.First {
			s.First = at
		}
		s.Last = max(s.Last, at)
		s.Heads++
		if meta.NumPending == 0 {
			return s, nil
		}
	}
}
