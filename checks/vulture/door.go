package vulture

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// door is a way of asking beside a search and a grep: what is asked for, and what
// came. It belongs to one answer.
type door interface {
	// name is under which its answers are counted.
	name() string
	// String is what is asked for.
	String() string
	// ask sends it, and waits for the answer. What each answer has is put into a.
	ask(ctx context.Context, nc *nats.Conn, a *answer) error
	// judged holds an answer that came against the world.
	judged(j *judge, a answer)
	// refused reports whether an error is a right answer, or judges it as a wrong
	// one. One that is neither is false: it is a failure.
	refused(j *judge, a answer) bool
	// given are the texts that an answer with a lease puts into it.
	given(a answer) []leaf
}

// tokenOf is the token that a question asks with.
func tokenOf(q question) string {
	if q.latest {
		return "latest"
	}
	return q.token.String()
}

// askDoor sends a question by another way and waits for the answer. The error is
// ctx's only.
func (v *Vulture) askDoor(ctx context.Context, q question, d door) (answer, error) {
	a := answer{question: q, door: d, floor: v.world.acknowledged(), sent: time.Now()}
	a.young = !q.since.IsZero() && a.sent.Sub(q.since) < youngAge
	actx, cancel := context.WithTimeout(ctx, 2*max(v.cfg.Deadline, q.deadline))
	defer cancel()
	a.err = d.ask(actx, v.bus.Conn(), &a)
	a.arrived = time.Now()
	if ctx.Err() != nil {
		return a, ctx.Err()
	}
	a.underway = v.world.underway()
	return a, nil
}

// until is a sequence that none is above.
const until = math.MaxUint64

// showsOf checks that what an answer shows of a document was possible at the
// answer's token, by what was written and by what the log says. is tells whether it
// is of a content, version is the one that it names.
func (j *judge) showsOf(a answer, at spot, version document.Version, seen string, is func(content []byte) bool) bool {
	seq := a.reply.Token.Seq
	contents, _ := j.world.possible(at, seq, seq, a.arrived)
	switch {
	case len(contents) == 0:
		j.add(a.violation(Ghost, at, "nothing: the path did not exist", seen))
		return false
	case !slices.ContainsFunc(contents, is):
		j.add(a.violation(Stale, at, fmt.Sprintf("what one of %d contents has that were possible", len(contents)), seen))
		return false
	case uint64(version) > seq:
		j.add(a.violation(WrongVersion, at, "a version that the answer's token covers", seen))
		return false
	}
	v, content, known := j.world.at(at, seq)
	if !known || v.seq < uint64(version) {
		return true // it was replaced before it could be seen
	}
	j.count(func(r *Report) { r.ShownExact++ })
	expected := fmt.Sprintf("what version %d (%s) has, which the log held at the token", v.seq, v.op)
	switch {
	case v.op != contract.OpPut:
		j.add(a.violation(Ghost, at, expected, seen))
	case !is(content):
		j.add(a.violation(Stale, at, expected, seen))
	case v.seq > uint64(version):
		j.add(a.violation(WrongVersion, at, expected, seen))
	default:
		return true
	}
	return false
}

// saidGone checks an answer that there is no document: at some moment between what
// the question could know of and the answer there was none.
func (j *judge) saidGone(a answer, at spot) bool {
	if document.KindOf(a.err) != document.NotFound {
		return false
	}
	contents, absent := j.world.possible(at, max(a.floor, a.token.Seq), until, a.arrived)
	if !absent {
		j.add(a.violation(Missing, at, fmt.Sprintf("a document, of which %d contents were possible, and no time without", len(contents)), a.err.Error()))
		return true
	}
	j.count(func(r *Report) { r.SaidGone++ })
	return true
}

// hurried tells that an answer came in time and could have waited for what it lacks.
func (j *judge) hurried(a answer) bool {
	return a.promised() && !a.eager() && a.arrived.Sub(a.sent) < a.allows(j.cfg.Deadline) && !j.excused(a)
}

// viewOf is the view of the ground that a place lies in.
func (v *Vulture) viewOf(at spot) document.View {
	for _, g := range v.grounds {
		if g.holds(at.source, at.path) {
			return g.view
		}
	}
	return ""
}
