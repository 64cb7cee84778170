package watcher

import (
	"context"
	"errors"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// compareAll brings every view of the source in line with what it is now, and
// publishes the view's marker.
func (s *source) compareAll(ctx context.Context, run *fullRun) (outcome, error) {
	s.svc.rescans.Add(1)
	if s.origin.Place.Kind == contract.SourceAPI {
		if err := s.comparer.renewFormats(ctx); err != nil {
			return outcome{}, err
		}
		return s.markViews(ctx)
	}
	t, view, head, err := s.origin.Current(ctx)
	if err != nil {
		return outcome{}, err
	}
	if d, ok := t.(origin.OnDisk); ok {
		d.Trusting = !run.read
	}
	if err := errors.Join(s.origin.Unfetched(head), t.Reachable()); err != nil {
		return outcome{}, err
	}
	verdict, err := s.quota.admit(ctx, t, s.comparer.known())
	if err != nil {
		return outcome{}, err
	}
	compare := s.comparer.compare
	switch verdict {
	case held:
		s.hold(view, head)
		return outcome{}, nil
	case bounded:
		compare = s.comparer.compareLimited
	case admitted:
	}
	out, err := compare(ctx, t, view, []scope{{tree: true}}, run.live)
	s.comparer.retries.add(out.unstable)
	if err != nil {
		return out, err
	}
	followed, err := s.svc.follow(ctx, s.origin, out.linked, (*follower).compareLive)
	out.changed += followed.changed
	out.highest = max(out.highest, followed.highest)
	if err != nil {
		return out, err
	}
	retired, err := s.comparer.retire(ctx, view)
	out.changed += retired
	if err != nil {
		return out, err
	}
	// Who sees the marker is told of what it stands for.
	s.position.shows(view, head)
	marker, err := s.comparer.mark(ctx, view, head.Commit, max(out.highest, 0))
	if err != nil {
		return out, err
	}
	out.highest = max(out.highest, marker)
	return out, s.compared(ctx, out.highest)
}

// compared notes that a comparison has ended.
func (s *source) compared(ctx context.Context, highest document.Version) error {
	token, err := s.svc.bus.Tokens().Of(ctx, uint64(highest))
	if err != nil {
		return err
	}
	s.position.compared(token)
	return nil
}

// markViews brings the markers of an API source up to date. The log is what
// such a source is, so that there is nothing to compare it with.
func (s *source) markViews(ctx context.Context) (outcome, error) {
	if err := s.svc.ledger.reach(ctx, s.svc.bus); err != nil {
		return outcome{}, err
	}
	var out outcome
	views := s.svc.stats.viewsOf(s.name)
	if !slices.Contains(views, document.Worktree) {
		views = append(views, document.Worktree)
	}
	for _, v := range views {
		marker, err := s.comparer.mark(ctx, v, "", 0)
		out.highest = max(out.highest, marker)
		if err != nil {
			return out, err
		}
	}
	return out, s.compared(ctx, out.highest)
}

// hold keeps a source in view of which nothing may be published: other rules in
// its root may make it small enough.
func (s *source) hold(view document.View, head gitrepo.Head) {
	s.follower.watchRootFolder()
	s.quota.tellHold()
	s.position.shows(view, head)
}
