package bus

import (
	"context"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// nudgeBacklog is how many nudges may wait. Losing one costs nothing: the
// durable delivery of the same head follows.
const nudgeBacklog = 1024

// nudgePrefix is what the subjects of all nudges begin with.
var nudgePrefix = contract.NudgeSubject("")

// Nudge tells a stage of a head that was written for a change seen live, so
// that it is handled ahead of the backlog.
func (b *Bus) Nudge(stage contract.Stage, subject string) {
	_ = b.nc.Publish(contract.NudgeSubject(stage), []byte(subject))
}

// headerRedo marks a nudge of a head that is to be handled again.
const headerRedo = "Freshet-Redo"

// Redo has a stage handle a head again, whatever its head table says of the
// output: that was found to be gone, or not to be what the head asks for.
func (b *Bus) Redo(stage contract.Stage, subject string) {
	_ = b.nc.PublishMsg(&nats.Msg{Subject: contract.NudgeSubject(stage), Data: []byte(subject), Header: nats.Header{headerRedo: {"1"}}})
}

// nudged handles nudged heads on a worker of its own. Errors are left to the
// durable delivery.
func (r *runner) nudged(ctx, hctx context.Context) error {
	ch := make(chan *nats.Msg, nudgeBacklog)
	sub, err := r.b.nc.ChanQueueSubscribe(contract.NudgeSubject(r.w.Stage), r.w.Name, ch)
	if err != nil {
		return fmt.Errorf("listen for nudges of %s: %w", r.w.Name, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	for {
		var subjects []string
		redo := map[string]bool{}
		take := func(m *nats.Msg) {
			if s := string(m.Data); r.wants(s) {
				subjects = append(subjects, s)
				redo[s] = redo[s] || m.Header.Get(headerRedo) != ""
			}
		}
		select {
		case m := <-ch:
			take(m)
		case <-ctx.Done():
			return nil
		}
	more:
		for len(subjects) < r.w.Batch {
			select {
			case m := <-ch:
				take(m)
			default:
				break more
			}
		}
		if len(subjects) > 0 && !r.paused.Load() && r.b.Room(0) == nil {
			r.handleNudges(hctx, subjects, redo)
		}
	}
}

func (r *runner) handleNudges(ctx context.Context, subjects []string, redo map[string]bool) {
	ctx, cancel := context.WithTimeout(ctx, r.w.Lease)
	defer cancel()
	heads, err := r.b.GetLast(ctx, r.w.Stream, subjects...)
	if err != nil {
		r.w.Log.Debug("nudge not followed", "worker", r.w.Name, "error", err)
		return
	}
	msgs := make([]*Msg, 0, len(heads))
	for _, m := range heads {
		if r.hand.begin(m) { // else its delivery is being handled
			m.Nudged, m.Redo = true, redo[m.Subject]
			msgs = append(msgs, m)
		}
	}
	if len(msgs) == 0 {
		return
	}
	defer r.hand.end(msgs...)
	errs, _ := r.invoke(ctx, msgs)
	for i, err := range errs {
		if err != nil {
			r.w.Log.Debug("nudge not followed", "worker", r.w.Name, "subject", msgs[i].Subject, "error", err)
		}
	}
}

func (r *runner) wants(subject string) bool {
	if len(r.w.Filters) == 0 {
		return true
	}
	for _, f := range r.w.Filters {
		if subjectMatches(f, subject) {
			return true
		}
	}
	return false
}

// subjectMatches reports whether a subject matches a filter with the
// wildcards * and >.
func subjectMatches(filter, subject string) bool {
	f, s := strings.Split(filter, "."), strings.Split(subject, ".")
	for i, t := range f {
		switch {
		case t == ">":
			return len(s) > i
		case i >= len(s), t != "*" && t != s[i]:
			return false
		}
	}
	return len(f) == len(s)
}
