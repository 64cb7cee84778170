package query

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
	"github.com/freshet-dev/freshet/services/query/internal/gate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// search is one search on its way through the stages.
type search struct {
	*Service
	arrived  time.Time
	deadline time.Time
	req      *request.Request
	reply    contract.SearchReply

	last    uint64            // FILES' last sequence at arrival
	token   uint64            // the sequence that must be settled, 0 for none
	sources []document.Source // in scope; empty: all
	nothing bool              // no source is in scope
	pending []freshness.Pending

	morePending int // beyond those

	query  *rank.Query
	terms  []store.Term
	vector <-chan vectorAnswer // gives one, where a vector was asked for

	found     channels
	speller   speller
	expansion expansion
	ranked    []candidate.Candidate
	// versions that came while the answer was made, and that it may lack
	overtaken []contract.FileHead
	resolved  *resolve.Answer

	depth    int             // passages that each channel was asked for at last
	explains bool            // an explanation is asked for, so that nothing is cut off
	endless  []resolve.Shown // then: the answer for a k without limit
}

// Search answers one request. Errors are *document.Error.
func (s *Service) Search(ctx context.Context, in contract.SearchRequest) (contract.SearchReply, error) {
	q := &search{Service: s, arrived: time.Now()}
	s.counters.searches.Add(1)
	if err := q.run(ctx, in); err != nil {
		s.counters.errors.Add(1)
		return contract.SearchReply{}, typed(err)
	}
	q.reply.TookMS = milliseconds(time.Since(q.arrived))
	if len(q.reply.Degraded) > 0 {
		s.counters.degraded.Add(1)
	}
	if len(q.reply.Pending) > 0 {
		s.counters.pending.Add(1)
	}
	return q.reply, nil
}

// typed makes sure that an error has a kind and a sentence for the caller.
func typed(err error) error {
	var e *document.Error
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, context.DeadlineExceeded):
		return document.Errorf(document.Deadline, "the answer was not ready at the deadline: allow more with deadline_ms: %w", err)
	case errors.Is(err, context.Canceled):
		return document.Errorf(document.Unavailable, "the service is stopping: ask again")
	}
	return document.Errorf(document.Unavailable, "the log does not answer as it should: %w", err)
}

func (q *search) run(ctx context.Context, in contract.SearchRequest) error {
	var err error
	start := time.Now()
	q.req, err = request.Parse(in, request.Limits{
		K: q.cfg.K, MaxK: q.cfg.MaxK, Deadline: q.cfg.Deadline, MaxDeadline: q.cfg.MaxDeadline, Collections: q.shelf.Collections(),
	})
	if err != nil {
		return err
	}
	q.trace("validate", start, 0, 0, "")
	q.deadline = q.arrived.Add(q.req.Deadline)
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	// The vector depends on the text alone, so that it can come meanwhile.
	asking := q.askVector(until)
	defer asking()
	if err := q.barrier(until); err != nil {
		return err
	}
	ctx, cancel = context.WithDeadline(ctx, q.deadline)
	defer cancel()
	q.analyse()
	if err := q.find(ctx); err != nil {
		return err
	}
	q.rerank(ctx)
	q.gate()
	q.diversify()
	q.weigh()
	q.cut()
	return q.assemble(ctx)
}

// cut leaves the hits that were asked for.
func (q *search) cut() {
	q.endless = q.resolved.Shown
	q.resolved.Shown = q.endless[:min(len(q.endless), q.req.K)]
}

// analyse finds out what kind of query this is and what to look for.
func (q *search) analyse() {
	start := time.Now()
	q.query = rank.NewQuery(q.req.Text, q.analyzer)
	q.reply.Class = string(q.query.Class)
	for _, t := range q.analyzer.Query(q.req.Text) {
		q.terms = append(q.terms, store.Term{Token: t.Token, Weight: t.Weight})
	}
	note := ""
	if len(q.terms) == 0 {
		note = "no word that the index keeps"
	}
	q.trace("analyse", start, 1, len(q.terms), note)
}

