package query

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/keyword"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// channels are what the channels found, and what is known of them from round
// to round.
type channels struct {
	lexical, vector recall.Result
	pending         plain.Result
	keyword         []candidate.Found // in place of lexical, where that is down

	lexicalDown, vectorDown bool // failed: not asked again
	silent                  bool // no vector for this query
	asked                   bool // the pending documents were searched
	queryVector             embed.Vector
	stats                   *recall.Statistics // of the terms, nil where the lexical stores did not tell
	outcomes                [3]outcome
}

// outcome is what one channel has to say.
type outcome struct {
	stage   string
	took    time.Duration
	out     int
	note    string
	trouble error
}

func (q *search) more() bool {
	return q.found.lexical.More || q.found.vector.More || q.expansion.more
}

// recall asks the channels for depth passages each, at the same time.
func (q *search) recall(ctx context.Context, depth int) error {
	if q.nothing {
		return nil
	}
	c := &q.found
	filter := store.Filter{Sources: q.sources, Languages: q.req.Languages, Kinds: q.req.Kinds, Dirs: q.req.Paths.Dirs()}
	bounded, cancel := context.WithTimeout(ctx, q.cfg.ChannelDeadline)
	defer cancel()
	if d, ok := ctx.Deadline(); ok {
		var stop context.CancelFunc
		bounded, stop = context.WithDeadline(bounded, d.Add(-q.reserve()/2))
		defer stop()
	}
	down := c.lexicalDown
	q.traceSpelling()
	q.ask(bounded, filter, depth, true)
	if err := q.judge(ctx); err != nil {
		return err
	}
	if q.spell(bounded, filter) {
		q.traceSpelling()
		c.asked = false
		q.ask(bounded, filter, depth, false)
		if err := q.judge(ctx); err != nil {
			return err
		}
		q.takeMeant()
	}
	if c.lexicalDown && !down {
		q.fallBack(ctx)
	}
	q.expand(bounded, filter, depth)
	return nil
}

// ask asks the channels at the same time, or only those that look for words.
func (q *search) ask(ctx context.Context, filter store.Filter, depth int, vectors bool) {
	c := &q.found
	var channels []func()
	run := func(i int, stage string, do func(context.Context) outcome) {
		channels = append(channels, func() {
			start := time.Now()
			o := do(ctx)
			o.stage, o.took = stage, time.Since(start)
			c.outcomes[i] = o
		})
	}
	c.outcomes = [3]outcome{}
	if !q.req.Off(request.OffPending) && !q.req.Off(request.OffLexical) && !c.asked {
		c.asked = true
		if heads := q.lagging(); len(heads) > 0 {
			run(2, "recall.pending", func(ctx context.Context) outcome { return q.recallPending(ctx, heads) })
		} else {
			c.outcomes[2].stage = "recall.pending"
		}
	}
	if vectors && !q.req.Off(request.OffVector) && !c.vectorDown && !c.silent {
		run(1, "recall.vector", func(ctx context.Context) outcome { return q.recallVector(ctx, filter, depth) })
	}
	if !q.req.Off(request.OffLexical) && !c.lexicalDown && len(q.terms) > 0 {
		run(0, "recall.lexical", func(ctx context.Context) outcome { return q.recallLexical(ctx, filter, depth) })
	}
	atOnce(channels)
}

// atOnce runs all, the last one in the caller's goroutine: that one has a
// processor, where others wait for their turn on a busy machine.
func atOnce(all []func()) {
	if len(all) == 0 {
		return
	}
	var wg sync.WaitGroup
	for _, do := range all[:len(all)-1] {
		wg.Go(do)
	}
	all[len(all)-1]()
	wg.Wait()
}

// keep is the part of the filter that the stores do not apply.
func (q *search) keep() func(*store.Attrs) bool {
	if q.req.Paths.Exact() {
		return nil
	}
	return func(a *store.Attrs) bool { return q.req.Paths.Match(a.Path) }
}

func (q *search) recallLexical(ctx context.Context, filter store.Filter, depth int) outcome {
	stores := q.shelf.lexical(q.req.Collections)
	st, err := recall.Count(ctx, stores, q.terms)
	if err != nil {
		return outcome{trouble: err}
	}
	r, err := recall.LexicalChannel(stores, q.known(document.Lexical), q.terms, st).Search(ctx, filter, depth, q.keep())
	if err != nil {
		return outcome{trouble: err}
	}
	q.found.lexical, q.found.stats = r, st
	return outcome{out: len(r.Found)}
}

// askVector begins to ask for the query's vector. The caller calls wait before
// the search ends.
func (q *search) askVector(ctx context.Context) (wait func()) {
	if q.req.Off(request.OffVector) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	answer := make(chan vectorAnswer, 1)
	q.vector = answer
	var asking sync.WaitGroup
	asking.Go(func() {
		v, err := q.vectors.Vector(ctx, q.req.Text)
		answer <- vectorAnswer{v, err}
	})
	return func() {
		cancel()
		asking.Wait()
	}
}

// vectorAnswer is the outcome of a request for a vector.
type vectorAnswer struct {
	vector embed.Vector
	err    error
}

