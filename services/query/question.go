package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/commits"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// question is what a search has in common with everything else that is answered
// about documents: which of them, in which state of the log, until when.
type question struct {
	service *engine
	who     contract.Principal
	sight   *access.Sight // what who asks may see; nil: everything
	scope   *request.Scope
	// reach waits until what the answer is made of includes FILES up to a sequence.
	reach func(ctx context.Context, seq uint64) error

	arrived  time.Time
	deadline time.Time
	last     uint64            // FILES' last sequence at arrival
	token    uint64            // the sequence that is asked for, 0 for none
	behind   bool              // the log does not include the commit that is asked for
	sources  []document.Source // in scope; empty: all
	nothing  bool              // no source is in scope
	few      []string          // the paths of all that the filter's metadata lets through, where these are few
	lease    extended
	degraded []string
	actions  []document.Action // about what is degraded
}

// asks is the question of whoever sent the request that ctx is of. What they may see is
// decided by the rules as they are now.
func (s *engine) asks(ctx context.Context, reach func(context.Context, uint64) error) *question {
	who := rpc.Asker(ctx)
	sight := s.bus.Visibility().Sight(who)
	return &question{service: s, who: who, sight: sight, arrived: rpc.Arrived(ctx), reach: reach, lease: extended{service: s, who: who, sight: sight}}
}

// allow sets the deadline of a question whose scope is known; ctx ends when the
// caller leaves.
func (q *question) allow(ctx context.Context) error {
	if until, ok := ctx.Deadline(); ok {
		q.scope.Deadline = min(q.scope.Deadline, until.Sub(q.arrived)) // the caller has left then
	}
	q.deadline = q.arrived.Add(q.scope.Deadline)
	if !time.Now().Before(q.deadline) {
		return document.Errorf(document.Deadline, "the question waited for its turn until its deadline of %s was over: ask again, or allow more with deadline_ms", q.scope.Deadline.Round(time.Millisecond))
	}
	return nil
}

// reserve is the part of the deadline that is left for the stages behind the
// barrier.
func (q *question) reserve() time.Duration { return min(q.scope.Deadline/4, 200*time.Millisecond) }

// inScope reports whether the answer depends on a document.
func (q *question) inScope(h *contract.FileHead) bool {
	return q.groupInScope(h.Source, h.View, h.Collection) && q.scope.Paths.Match(h.Path) && !q.scope.Left.Path(h.Path) && q.scope.Described(h.Metadata) && bus.Head(q.sight, h)
}

// mayBe reports whether a question about one document or folder may be about a head.
func (q *question) mayBe(k bus.FileKey, h *contract.FileHead) bool {
	return q.groupInScope(k.Source, k.View, "") && bus.Head(q.sight, h)
}

func (q *question) groupInScope(s document.Source, v document.View, c document.Collection) bool {
	return !q.nothing && hasOrAny(q.sources, s) && !slices.Contains(q.scope.Left.Sources, s) && hasOrAny(q.scope.Views, v) && (c == "" || hasOrAny(q.scope.Collections, q.service.stores.Place(c)))
}

func (q *question) degrade(format string, args ...any) {
	q.degraded = append(q.degraded, fmt.Sprintf(format, args...))
}

func (q *question) degradeOnce(sentence string, actions ...document.Action) {
	if !slices.Contains(q.degraded, sentence) {
		q.degrade("%s", sentence)
		q.offer(actions...)
	}
}

// offer names what can be done about the sentence that degrade added last.
func (q *question) offer(actions ...document.Action) {
	last := q.degraded[len(q.degraded)-1]
	q.actions = append(q.actions, document.About(last, actions...)...)
}

// arrive waits until the log as it was at arrival, and the commit that is asked
// for, are included, and decides which sources the answer is about.
func (q *question) arrive(ctx context.Context) error {
	if err := q.arriveLog(ctx); err != nil {
		return err
	}
	if err := q.setSources(ctx); err != nil {
		return err
	}
	if err := q.awaitCommit(ctx); err != nil {
		return err
	}
	q.findDescribed()
	return nil
}

// arriveLog waits until the log as it was at arrival is included.
func (q *question) arriveLog(ctx context.Context) error {
	var err error
	if q.last, err = q.service.bus.LastSeq(ctx, contract.StreamFiles); err != nil {
		return err
	}
	switch {
	case q.scope.Latest:
		q.token = q.last
	case !q.scope.Token.IsZero():
		seq, err := q.service.bus.Tokens().Resolve(ctx, q.scope.Token, q.last)
		if err != nil {
			return err
		}
		q.token = min(seq, q.last)
	}
	return q.include(ctx, q.last)
}

// include waits until a sequence of FILES is included.
func (q *question) include(ctx context.Context, seq uint64) error {
	q.last = seq
	if err := q.reach(ctx, seq); err != nil {
		return fmt.Errorf("wait for the log's heads: %w", err)
	}
	return nil
}

