package watcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/mirror"
)

// fullRun is one full comparison, shared by all who asked for it before it
// began.
type fullRun struct {
	live bool
	// read is false where everybody only asked for a look from time to time:
	// times are relied on wherever they come from.
	read bool
	done chan struct{}
	out  outcome
	err  error
}

var errStopped = document.Errorf(document.Unavailable, "the source is being stopped: ask again")

// full compares the whole source with the log, and returns when a comparison
// that began after the call has ended. Callers that wait share one. Its
// outcome's highest version is that of the view's marker.
func (s *source) full(ctx context.Context, live bool) (outcome, error) {
	return s.share(ctx, fullRun{live: live, read: true})
}

// share is full with more to say about the comparison.
func (s *source) share(ctx context.Context, want fullRun) (outcome, error) {
	s.mu.Lock()
	if s.stopped {
		s.mu.Unlock()
		return outcome{}, errStopped
	}
	if s.next == nil {
		s.next = &fullRun{done: make(chan struct{})}
	}
	r := s.next
	r.live, r.read = r.live || want.live, r.read || want.read
	if !s.running {
		s.running = true
		s.wg.Go(s.runFull)
	}
	s.mu.Unlock()
	select {
	case <-r.done:
		return r.out, r.err
	case <-ctx.Done():
		return outcome{}, ctx.Err()
	}
}