// maxCatchUp bounds how often a search is done again because documents that it
// had found changed meanwhile. A second time is rare, but where many documents
// change at once on a busy machine, each round meets another of them.
const maxCatchUp = 16

// find asks the channels, ranks, and resolves; and asks again while too little
// of what was found may be shown, or while what was found has just changed.
func (q *search) find(ctx context.Context) error {
	rounds := len(q.reply.Trace)
	depth := min(max(q.cfg.Overfetch, q.req.K+q.req.K/2), q.cfg.MaxOverfetch)
	for overtaken := 0; ; {
		q.reply.Trace, q.depth = q.reply.Trace[:rounds], depth
		if err := q.recall(ctx, depth); err != nil {
			return err
		}
		q.rank()
		start := time.Now()
		answer, err := q.resolver.Resolve(ctx, q.ranked, q.want(), q.last)
		if err != nil {
			return fmt.Errorf("hold the answer against the log: %w", err)
		}
		q.resolved = answer
		q.trace("resolve", start, len(q.ranked), len(answer.Shown), note(answer.Dropped > 0, "%d dropped", answer.Dropped))
		late := time.Until(q.deadline) < q.reserve()
		if len(answer.Overtaken) > 0 && !late && overtaken < maxCatchUp {
			overtaken++
			if err := q.catchUp(ctx); err != nil {
				return err
			}
			continue
		}
		q.overtaken = answer.Overtaken
		if late {
			return nil
		}
		enough := len(answer.Shown) >= q.req.K || !q.more() || depth >= q.cfg.MaxOverfetch
		if enough {
			return nil
		}
		depth = min(4*depth, q.cfg.MaxOverfetch)
	}
}

func (q *search) rank() {
	start := time.Now()
	words, pending := q.words()
	if q.found.lexicalDown {
		words = q.found.keyword
	}
	lists := rank.Lists{Lexical: words, Vector: q.found.vector.Found, Pending: pending}
	w := &q.cfg.Ranking
	q.ranked = rank.Fuse(lists, q.query.Class, w)
	q.trace("fuse", start, len(lists.Lexical)+len(lists.Vector)+len(lists.Pending), len(q.ranked),
		fmt.Sprintf("%s, vector share %.2f", w.Fusion, rank.VectorShare(q.query.Class, w)))
	start = time.Now()
	off := q.req.Off(request.OffSignals)
	rank.Signals(q.ranked, q.query, w, off)
	q.trace("signals", start, len(q.ranked), len(q.ranked), note(off, "off"))
	q.relearn()
}

// perFile is the most hits of one file among ten.
func (q *search) perFile() resolve.PerFile {
	if q.req.Off(request.OffDiversify) {
		return resolve.PerFile{}
	}
	return q.cfg.perFile()
}

func (q *search) want() resolve.Want {
	w := resolve.Want{
		K: q.req.K, MinScore: q.req.MinScore, Views: q.req.Views,
		PerFile: q.perFile(), Named: q.req.Paths.Names, Pending: q.cfg.PendingDocuments,
	}
	if !q.req.Off(request.OffConfidence) {
		w.K = max(w.K, gate.Depth) // however few are listed
	}
	if q.diversifies() {
		w.K = max(w.K, diversePool)
	}
	if q.reranks() {
		// What is below the threshold may come above it.
		w.K, w.MinScore = max(w.K, q.cfg.Rerank.Passages), 0
	}
	if q.explains {
		w.K, w.Fates = len(q.ranked)+1, true
	}
	return w
}

func (q *search) trace(stage string, start time.Time, in, out int, note string) {
	q.reply.Trace = append(q.reply.Trace, contract.TraceStage{
		Stage: stage, MS: milliseconds(time.Since(start)), In: in, Out: out, Note: note,
	})
}

func (q *search) degrade(format string, args ...any) {
	q.reply.Degraded = append(q.reply.Degraded, fmt.Sprintf(format, args...))
}

func note(when bool, format string, args ...any) string {
	if !when {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// milliseconds has a resolution of a microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
