package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A retry is a dead letter whose state says so. The processes of a worker
// share the letters of their stage and build by a durable consumer like that of their
// input: one that starts later still does what was asked for, one that ends
// with the document hands it on, and the tries and deaths count from zero. The
// handler is given the head of the input as it is now, so that an older
// version than the newest is never tried.

// newRetries is the consumer of the letters of w's stage and build.
func newRetries(b *Bus, w *Worker) durable {
	return newDurable(b, w, contract.StreamDead, []string{contract.DeadSubject(w.Stage, "*", "*", w.Build)})
}

// holdRetry takes up a letter: nil where it is no retry, or none for this
// worker.
func (r *runner) holdRetry(ctx context.Context, m *nats.Msg) (*held, error) {
	h, err := r.hold(ctx, m)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, r.w.Lease)
	defer cancel()
	head, err := contract.ParseDeadHead(h.msg.Subject, h.msg.Seq, h.msg.Header)
	if err != nil || head.Cleared || head.State != contract.LetterRetrying {
		return nil, r.pass(h)
	}
	key := DeadKey{head.Stage, head.Source, head.Doc, head.Build}
	raw, err := h.msg.Body(ctx)
	if err != nil {
		return nil, r.later(h, err)
	}
	subject, err := retried(raw, head)
	if err != nil {
		// Nobody can tell what it was about, so it stays a failure.
		r.w.Log.Error("dead letter not understood", "worker", r.w.Name, "subject", h.msg.Subject, "error", err)
		if _, err := DeadLettersOf(r.b).Mark(ctx, []DeadKey{key}, contract.LetterFailed); err != nil {
			return nil, r.later(h, err)
		}
		return nil, r.pass(h)
	}
	if !r.w.wants(subject) {
		return nil, r.pass(h)
	}
	h.letter = &key
	now, err := r.inputOf(ctx, subject, head)
	switch {
	case err != nil:
		return nil, r.later(h, err)
	case now == nil:
		// The document was forgotten, and with it what there was to do.
		if err := DeadLettersOf(r.b).clearOne(ctx, key, head.Covers); err != nil {
			return nil, r.later(h, err)
		}
		return nil, r.pass(h)
	}
	now.lease = h.lease
	h.msg = now
	return h, nil
}

// pass is the end of a letter that needs nothing done.
func (r *runner) pass(h *held) error {
	r.keeper.remove(h.lease)
	_ = h.js.Ack() // or it comes again, which costs nothing
	return nil
}

// later lets a letter come again that cannot be taken up now.
func (r *runner) later(h *held, err error) error {
	r.w.Log.Warn("retry waits", "worker", r.w.Name, "subject", h.msg.Subject, "error", err)
	r.giveBack(h, probeFirst)
	return nil
}

// retried returns the subject of the message that a letter is about. Versions
// are handled one view at a time: after a success the letter comes again for
// the next, after a failure the next retry begins with another view.
func retried(raw []byte, head contract.DeadHead) (string, error) {
	var body contract.DeadBody
	if err := json.Unmarshal(raw, &body); err != nil {
		return "", fmt.Errorf("decode dead letter: %w", err)
	}
	k, err := contract.ParseSubject(body.Subject)
	if err != nil || k.Stream != contract.StreamFiles {
		return body.Subject, err
	}
	views := head.Covers.Views()
	if len(views) == 0 {
		return body.Subject, nil
	}
	at, failed := slices.BinarySearch(views, k.View)
	if failed {
		at++
	}
	return contract.FileSubject(head.Source, head.Doc, views[at%len(views)]), nil
}

// inputOf returns the head of a retry's input, nil where there is none.
func (r *runner) inputOf(ctx context.Context, subject string, head contract.DeadHead) (*Msg, error) {
	heads, err := r.b.GetLast(ctx, r.w.Stream, subject)
	if err != nil {
		return nil, err
	}
	m := heads[subject]
	if m == nil {
		return nil, nil
	}
	k, err := contract.ParseSubject(subject)
	if err != nil {
		return nil, err
	}
	covers, err := coversOf(k, m)
	if err != nil {
		return nil, err
	}
	for view, c := range covers.All() {
		if dead, ok := head.Covers.Find(view); ok && c.Version < dead.Version {
			return nil, document.Errorf(document.Unavailable, "%s has version %d only, a replica lags", subject, c.Version)
		}
	}
	return m, nil
}
