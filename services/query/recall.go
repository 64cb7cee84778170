package query

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/keyword"
	"github.com/freshet-dev/freshet/services/query/internal/plain"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// askChannels is the stage that asks the channels for passages, at the same time.
func askChannels(ctx context.Context, q *search) (report, error) {
	q.found.variants = byVariants{}
	parts := []contract.TraceStage{}
	if s := q.found.speller.stage; s != nil {
		parts = append(parts, *s) // the trace is that of the last round
	}
	ask(ctx, q, true)
	told, err := judgeChannels(ctx, q)
	return report{parts: append(parts, told...)}, err
}

// ask asks the channels at the same time, or only those that look for words.
func ask(ctx context.Context, q *search, vectors bool) {
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
			run(2, "recall.pending", func(ctx context.Context) outcome { return recallPending(ctx, q, heads) })
		} else {
			c.outcomes[2].stage = "recall.pending"
		}
	}
	if vectors && !q.req.Off(request.OffVector) && !c.vectorDown && !c.silent {
		run(1, "recall.vector", func(ctx context.Context) outcome { return recallVector(ctx, q) })
	}
	if !q.req.Off(request.OffLexical) && !c.lexicalDown && len(q.terms) > 0 {
		run(0, "recall.lexical", func(ctx context.Context) outcome { return recallLexical(ctx, q) })
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

func recallLexical(ctx context.Context, q *search) outcome {
	stores := q.service.stores.lexical(q.req.Collections)
	st, err := recall.Count(ctx, stores, q.terms)
	if err != nil {
		return outcome{trouble: err}
	}
	r, err := recall.LexicalChannel(stores, q.knownStores(document.Lexical), q.terms, st).Search(ctx, q.filter(), q.found.depth, q.keep())
	if err != nil {
		return outcome{trouble: err}
	}
	q.found.lexical, q.found.stats = r, st
	return outcome{out: len(r.Found)}
}

// askVector begins to ask for the query's vector. The caller calls wait before
// the search ends.
func askVector(ctx context.Context, q *search) (wait func()) {
	if q.req.Off(request.OffVector) {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	answer := make(chan nearness, 1)
	q.vector = answer
	var asking sync.WaitGroup
	text := q.req.Text // a later stage may read it in another way
	asking.Go(func() { answer <- q.service.near(ctx, text, q.req.Collections) })
	return func() {
		cancel()
		asking.Wait()
	}
}

func recallVector(ctx context.Context, q *search) outcome {
	c := &q.found
	if len(c.near.by) == 0 {
		select {
		case c.near = <-q.vector:
		case <-ctx.Done():
			c.near.down = ctx.Err()
		}
		if document.KindOf(c.near.down) == document.Unavailable {
			// There may be an embedder now, after a long wait for a token.
			c.near = q.service.near(ctx, q.req.Text, q.req.Collections)
		}
		switch {
		case c.near.silent():
			c.silent = true
			return outcome{note: "the embedder knows no word of the query"}
		case len(c.near.by) == 0:
			return outcome{trouble: c.near.down}
		}
	}
	r, err := recall.VectorChannel(q.service.stores.vector(q.req.Collections), q.knownStores(document.Vector), c.near.by).Search(ctx, q.filter(), q.found.depth, q.keep())
	if err != nil {
		return outcome{trouble: err}
	}
	c.vector = r
	return outcome{out: len(r.Found), lacks: c.near.down}
}

// recallPending searches the documents that the lexical sink does not show
// yet. It may use half of the time that the channels have.
func recallPending(ctx context.Context, q *search, heads []contract.FileHead) outcome {
	if d, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(d)/2)
		defer cancel()
	}
	var scale plain.Scale = keyword.Flat{} // that of fallBack, where the lexical index is down
	if st, err := recall.Count(ctx, q.service.stores.lexical(q.req.Collections), q.terms); err == nil {
		scale = st
	} else if ctx.Err() != nil {
		return outcome{trouble: err}
	}
	r, err := q.service.plain.Search(ctx, heads, q.terms, scale, q.req.Keep, q.req.KeepsLines)
	q.found.pending = r
	return outcome{out: len(r.Found), trouble: err, note: note(true, "%d of %d documents searched", len(r.Searched), len(heads))}
}

