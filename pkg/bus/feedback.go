package bus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// The limits of FEEDBACK. Nothing is rebuilt from it, so that it may lose its
// oldest messages, as no other stream may.
const (
	// feedbackAge is half a year: what people looked for before that says
	// little of the files as they are.
	feedbackAge = 180 * 24 * time.Hour
	// feedbackBytes has room for about 100,000 events of one hit.
	feedbackBytes = 64 << 20
	// feedbackEach is how often somebody may have another opinion on the same
	// hits of the same answer before the first one is forgotten.
	feedbackEach = 16
)

// feedback creates FEEDBACK. A server that cannot set its room aside has a
// log all the same: only feedback is refused then.
func (m maker) feedback(ctx context.Context) error {
	cfg := m.streamConfig(contract.StreamFeedback)
	cfg.MaxAge, cfg.MaxBytes, cfg.MaxMsgsPerSubject = feedbackAge, feedbackBytes, feedbackEach
	cfg.Discard = jetstream.DiscardOld
	if _, err := m.stream(ctx, cfg); err != nil && !isFull(err) {
		return err
	}
	return nil
}

// noFeedback says what to do where FEEDBACK was not made.
func noFeedback(err error) error {
	if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrNoStreamResponse) || errors.Is(err, nats.ErrNoResponders) {
		return document.Errorf(document.Unavailable, "feedback is not kept: the NATS server had no room of %d MiB for the stream %s when freshet started: give it more disk, or raise max_file_store there, and start freshet again", feedbackBytes>>20, contract.StreamFeedback)
	}
	return err
}

// FeedbackLog is the stream FEEDBACK. It is safe for concurrent use.
type FeedbackLog struct{ bus *Bus }

// FeedbackOf is what people did with hits.
func FeedbackOf(b *Bus) FeedbackLog { return FeedbackLog{b} }

// Keep writes the body of an event about the same hits as earlier ones
// on a subject, and returns its sequence once the log has it. Where the last one
// there has the same body, that is its sequence, and nothing is written.
func (f FeedbackLog) Keep(ctx context.Context, subject string, body []byte) (seq uint64, repeated bool, err error) {
	for {
		last, err := f.bus.LeaderLast(ctx, contract.StreamFeedback, subject)
		if err != nil {
			return 0, false, noFeedback(err)
		}
		out := Out{Subject: subject, Body: body, Raw: true}
		if last != nil {
			if string(last.data) == string(body) {
				return last.Seq, true, nil
			}
			out.Expect = last.Seq
		}
		ack := f.bus.Publish(ctx, out)[0]
		if errors.Is(ack.Err, ErrConflict) && ctx.Err() == nil {
			continue // somebody else was first
		}
		return ack.Seq, false, noFeedback(ack.Err)
	}
}

// Page returns messages of FEEDBACK behind a sequence, the oldest first: at
// most limit, fewer once they have so many bytes together. more tells that
// others follow.
func (f FeedbackLog) Page(ctx context.Context, after uint64, limit, bytes int) (page []*Msg, more bool, err error) {
	page, more, err = readPage(ctx, f.bus, contract.StreamFeedback, after+1, limit, bytes)
	return page, more, noFeedback(err)
}

// Purge removes all messages of FEEDBACK, and returns how many there
// were.
func (f FeedbackLog) Purge(ctx context.Context) (uint64, error) {
	s, err := f.bus.js.Stream(ctx, contract.StreamFeedback)
	if err != nil {
		return 0, noFeedback(fmt.Errorf("open stream %s: %w", contract.StreamFeedback, err))
	}
	there := s.CachedInfo().State.Msgs
	if err := s.Purge(ctx); err != nil {
		return 0, fmt.Errorf("empty stream %s: %w", contract.StreamFeedback, err)
	}
	return there, nil
}