func (q *search) recallVector(ctx context.Context, filter store.Filter, depth int) outcome {
	c := &q.found
	if c.queryVector.IsZero() {
		var v embed.Vector
		var err error
		select {
		case answer := <-q.vector:
			v, err = answer.vector, answer.err
		case <-ctx.Done():
			err = ctx.Err()
		}
		if document.KindOf(err) == document.Unavailable {
			// There may be an embedder now, after a long wait for a token.
			v, err = q.vectors.Vector(ctx, q.req.Text)
		}
		if err != nil {
			return outcome{trouble: err}
		}
		if v.IsZero() {
			c.silent = true
			return outcome{note: "the embedder knows no word of the query"}
		}
		c.queryVector = v
	}
	r, err := recall.VectorChannel(q.shelf.vector(q.req.Collections), q.known(document.Vector), c.queryVector).Search(ctx, filter, depth, q.keep())
	if err != nil {
		return outcome{trouble: err}
	}
	c.vector = r
	return outcome{out: len(r.Found)}
}

// recallPending searches the documents that the lexical sink does not show
// yet. It may use half of the time that the channels have.
func (q *search) recallPending(ctx context.Context, heads []contract.FileHead) outcome {
	if d, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(d)/2)
		defer cancel()
	}
	var scale plain.Scale = keyword.Flat{} // that of fallBack, where the lexical index is down
	if st, err := recall.Count(ctx, q.shelf.lexical(q.req.Collections), q.terms); err == nil {
		scale = st
	} else if ctx.Err() != nil {
		return outcome{trouble: err}
	}
	r, err := q.plain.Search(ctx, heads, q.terms, scale, q.req.Keep, len(q.req.Kinds) == 0)
	if len(r.Found) > q.cfg.Overfetch {
		r.Found = r.Found[:q.cfg.Overfetch]
	}
	q.found.pending = r
	return outcome{out: len(r.Found), trouble: err, note: note(true, "%d of %d documents searched", len(r.Searched), len(heads))}
}

// lagging are the pending documents that the lexical sink does not show yet.
func (q *search) lagging() (heads []contract.FileHead) {
	for i := range q.pending {
		p := &q.pending[i]
		if lags(p.Sinks, document.Lexical) {
			heads = append(heads, p.Head)
		}
	}
	return heads
}

func lags(sinks []document.Sink, sink document.Sink) bool { return slices.Contains(sinks, sink) }

// judge notes the outcomes, and decides whether there is an answer at all:
// only where every channel that was asked has failed, there is none.
func (q *search) judge(ctx context.Context) error {
	c := &q.found
	for i := range c.outcomes {
		o := &c.outcomes[i]
		if o.stage == "" {
			continue
		}
		if o.trouble != nil {
			o.note = q.trouble(o)
		}
		q.reply.Trace = append(q.reply.Trace, contract.TraceStage{Stage: o.stage, MS: milliseconds(o.took), In: len(q.terms), Out: o.out, Note: o.note})
	}
	lexical, vector, pending := &c.outcomes[0], &c.outcomes[1], &c.outcomes[2]
	if lexical.trouble != nil {
		c.lexicalDown = true
		q.doubt(document.Lexical)
		if q.req.Off(request.OffKeyword) {
			q.degrade("lexical: %s", lexical.note)
		} else {
			q.degrade("lexical: %s; paths and symbols answer in its place", strings.TrimRight(lexical.note, "."))
		}
	}
	if vector.trouble != nil {
		c.vectorDown = true
		q.doubt(document.Vector)
		q.degrade("vector: %s", vector.note)
	}
	if pending.trouble != nil {
		q.degrade("pending: %s", pending.note)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	lexicalUsed := !q.req.Off(request.OffLexical) && len(q.terms) > 0
	vectorUsed := !q.req.Off(request.OffVector)
	switch {
	case vectorUsed && c.vectorDown && (!lexicalUsed || c.lexicalDown), lexicalUsed && c.lexicalDown && !vectorUsed:
		return document.Errorf(document.Unavailable, "no index answers (%s): see `freshet status`", strings.Join(q.reply.Degraded, "; "))
	}
	if !q.req.Off(request.OffLexical) && len(q.terms) == 0 {
		if vectorUsed && !c.silent {
			q.degradeOnce("lexical: the query has no word that it keeps; answered by vectors alone")
		} else {
			q.degradeOnce("lexical: the query has no word that it keeps; nothing can be found")
		}
	}
	return nil
}

// known tells what the log knows of the stores of a sink.
func (q *search) known(sink document.Sink) func(document.Generation) contract.StoreRecord {
	return func(g document.Generation) contract.StoreRecord {
		return q.bus.Records().Get(bus.RecordKey{Generation: g, Sink: sink})
	}
}

// doubt notes that a sink's stores did not answer, and may come back with less
// than they had.
func (q *search) doubt(sink document.Sink) {
	for _, g := range q.shelf.Generations() {
		q.index.Doubt(g, sink)
	}
}

func (q *search) degradeOnce(sentence string) {
	if !slices.Contains(q.reply.Degraded, sentence) {
		q.degrade("%s", sentence)
	}
}

// trouble is one sentence for the caller; the rest goes to the log.
func (q *search) trouble(o *outcome) string {
	if errors.Is(o.trouble, context.DeadlineExceeded) {
		var e *document.Error
		if !errors.As(o.trouble, &e) {
			return "it did not answer in time"
		}
	}
	q.log.Warn("channel failed", "stage", o.stage, "error", o.trouble)
	return o.trouble.Error()
}