// judgeChannels tells of the outcomes, and decides whether there is an answer at all:
// only where every channel that was asked has failed, there is none. ctx is the
// time that they had.
func judgeChannels(ctx context.Context, q *search) (told []contract.TraceStage, err error) {
	c := &q.found
	for i := range c.outcomes {
		o := &c.outcomes[i]
		if o.stage == "" {
			continue
		}
		switch {
		case o.trouble != nil:
			o.note = trouble(q, o)
		case o.lacks != nil:
			o.note = trouble(q, &outcome{stage: o.stage, trouble: o.lacks})
		}
		told = append(told, contract.TraceStage{Stage: o.stage, MS: milliseconds(o.took), In: len(q.terms), Out: o.out, Note: o.note})
	}
	lexical, vector, pending := &c.outcomes[0], &c.outcomes[1], &c.outcomes[2]
	if lexical.trouble != nil {
		c.lexicalDown = true
		doubt(q.service, document.Lexical)
		if q.req.Off(request.OffKeyword) {
			q.degrade("lexical: %s", lexical.note)
		} else {
			q.degrade("lexical: %s; paths and symbols answer in its place", strings.TrimRight(lexical.note, "."))
		}
	}
	if vector.trouble != nil {
		c.vectorDown = true
		doubt(q.service, document.Vector)
		q.degrade("vector: %s", vector.note)
	}
	if vector.lacks != nil {
		q.degradeOnce("vector: " + vector.note)
	}
	if pending.trouble != nil {
		q.degrade("pending: %s", pending.note)
	}
	lexicalUsed := !q.req.Off(request.OffLexical) && len(q.terms) > 0
	vectorUsed := !q.req.Off(request.OffVector)
	down := vectorUsed && c.vectorDown && (!lexicalUsed || c.lexicalDown) || lexicalUsed && c.lexicalDown && !vectorUsed
	switch {
	case down && hurried(ctx):
		return told, context.DeadlineExceeded
	case down:
		return told, document.Errorf(document.Unavailable, "no index answers (%s)", strings.Join(q.degraded, "; ")).Do(document.DoStatusShow)
	}
	if !q.req.Off(request.OffLexical) && len(q.terms) == 0 && len(q.req.Reading.Must) == 0 {
		if vectorUsed && !c.silent {
			q.degradeOnce("lexical: the query has no word that it keeps; answered by vectors alone")
		} else {
			q.degradeOnce("lexical: the query has no word that it keeps; nothing can be found")
		}
	}
	return told, nil
}

// knownStores tells what the log knows of the stores of a sink: of those of which
// it was listed what they do not hold yet. One that has taken the place of such a
// one since is not known.
func (a *asked) knownStores(sink document.Sink) func(document.Generation) contract.StoreRecord {
	return func(g document.Generation) contract.StoreRecord {
		r := a.recordOf(g, sink)
		if r.Store != a.listing.Store(g, sink) {
			return contract.StoreRecord{}
		}
		return r
	}
}

// recordOf is what the log knows of a store now.
func (a *asked) recordOf(g document.Generation, sink document.Sink) contract.StoreRecord {
	return a.service.bus.Records().Get(bus.RecordKey{Generation: g, Sink: sink})
}

// doubt notes that a sink's stores did not answer, and may come back with less
// than they had.
func doubt(s *engine, sink document.Sink) {
	for _, g := range s.stores.Generations() {
		s.index.Doubt(g, sink)
	}
}

// trouble is one sentence for the caller; the rest goes to the log.
func trouble(q *search, o *outcome) string {
	if errors.Is(o.trouble, context.DeadlineExceeded) {
		var e *document.Error
		if !errors.As(o.trouble, &e) {
			return "it did not answer in time"
		}
	}
	q.service.log.Warn("channel failed", "stage", o.stage, "error", o.trouble)
	return o.trouble.Error()
}
