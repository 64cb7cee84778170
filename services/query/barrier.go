package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/commits"
	"github.com/freshet-dev/freshet/services/query/internal/freshness"
)

// grace is what the stages behind the barrier have at least when it used up the
// time: a late answer that names what is pending is worth more than none.
const grace = 250 * time.Millisecond

// reserve is the part of the deadline that is left for the stages behind the
// barrier.
func (q *search) reserve() time.Duration { return min(q.req.Deadline/4, 200*time.Millisecond) }

// barrier waits until the index includes the log as it was at arrival, and
// then, for a token, until what it stands for is settled. What is pending then
// is noted before the sinks are asked: whatever is not in the list is in them.
func (q *search) barrier(ctx context.Context) error {
	start := time.Now()
	var err error
	if q.last, err = q.bus.LastSeq(ctx, contract.StreamFiles); err != nil {
		return err
	}
	switch {
	case q.req.Latest:
		q.token = q.last
	case !q.req.Token.IsZero():
		seq, err := q.bus.ResolveToken(ctx, q.req.Token, q.last)
		if err != nil {
			return err
		}
		q.token = min(seq, q.last)
	}
	if err := q.index.Reach(ctx, q.last); err != nil {
		return fmt.Errorf("wait for the log's heads: %w", err)
	}
	q.setScope(ctx)
	if err := q.awaitCommit(ctx); err != nil {
		return err
	}
	note := q.settle(ctx)
	q.trace("barrier", start, 0, len(q.pending)+q.morePending, note)
	return nil
}

// awaitCommit waits until the log includes the commit that was asked for, and
// makes that the token. At the deadline the answer says that it does not.
func (q *search) awaitCommit(ctx context.Context) error {
	if q.req.Commit == "" || q.nothing {
		return nil
	}
	until, cancel := context.WithDeadline(ctx, q.arrived.Add(q.req.Deadline-q.reserve()))
	defer cancel()
	in := func(s document.Source, v document.View) bool { return q.groupInScope(s, v, "") }
	for {
		v, changed, err := q.commits.Version(q.req.Commit, in)
		if err != nil {
			return err
		}
		if v > 0 {
			q.token = max(q.token, uint64(v))
			q.last = max(q.last, q.token)
			if err := q.index.Reach(ctx, q.last); err != nil {
				return fmt.Errorf("wait for the log's heads: %w", err)
			}
			return nil
		}
		select {
		case <-changed:
		case <-until.Done():
			q.counters.barrierMissed.Add(1)
			q.deadline = later(q.deadline, time.Now().Add(grace))
			q.degrade("%s", q.missing(in))
			return nil
		}
	}
}

// missing says that a commit is not there, and what is.
func (q *search) missing(in commits.Scope) string {
	at := q.commits.At(in)
	if len(at) == 0 {
		return fmt.Sprintf("commit %s has not been seen: no source in scope is a git repository, add one with `freshet source add`", q.req.Commit)
	}
	return fmt.Sprintf("commit %s has not been seen: it is not among the newest of %s; is it pushed, and is its branch the one that is followed?", q.req.Commit, strings.Join(at, ", "))
}

// settle waits for the token, and notes what no sink can be expected to show
// yet.
func (q *search) settle(ctx context.Context) (note string) {
	token := q.token
	if skipBarrier {
		token = 0
	}
	until, cancel := context.WithDeadline(ctx, q.arrived.Add(q.req.Deadline-q.reserve()))
	defer cancel()
	var settled bool
	// Twice the documents that can be searched: some are deletions.
	q.pending, q.morePending, settled = q.index.Settle(until, token, q.scope(), max(2*q.cfg.PendingDocuments, q.cfg.Listed))
	switch {
	case token == 0:
		return ""
	case settled:
		return "settled"
	}
	q.counters.barrierMissed.Add(1)
	q.deadline = later(q.deadline, time.Now().Add(grace))
	return "deadline"
}

// catchUp notes again what is pending, after versions that came while the
// sinks were asked; what was found of these documents may be gone, and what
// replaces it has to be looked for.
func (q *search) catchUp(ctx context.Context) error {
	q.last = q.resolved.Seen
	if err := q.index.Reach(ctx, q.last); err != nil {
		return fmt.Errorf("wait for the log's heads: %w", err)
	}
	q.settle(ctx)
	q.found.asked = false
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// setScope decides which sources the answer is about.
func (q *search) setScope(ctx context.Context) {
	if len(q.req.Sources) > 0 {
		q.sources = q.req.Sources
		return
	}
	var asOf time.Time
	if q.req.WantsToken() {
		asOf = q.arrived
	}
	seen := q.index.Sources()
	watched, known := q.Service.sources.Watched(ctx, asOf, seen)
	if !known {
		q.degrade("watcher: it does not answer, so every source counts as watched")
		return
	}
	if len(watched) == 0 {
		q.nothing = true
		q.degrade("no source is watched: name one with the filter source:NAME, or add a folder with `freshet source add`")
		return
	}
	// Without a stranger in the log the stores need no filter.
	if strangers(seen, watched) {
		q.sources = watched
	}
}

// strangers reports whether the log has sources that are not watched.
func strangers(seen, watched []document.Source) bool {
	return slices.ContainsFunc(seen, func(s document.Source) bool { return !slices.Contains(watched, s) })
}

// inScope reports whether the answer depends on a document.
func (q *search) inScope(h *contract.FileHead) bool {
	return q.groupInScope(h.Source, h.View, h.Collection) && q.req.Paths.Match(h.Path)
}

func (q *search) groupInScope(s document.Source, v document.View, c document.Collection) bool {
	return !q.nothing && hasOrAny(q.sources, s) && hasOrAny(q.req.Views, v) && (c == "" || hasOrAny(q.req.Collections, c))
}

// scope is inScope for the index.
func (q *search) scope() freshness.Scope {
	in := freshness.Scope{Group: q.groupInScope}
	if !q.req.Paths.Any() {
		in.Path = q.req.Paths.Match
	}
	return in
}

// hasOrAny reports whether an empty or matching list lets v through.
func hasOrAny[T comparable](list []T, v T) bool { return len(list) == 0 || slices.Contains(list, v) }