// runFull runs full comparisons as long as somebody asks for one.
func (s *source) runFull() {
	for {
		s.mu.Lock()
		r := s.next
		s.next, s.now = nil, r
		if r == nil {
			s.running = false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		select {
		case s.svc.fullSlots <- struct{}{}:
			s.setScanning(true)
			r.out, r.err = s.compareAll(s.ctx, r)
			s.setScanning(false)
			<-s.svc.fullSlots
		case <-s.ctx.Done():
			r.err = errStopped
		}
		s.note("comparison", r.err)
		close(r.done)
	}
}

func (s *source) setScanning(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scanning = on
}

// compareAll brings every view of the source in line with what it is now, and
// publishes the view's marker.
func (s *source) compareAll(ctx context.Context, run *fullRun) (outcome, error) {
	s.svc.rescans.Add(1)
	if s.place.kind == contract.SourceAPI {
		if err := s.renewFormats(ctx); err != nil {
			return outcome{}, err
		}
		return s.markViews(ctx)
	}
	t, view, head, err := s.currentTruth(ctx)
	if err != nil {
		return outcome{}, err
	}
	if d, ok := t.(onDisk); ok {
		d.Trusting = !run.read
	}
	if err := errors.Join(s.unfetched(head), t.reachable()); err != nil {
		return outcome{}, err
	}
	verdict, err := s.admit(ctx, t)
	if err != nil {
		return outcome{}, err
	}
	compare := s.compare
	switch verdict {
	case held:
		s.hold(view, head)
		return outcome{}, nil
	case bounded:
		compare = s.compareLimited
	case admitted:
	}
	out, err := compare(ctx, t, view, []scope{{tree: true}}, run.live)
	s.later(out.unstable)
	if err != nil {
		return out, err
	}
	followed, err := s.follow(ctx, out.linked, (*source).compareLive)
	out.changed += followed.changed
	out.highest = max(out.highest, followed.highest)
	if err != nil {
		return out, err
	}
	retired, err := s.retire(ctx, view)
	out.changed += retired
	if err != nil {
		return out, err
	}
	// Who sees the marker is told of what it stands for.
	s.shows(view, head)
	marker, err := s.mark(ctx, view, head.Commit, max(out.highest, 0))
	if err != nil {
		return out, err
	}
	out.highest = max(out.highest, marker)
	return out, s.compared(ctx, out.highest)
}

// shows notes which state of the source the log has.
func (s *source) shows(view document.View, head gitrepo.Head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.view, s.head = view, head
}

// compared notes that a comparison has ended.
func (s *source) compared(ctx context.Context, highest document.Version) error {
	token, err := s.svc.bus.Token(ctx, uint64(highest))
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.scanned, s.at = token, time.Now()
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
		marker, err := s.mark(ctx, v, "", 0)
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
	if s.files != nil {
		s.files.Ensure("")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held != s.warned {
		s.svc.log.Info("source held: it is larger than the limits", "source", s.name, "root", s.place.root)
	}
	s.view, s.head, s.warned = view, head, s.held
}

// currentTruth reads what the source is now: its rules, its head, its tree.
func (s *source) currentTruth(ctx context.Context) (truth, document.View, gitrepo.Head, error) {
	var head gitrepo.Head
	var err error
	if s.repo != nil {
		if head, err = s.repo.Head(ctx, s.pinned); err != nil {
			return nil, "", head, err
		}
	}
	if s.place.kind == contract.SourceBare {
		t, err := readTree(ctx, s, head)
		return t, viewOf(head), head, err
	}
	rules, err := s.loadRules(ctx)
	if err != nil {
		return nil, "", head, err
	}
	s.setRules(rules)
	return s.disk(), document.Worktree, head, nil
}

// retire empties every other view of the source: HEAD of a bare repository
// names another branch now, or the source was of another kind.
func (s *source) retire(ctx context.Context, keep document.View) (changed int, err error) {
	for _, v := range s.svc.ledger.views(s.name) {
		if v == keep {
			continue
		}
		out, err := s.clear(ctx, v)
		changed += out.changed
		if err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// clear deletes every document of a view, and marks that.
func (s *source) clear(ctx context.Context, v document.View) (outcome, error) {
	out, err := s.compare(ctx, nothing{}, v, []scope{{tree: true}}, false)
	if err != nil {
		return out, err
	}
	marker, err := s.mark(ctx, v, "", out.highest)
	out.highest = max(out.highest, marker)
	return out, err
}

// mark publishes the marker of a view, if it says something new: another
// commit or count, or documents newer than the last one. It returns the
// version of the marker that holds now.
func (s *source) mark(ctx context.Context, v document.View, commit string, newest document.Version) (document.Version, error) {
	key := bus.FileKey{Source: s.name, Doc: document.MarkerDoc, View: v}
	if err := s.svc.ledger.files.Wait(ctx, uint64(newest)); err != nil {
		return 0, err
	}
	st := s.svc.stats.of(s.name, v)
	last := s.svc.ledger.get(key)
	subject := contract.FileSubject(s.name, document.MarkerDoc, v)
	ancestors := last.Ancestors
	if commit != last.Commit {
		ancestors = s.ancestors(ctx, commit)
	}
	for range conflictTries {
		if last.Op == contract.OpMarker && last.Commit == commit && last.Count == st.documents &&
			last.Version > max(newest, st.newest) {
			return last.Version, nil
		}
		h := contract.FileHead{
			Source: s.name, Doc: document.MarkerDoc, View: v, Op: contract.OpMarker,
			Commit: commit, Ancestors: ancestors, Count: st.documents, Time: s.svc.bus.Now(),
		}
		ack := s.svc.bus.Publish(ctx, bus.Out{Subject: subject, Header: h.Header(), Expect: uint64(last.Version)})[0]
		if ack.Err == nil {
			h.Version = document.Version(ack.Seq)
			s.svc.ledger.note(h)
			s.svc.tell(ctx, h)
			return h.Version, nil
		}
		if !errors.Is(ack.Err, bus.ErrConflict) {
			return 0, fmt.Errorf("mark %s: %w", s.name, ack.Err)
		}
		head, err := s.svc.readHead(ctx, subject)
		if err != nil {
			return 0, err
		}
		last = head
	}
	return 0, fmt.Errorf("mark %s: another writer keeps changing its marker: is a second watcher running?", s.name)
}

// markedAncestors is how many of the commits before its own a marker names, so
// that a search can wait for one that another has followed already. A hundred
// take 4 KiB in a header.
const markedAncestors = mirror.Depth - 1

// ancestors returns what a marker says of the commits that a commit includes.
// A history that cannot be read costs no more than that.
func (s *source) ancestors(ctx context.Context, commit string) string {
	if s.repo == nil {
		return ""
	}
	list, err := s.repo.Ancestors(ctx, commit, markedAncestors)
	if err != nil && ctx.Err() == nil {
		s.svc.log.Warn("the history is not known", "source", s.name, "error", err)
	}
	return strings.Join(list, ",")
}
