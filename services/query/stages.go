package query

import (
	"context"
	"errors"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// stage is one step of a search: a name and a function over the states. A stage
// lives in a file of its own; what it has in common with the others (trace, off,
// deadline) is the runner's, see search.run.
type stage struct {
	name string // in the trace
	// when says whether there is anything to do for it, else it is passed over
	// and not told; nil: always.
	when func(*search) bool
	// off is how a request leaves it out; "" where none can, or where the stage
	// itself sees to what that means. size counts what passes it by then; nil:
	// that it was left out is not told.
	off  string
	size func(*search) int
	// channels: it asks the engines, within the time that is theirs, and has
	// nothing to do where no source is in scope. vital: where the deadline of the
	// answer comes in it, there is none.
	channels, vital bool

	do func(context.Context, *search) (report, error)
}

// report is what a stage says of itself in the trace.
type report struct {
	in, out int
	note    string
	// parts stand in place of the stage where it consists of several.
	parts []contract.TraceStage
}

// The stages in their order. Those of a round are done again while too little of
// what was found may be shown, or while what was found has just changed.
var (
	opening = []stage{
		{name: "barrier", do: awaitToken},
		{name: "read", when: leavesOut, do: readAgain},
		{name: "analyse", do: analyse},
	}
	round = []stage{
		{name: "recall", channels: true, vital: true, do: askChannels},
		{name: "spelling", channels: true, vital: true, off: request.OffSpelling, when: mayCorrect, do: correctSpelling},
		{name: "recall.keyword", off: request.OffKeyword, when: lacksLexical, do: fallBack},
		{name: stageVariants, channels: true, when: hasVariants, do: searchVariants},
		{name: stageParts, channels: true, when: hasHeadline, do: searchHeadline},
		{name: "exact", channels: true, off: request.OffExact, when: asksExactly, do: findExactly},
		{name: "places", off: request.OffPlaces, when: namesPlaces, do: findPlaces},
		{name: "require", when: narrows, do: requireText},
		{name: "fuse", do: fuse},
		{name: "signals", do: applySignals},
		{name: "join", when: foundByHeadline, do: joinParts},
		{name: "learned", off: request.OffLearned, when: isTaught, size: countRanked, do: applyLearned},
		{name: "resolve", do: holdAgainstLog},
		{name: "defined", when: showsNamed, do: putDefinitionsFirst},
		{name: "fold", off: request.OffFold, size: countShown, do: foldCopies},
	}
	closing = []stage{
		{name: "rerank", off: request.OffRerank, when: hasReranker, size: countRated, do: rerankBest},
		{name: "gate", do: dropBelow},
		{name: "diversify", do: spreadFiles},
		{name: "confidence", off: request.OffConfidence, size: countWeighed, do: weighConfidence},
		{name: "assemble", do: assemble},
	}
)

// all does stages one after the other.
func (q *search) all(ctx context.Context, list []stage) error {
	for i := range list {
		if err := q.one(ctx, &list[i]); err != nil {
			return err
		}
	}
	return nil
}

// again does the stages of a round.
func (q *search) again(ctx context.Context) error {
	channels, cancel := q.channelTime(ctx)
	defer cancel()
	for i := range q.round {
		s := &q.round[i]
		if !s.channels {
			if err := q.one(ctx, s); err != nil {
				return err
			}
			continue
		}
		if q.nothing {
			continue
		}
		err := q.one(channels, s)
		if over := ctx.Err(); over != nil && s.vital {
			return over
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one does a stage, and tells of it.
func (q *search) one(ctx context.Context, s *stage) error {
	if s.when != nil && !s.when(q) {
		return nil
	}
	start := time.Now()
	if s.off != "" && q.req.Off(s.off) {
		if s.size != nil {
			n := s.size(q)
			q.trace(s.name, start, report{in: n, out: n, note: "off"})
		}
		return nil
	}
	r, err := s.do(ctx, q)
	if err != nil {
		return err
	}
	if r.parts != nil {
		q.reply.Trace = append(q.reply.Trace, r.parts...)
		return nil
	}
	q.trace(s.name, start, r)
	return nil
}

// errHurried is why the time of the engines is over where it was that of the
// question, and not theirs, that was too short.
var errHurried = errors.New("the deadline of the question is over")

// hurried reports whether the engines were cut off by the question's deadline:
// that they did not answer then does not mean that they cannot.
func hurried(channels context.Context) bool { return errors.Is(context.Cause(channels), errHurried) }

// channelTime is the time of the engines: it leaves some of the answer's to the
// stages behind them.
func (q *search) channelTime(ctx context.Context) (context.Context, context.CancelFunc) {
	until := time.Now().Add(q.service.cfg.ChannelDeadline)
	if d, ok := ctx.Deadline(); ok {
		if last := d.Add(-q.reserve() / 2); last.Before(until) {
			return context.WithDeadlineCause(ctx, last, errHurried)
		}
	}
	return context.WithDeadline(ctx, until)
}

func (q *search) trace(stage string, start time.Time, r report) {
	q.reply.Trace = append(q.reply.Trace, contract.TraceStage{
		Stage: stage, MS: milliseconds(time.Since(start)), In: r.in, Out: r.out, Note: r.note,
	})
}