// awaitCommit waits until the log includes the commit that was asked for, and
// makes that the token. At the deadline the answer says that it does not.
func (q *question) awaitCommit(ctx context.Context) error {
	if q.scope.Commit == "" || q.nothing {
		return nil
	}
	until, cancel := context.WithDeadline(ctx, q.arrived.Add(q.scope.Deadline-q.reserve()))
	defer cancel()
	for {
		// The commits of a branch of which nothing is seen are ones that nobody knows. It is
		// looked at before: the index of commits is told of the heads under their lock.
		seen := q.service.bus.Visibility().Views(q.sight)
		in := func(s document.Source, v document.View) bool { return q.groupInScope(s, v, "") && seen(s, v) }
		v, changed, err := q.service.commits.Version(q.scope.Commit, in)
		if err != nil {
			return err
		}
		if v > 0 {
			q.token = max(q.token, uint64(v))
			return q.include(ctx, max(q.last, q.token))
		}
		select {
		case <-changed:
		case <-until.Done():
			q.behind = true
			q.service.counters.barrierMissed.Add(1)
			q.deadline = later(q.deadline, time.Now().Add(grace))
			q.tellMissingCommit(in)
			return nil
		}
	}
}

// tellMissingCommit says that a commit is not there, and what is.
func (q *question) tellMissingCommit(in commits.Scope) {
	at := q.service.commits.At(in)
	if len(at) == 0 {
		q.degrade("commit %s has not been seen: no source in scope is a git repository", q.scope.Commit)
		q.offer(document.Action{Do: document.DoSourceAdd})
		return
	}
	q.degrade("commit %s has not been seen: it is not among the newest of %s; is it pushed, and is its branch the one that is followed?", q.scope.Commit, strings.Join(at, ", "))
}

// goneWait is how long an answer that names its sources waits to be told which of
// their roots have gone.
const goneWait = 250 * time.Millisecond

// setSources decides which sources the answer is about.
func (q *question) setSources(ctx context.Context) error {
	defer q.tellGone()
	if q.sight != nil {
		return q.setSeenSources()
	}
	ctx, cancel := context.WithDeadline(ctx, q.arrived.Add(q.scope.Deadline-q.reserve()))
	defer cancel()
	var asOf time.Time
	if q.scope.WantsToken() {
		asOf = q.arrived
	}
	if len(q.scope.Sources) > 0 {
		q.sources = q.scope.Sources
		ctx, cancel := context.WithTimeout(ctx, goneWait)
		defer cancel()
		q.service.sources.Watched(ctx, asOf, nil)
		return q.knowSources(ctx)
	}
	seen := q.service.index.Sources()
	list := q.service.sources.Watched(ctx, asOf, seen)
	if !list.Known {
		q.degrade("watcher: it does not answer, so every source counts as watched")
		return nil
	}
	if list.Age > 0 {
		q.degrade("watcher: it is slow to answer, so the list of sources is that of %s ago", list.Age.Round(time.Second/10))
	}
	watched := list.Watched
	if len(watched) == 0 {
		q.nothing = true
		q.degrade("no source is watched: name one with the filter source:NAME, or add a folder")
		q.offer(document.Acts(document.DoSourceAdd, document.DoSourceList)...)
		return nil
	}
	// Without a stranger in the log the stores need no filter.
	if strangers(seen, watched) {
		q.sources = watched
	}
	return q.knowSources(ctx)
}

// setSeenSources is setSources for whoever sees only a part: a source of which they see
// nothing is one that nobody knows. That it is watched is of no matter to them.
func (q *question) setSeenSources() error {
	if err := q.knowSeenSources(); err != nil {
		return err
	}
	if q.sources = q.service.bus.Visibility().Sources(q.sight); len(q.scope.Sources) > 0 {
		q.sources = q.scope.Sources
	}
	if len(q.sources) == 0 {
		q.nothing = true
		q.degrade("access: who asks may see nothing of what is indexed")
	}
	return nil
}

// knowSeenSources is knowSources for whoever sees only a part.
func (q *question) knowSeenSources() error {
	seen := q.service.bus.Visibility().Sources(q.sight)
	for _, s := range slices.Concat(q.scope.Sources, q.scope.Left.Sources) {
		if !slices.Contains(seen, s) {
			return request.UnknownSource(s, seen)
		}
	}
	return nil
}

// knowSources returns an error for a source that is named and that nobody knows:
// neither the log, nor the watcher. One that was added a moment ago is in no older
// list, so a new one has to say so.
func (q *question) knowSources(ctx context.Context) error {
	named := slices.Concat(q.scope.Sources, q.scope.Left.Sources)
	seen := q.service.index.Sources()
	if !strangers(named, seen) {
		return nil
	}
	list := q.service.sources.Watched(ctx, q.arrived, nil)
	known := slices.Concat(seen, list.Sources)
	for _, s := range named {
		if list.Known && !slices.Contains(known, s) {
			return request.UnknownSource(s, known)
		}
	}
	return nil
}

// tellGone says which sources in scope are not there: what is shown of them
// was right when they were seen last.
func (q *question) tellGone() {
	for _, i := range q.service.sources.Gone() {
		switch {
		case q.nothing || !hasOrAny(q.sources, i.Source):
		case q.sight != nil: // why would name folders
			q.degrade("%s: what it had is still shown: its folder or repository is not there", i.Source)
		default:
			q.degrade("%s: what it had is still shown: %s", i.Source, i.Gone)
			q.offer(document.ActionsAbout(i.Gone, i.Actions)...)
		}
	}
}

// strangers reports whether the log has sources that are not watched.
func strangers(seen, watched []document.Source) bool {
	return slices.ContainsFunc(seen, func(s document.Source) bool { return !slices.Contains(watched, s) })
}
