package bus

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// nudgeBacklog is how many nudges may wait. Losing one costs nothing: the
// durable delivery of the same head follows, and what was to be handled again is
// found by the next verify.
const nudgeBacklog = 1024

// nudgePrefix is what the subjects of all nudges begin with.
var nudgePrefix = contract.NudgeSubject("")

// nudgeGrace is how long a nudge waits for the delivery of the same head where
// no backlog stands before that: it is on its way to one of the stage's
// processes, mostly to another than the nudge, and both would do the same work.
// A head that is to be handled again waits as long until it is tried once more.
const nudgeGrace = time.Second

// headerSeq is the sequence of the head that a nudge is about.
const headerSeq = "Freshet-Sequence"

// Nudge tells a stage of the head at a sequence that was written for a change
// seen live, so that it is handled ahead of a backlog.
func (b *Bus) Nudge(stage contract.Stage, subject string, seq uint64) {
	_ = b.nc.PublishMsg(&nats.Msg{Subject: contract.NudgeSubject(stage), Data: []byte(subject), Header: nats.Header{headerSeq: {strconv.FormatUint(seq, 10)}}})
}

// headerRedo marks a nudge of a head that is to be handled again.
const headerRedo = "Freshet-Redo"

// Redo has a stage handle a head again, whatever its head table says of the
// output: that was found to be gone, or not to be what the head asks for.
func (b *Bus) Redo(stage contract.Stage, subject string) {
	_ = b.nc.PublishMsg(&nats.Msg{Subject: contract.NudgeSubject(stage), Data: []byte(subject), Header: nats.Header{headerRedo: {"1"}}})
}

// nudge is one that waits to be followed.
type nudge struct {
	subject string
	seq     uint64
	redo    bool // no delivery follows
	due     time.Time
}

// listen subscribes to the nudges of a worker's stage. The caller unsubscribes.
func listen(b *Bus, w *Worker) (*nats.Subscription, chan *nats.Msg, error) {
	ch := make(chan *nats.Msg, nudgeBacklog)
	sub, err := b.nc.ChanQueueSubscribe(contract.NudgeSubject(w.Stage), w.Name, ch)
	if err != nil {
		return nil, nil, fmt.Errorf("listen for nudges of %s: %w", w.Name, err)
	}
	return sub, ch, nil
}

// nudger handles nudged heads on a worker of its own. Errors are left to the
// durable delivery. It belongs to one goroutine.
type nudger struct {
	*runner
	urgent  []nudge
	waiting []nudge // in the order in which they are due
}

// take takes up a nudge, to be followed at once or when its delivery has had its
// time.
func (r *nudger) take(m *nats.Msg) {
	n := nudge{subject: string(m.Data), redo: m.Header.Get(headerRedo) != ""}
	if !r.w.wants(n.subject) {
		return
	}
	n.seq, _ = strconv.ParseUint(m.Header.Get(headerSeq), 10, 64)
	if n.redo || n.seq == 0 || r.behind() {
		r.urgent = append(r.urgent, n)
		return
	}
	r.wait(n)
}

func (r *nudger) wait(n nudge) {
	n.due = time.Now().Add(nudgeGrace)
	r.waiting = append(r.waiting, n)
}

// run follows nudges until ctx ends; hctx is that of their handling.
func (r *nudger) run(ctx, hctx context.Context, ch <-chan *nats.Msg) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if len(r.waiting) > 0 {
			timer.Reset(time.Until(r.waiting[0].due))
		}
		select {
		case m := <-ch:
			r.take(m)
		case <-timer.C:
		case <-ctx.Done():
			return nil
		}
	more:
		for len(r.urgent) < r.w.Batch {
			select {
			case m := <-ch:
				r.take(m)
			default:
				break more
			}
		}
		r.ripen()
		if len(r.urgent) > 0 && !r.rests.paused.Load() && r.b.Room().For(0) == nil {
			r.urgent = r.follow(hctx, r.urgent)
		}
		for _, n := range r.urgent {
			if n.redo {
				r.wait(n)
			}
		}
		r.urgent = nil
	}
}

// ripen makes those urgent whose delivery has not come in its time, as far as a
// batch has room for them.
func (r *nudger) ripen() {
	for now := time.Now(); len(r.waiting) > 0 && len(r.urgent) < r.w.Batch && !r.waiting[0].due.After(now); r.waiting = r.waiting[1:] {
		if n := r.waiting[0]; n.redo || r.hand.handledSeq(n.subject) < n.seq {
			r.urgent = append(r.urgent, n)
		}
	}
}

// behind reports whether more than a batch of deliveries waits for this process,
// or was waiting in the log when the last one was made.
func (r *runner) behind() bool {
	return r.pending.Load()+uint64(len(r.queue.held)) >= uint64(r.w.Batch)
}

// follow returns the nudges that were not followed, because the log does
// not answer or somebody has their heads in hand.
func (r *nudger) follow(ctx context.Context, nudges []nudge) (left []nudge) {
	ctx, cancel := context.WithTimeout(ctx, r.w.Lease)
	defer cancel()
	var subjects []string
	redo := map[string]bool{}
	for _, n := range nudges {
		subjects = append(subjects, n.subject)
		redo[n.subject] = redo[n.subject] || n.redo
	}
	heads, err := r.b.GetLast(ctx, r.w.Stream, subjects...)
	if err != nil {
		r.w.Log.Debug("nudge not followed", "worker", r.w.Name, "error", err)
		return nudges
	}
	msgs := make([]*Msg, 0, len(heads))
	for _, m := range heads {
		if !r.hand.begin(m) { // its delivery is being handled
			left = append(left, nudge{subject: m.Subject, redo: redo[m.Subject]})
			continue
		}
		m.Nudged, m.Redo = true, redo[m.Subject]
		msgs = append(msgs, m)
	}
	if len(msgs) == 0 {
		return left
	}
	defer r.hand.end(msgs...)
	errs, _ := r.invoke(ctx, msgs)
	for i, err := range errs {
		if err != nil {
			r.w.Log.Debug("nudge not followed", "worker", r.w.Name, "subject", msgs[i].Subject, "error", err)
		}
	}
	return left
}

// wants reports whether a subject is one that the worker handles.
func (w *Worker) wants(subject string) bool {
	if len(w.Filters) == 0 {
		return true
	}
	for _, f := range w.Filters {
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
