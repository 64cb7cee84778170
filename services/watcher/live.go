package watcher

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/watch"
)

// changed handles a batch of changes on disk.
func (s *source) changed(ctx context.Context, batch []watch.Change) {
	var scopes []scope
	rules := false
	for _, c := range batch {
		if c.Path == "" {
			// Events were lost, or the root itself went. The comparison
			// registers every directory again.
			_, err := s.share(ctx, fullRun{live: true, read: !c.Polled})
			s.makeUp(ctx, err)
			return
		}
		raw, tree := c.Path, c.Tree
		if ignore.IsRuleFile(baseOf(raw)) {
			// Other rules hold from its directory on.
			rules = true
			raw, tree = strings.TrimSuffix(raw[:len(raw)-len(baseOf(raw))], "/"), true
		}
		scopes = append(scopes, scope{raw: raw, tree: tree, polled: c.Polled})
	}
	if rules {
		set, err := s.loadRules(ctx)
		if err != nil {
			s.note("ignore rules", err)
			s.makeUp(ctx, err)
			return
		}
		s.note("ignore rules", nil)
		s.setRules(set)
	}
	if s.onHold() {
		if rules { // it may be small enough now
			_, err := s.full(ctx, true)
			s.makeUp(ctx, err)
		}
		return
	}
	_, err := s.changedLive(ctx, scopes)
	s.makeUp(ctx, err)
}

// changedLive compares scopes of the files on disk as live changes, and then
// what else names a file that has changed.
func (s *source) changedLive(ctx context.Context, scopes []scope) (outcome, error) {
	out, err := s.compareLive(ctx, scopes)
	if err == nil {
		_, err = s.follow(ctx, out.linked, (*source).compareLive)
	}
	return out, err
}

// compareLive compares scopes of the files on disk as live changes.
func (s *source) compareLive(ctx context.Context, scopes []scope) (outcome, error) {
	if s.onHold() {
		return outcome{}, nil
	}
	t := s.disk().(onDisk)
	t.Trusting = !slices.ContainsFunc(scopes, func(sc scope) bool { return !sc.polled })
	rules := t.Rules
	kept := scopes[:0]
	for _, sc := range scopes {
		// A directory that is there now needs its old documents compared, too:
		// it may have been another one, or a file.
		if !sc.tree && t.Enterable(sc.raw) {
			sc.tree = true
		}
		// Ignored paths change all the time; what is ignored by its name alone
		// and has no document is not worth a look.
		if dec := rules.Decide(sc.raw, sc.tree); dec.Ignored && !sc.tree && dec.Class != ignore.ClassSecret && !s.svc.known(s, sc.raw) {
			continue
		}
		kept = append(kept, sc)
	}
	if len(kept) == 0 {
		return outcome{}, nil
	}
	out, err := s.compareLimited(ctx, t, s.currentView(), kept, true)
	s.later(out.unstable)
	return out, err
}

// recoverAfter is the pause before a full comparison makes up for a live one
// that failed.
const recoverAfter = time.Second

// makeUp makes up for a failed comparison by a full one, until that succeeds.
// While the log has no room it would be in vain; then it comes at once.
func (s *source) makeUp(ctx context.Context, err error) {
	for wait := recoverAfter; err != nil && ctx.Err() == nil; wait = min(2*wait, 30*time.Second) {
		s.note("comparison", err)
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		if s.svc.bus.Room().For(0) != nil {
			if s.svc.bus.Room().Await(ctx) != nil {
				return
			}
			wait = recoverAfter
		}
		_, err = s.full(ctx, true)
	}
}

// retryEvery is the pause between looks at files that keep changing.
const retryEvery = 200 * time.Millisecond

// later has unstable paths looked at again.
func (s *source) later(paths []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range paths {
		s.retry[p] = true
	}
}

func (s *source) retryUnstable() {
	tick := time.NewTicker(retryEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
		s.mu.Lock()
		var scopes []scope
		for p := range s.retry {
			scopes = append(scopes, scope{raw: p})
		}
		clear(s.retry)
		s.mu.Unlock()
		if len(scopes) > 0 {
			_, err := s.changedLive(s.ctx, scopes)
			s.makeUp(s.ctx, err)
		}
	}
}

// metaDirs are the directories of a git directory that hold refs or rules.
var metaDirs = []string{"refs", "info", "logs", "reftable"}

// ensureMeta registers watches for a git directory.
func (s *source) ensureMeta(i int) {
	dir := s.place.layout.MetaDirs()[i]
	s.metas[i].Ensure("")
	for _, sub := range metaDirs {
		_ = filepath.WalkDir(filepath.Join(dir, sub), func(path string, e fs.DirEntry, err error) error {
			if e == nil || err != nil {
				return filepath.SkipDir // gone again: its parent's watch tells
			}
			rel := filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
			switch {
			case strings.HasPrefix(rel, "logs/"):
				return filepath.SkipDir // logs/HEAD is all that counts there
			case e.IsDir():
				s.metas[i].Ensure(rel)
			}
			return nil
		})
	}
}

// metaChanged handles a batch of changes in a git directory. Only another head
// or other rules lead to a comparison.
func (s *source) metaChanged(ctx context.Context, i int, batch []watch.Change) {
	refs, rules := false, false
	for _, c := range batch {
		switch {
		case c.Lost || c.Path == "":
			refs, rules = true, true
		case gitrepo.MetaOf(c.Path) == gitrepo.MetaRefs:
			refs = true
		case gitrepo.MetaOf(c.Path) == gitrepo.MetaRules:
			rules = true
		}
	}
	if !refs && !rules {
		return
	}
	s.ensureMeta(i) // a branch's name may have made new directories
	if !rules {
		head, err := s.repo.Head(ctx, s.pinned)
		s.mu.Lock()
		known := s.head
		s.mu.Unlock()
		if err == nil && head == known {
			return
		}
	}
	_, err := s.full(ctx, true)
	s.makeUp(ctx, err)
}
