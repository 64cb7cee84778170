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
)

// grace is what the stages behind the barrier have at least when it used up the
// time: a late answer that names what is pending is worth more than none.
const grace = 250 * time.Millisecond

// awaitToken is the stage that waits until the index includes the log as it was at
// arrival, and then, for a token, until what it stands for is settled. What is
// pending then is noted before the sinks are asked: whatever is not in the list is
// in them.
func awaitToken(ctx context.Context, q *search) (report, error) {
	var err error
	if q.last, err = q.service.bus.LastSeq(ctx, contract.StreamFiles); err != nil {
		return report{}, err
	}
	switch {
	case q.req.Latest:
		q.token = q.last
	case !q.req.Token.IsZero():
		seq, err := q.service.bus.ResolveToken(ctx, q.req.Token, q.last)
		if err != nil {
			return report{}, err
		}
		q.token = min(seq, q.last)
	}
	if err := q.service.index.Reach(ctx, q.last); err != nil {
		return report{}, fmt.Errorf("wait for the log's heads: %w", err)
	}
	setScope(ctx, q)
	if err := awaitCommit(ctx, q); err != nil {
		return report{}, err
	}
	note := settle(ctx, q)
	return report{out: len(q.pending) + q.morePending, note: note}, nil
}

// awaitCommit waits until the log includes the commit that was asked for, and
// makes that the token. At the deadline the answer says that it does not.
func awaitCommit(ctx context.Context, q *search) error {
	if q.req.Commit == "" || q.nothing {
		return nil
	}
	until, cancel := context.WithDeadline(ctx, q.arrived.Add(q.req.Deadline-q.reserve()))
	defer cancel()
	in := func(s document.Source, v document.View) bool { return q.groupInScope(s, v, "") }
	for {
		v, changed, err := q.service.commits.Version(q.req.Commit, in)
		if err != nil {
			return err
		}
		if v > 0 {
			q.token = max(q.token, uint64(v))
			q.last = max(q.last, q.token)
			if err := q.service.index.Reach(ctx, q.last); err != nil {
				return fmt.Errorf("wait for the log's heads: %w", err)
			}
			return nil
		}
		select {
		case <-changed:
		case <-until.Done():
			q.service.counters.barrierMissed.Add(1)
			q.deadline = later(q.deadline, time.Now().Add(grace))
			tellMissingCommit(q, in)
			return nil
		}
	}
}

// tellMissingCommit says that a commit is not there, and what is.
func tellMissingCommit(q *search, in commits.Scope) {
	at := q.service.commits.At(in)
	if len(at) == 0 {
		q.degrade("commit %s has not been seen: no source in scope is a git repository", q.req.Commit)
		q.offer(document.Action{Do: document.DoSourceAdd})
		return
	}
	q.degrade("commit %s has not been seen: it is not among the newest of %s; is it pushed, and is its branch the one that is followed?", q.req.Commit, strings.Join(at, ", "))
}

// settle waits for the token, and notes what no sink can be expected to show
// yet.
func settle(ctx context.Context, q *search) (note string) {
	token := q.token
	if skipBarrier {
		token = 0
	}
	until, cancel := context.WithDeadline(ctx, q.arrived.Add(q.req.Deadline-q.reserve()))
	defer cancel()
	var settled bool
	// Twice the documents that can be searched: some are deletions.
	q.pending, q.morePending, settled = q.service.index.Settle(until, token, q.scope(), max(2*q.service.cfg.PendingDocuments, q.service.cfg.Listed))
	switch {
	case token == 0:
		return ""
	case settled:
		return "settled"
	}
	q.service.counters.barrierMissed.Add(1)
	q.deadline = later(q.deadline, time.Now().Add(grace))
	return "deadline"
}

// catchUp notes again what is pending, after versions that came while the
// sinks were asked; what was found of these documents may be gone, and what
// replaces it has to be looked for.
func catchUp(ctx context.Context, q *search) error {
	q.last = q.resolved.Seen
	if err := q.service.index.Reach(ctx, q.last); err != nil {
		return fmt.Errorf("wait for the log's heads: %w", err)
	}
	settle(ctx, q)
	q.found.asked = false
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// goneWait is how long an answer that names its sources waits to be told which of
// their roots have gone.
const goneWait = 250 * time.Millisecond

// setScope decides which sources the answer is about.
func setScope(ctx context.Context, q *search) {
	defer tellGone(q)
	ctx, cancel := context.WithDeadline(ctx, q.arrived.Add(q.req.Deadline-q.reserve()))
	defer cancel()
	var asOf time.Time
	if q.req.WantsToken() {
		asOf = q.arrived
	}
	if len(q.req.Sources) > 0 {
		q.sources = q.req.Sources
		ctx, cancel := context.WithTimeout(ctx, goneWait)
		defer cancel()
		q.service.sources.Watched(ctx, asOf, nil)
		return
	}
	seen := q.service.index.Sources()
	list := q.service.sources.Watched(ctx, asOf, seen)
	if !list.Known {
		q.degrade("watcher: it does not answer, so every source counts as watched")
		return
	}
	if list.Age > 0 {
		q.degrade("watcher: it is slow to answer, so the list of sources is that of %s ago", list.Age.Round(time.Second/10))
	}
	watched := list.Watched
	if len(watched) == 0 {
		q.nothing = true
		q.degrade("no source is watched: name one with the filter source:NAME, or add a folder")
		q.offer(document.Acts(document.DoSourceAdd, document.DoSourceList)...)
		return
	}
	// Without a stranger in the log the stores need no filter.
	if strangers(seen, watched) {
		q.sources = watched
	}
}

// tellGone says which sources in scope are not there: what is shown of them
// was right when they were seen last.
func tellGone(q *search) {
	for _, i := range q.service.sources.Gone() {
		if !q.nothing && hasOrAny(q.sources, i.Source) {
			q.degrade("%s: what it had is still shown: %s", i.Source, i.Gone)
			q.offer(document.ActionsAbout(i.Gone, i.Actions)...)
		}
	}
}

// strangers reports whether the log has sources that are not watched.
func strangers(seen, watched []document.Source) bool {
	return slices.ContainsFunc(seen, func(s document.Source) bool { return !slices.Contains(watched, s) })
}
