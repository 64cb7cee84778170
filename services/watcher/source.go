package watcher

import (
	"cmp"
	"context"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// source is one watched source: where it is, what may be published of it, how
// the log is brought in line with it, and who notices that this is due. stop ends
// what runs of it.
type source struct {
	svc      *Service
	name     document.Source
	origin   *origin.Origin
	life     *life
	quota    *quota
	comparer *comparer
	full     *fullRunner
	follower *follower
	position *position
	troubles *troubles
}

// openSource prepares a source; start sets it going.
func openSource(ctx context.Context, svc *Service, reg registration, p origin.Place) (*source, error) {
	s := &source{
		svc: svc, name: reg.Source, origin: origin.New(&svc.reading, reg.Source, p), life: newLife(ctx),
		position: &position{now: reached{view: document.Worktree}},
		troubles: &troubles{source: reg.Source, log: svc.log, now: map[string]string{}},
	}
	s.origin.Pinned = reg.Branch
	s.origin.SetExcluded(reg.Exclude)
	s.quota = newQuota(s.origin, svc.cfg.Limits, reg.Accepted)
	s.comparer = newComparer(svc, s.origin, s.quota, s.life)
	s.full = &fullRunner{svc: svc, life: s.life, troubles: s.troubles, compare: s.compareAll}
	s.follower = &follower{
		svc: svc, origin: s.origin, comparer: s.comparer, quota: s.quota, position: s.position,
		full: s.full, troubles: s.troubles, life: s.life,
		git: &gitWatch{origin: s.origin, position: s.position, full: s.full},
	}
	if p.Mirror != nil {
		s.origin.Pinned = "" // the mirror has one branch
		if !p.Mirror.Fetched() {
			s.troubles.now[troubleRemote] = p.Mirror.URL + " was not fetched yet since the start"
		}
	}
	if p.Kind == contract.SourceAPI {
		s.quota.decide() // who puts a document has decided
		return s, nil
	}
	if err := s.open(ctx); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// open resolves what can fail for the user's doing, and creates the watches.
func (s *source) open(ctx context.Context) error {
	if err := s.origin.Open(s.svc.cfg.Git); err != nil {
		return err
	}
	if s.origin.Place.Kind == contract.SourceBare {
		head, err := s.origin.Repo.Head(ctx, s.origin.Pinned)
		if err != nil {
			return err
		}
		if err := s.origin.BranchThere(head); err != nil {
			return err
		}
		s.position.shows(origin.ViewOf(head), head)
	} else if err := s.origin.ReadRules(ctx); err != nil {
		return err
	}
	return s.follower.open()
}

// close gives back what open took, for a source that was not started.
func (s *source) close() {
	s.life.cancel()
	s.follower.close()
	s.origin.Close()
}

// start sets the watches going. The first comparison is the caller's.
func (s *source) start() {
	if s.comparer.known() { // it is not held, and its changes need not wait for the first comparison
		s.quota.decide()
	}
	s.follower.start()
}

// stop ends the source and waits for its goroutines.
func (s *source) stop() {
	s.life.end()
	s.origin.Close()
}

// info describes the source.
func (s *source) info() contract.SourceInfo {
	scanning := s.full.isScanning() // first: what has ended is in the position
	at, p := s.position.get(), s.origin.Place
	st := s.svc.stats.of(s.name, at.view)
	if p.Kind == contract.SourceAPI {
		st = s.svc.stats.ofAll(s.name)
	}
	i := contract.SourceInfo{
		Source: s.name, Root: p.Root, Remote: p.Remote(), Kind: p.Kind, View: at.view, Branch: at.head.Branch,
		Watched: true, Scanned: at.compared, ScannedAt: at.at, Commit: at.head.Commit,
		Documents: st.documents, Bytes: st.bytes, Scanning: scanning, Held: s.quota.hold(),
		Gone:    cmp.Or(s.troubles.of(troubleRoot), s.troubles.of(troubleRemote)),
		Exclude: s.origin.Excluded(),
	}
	crowded := s.quota.crowded(st.skipped[string(classify.OverLimit)])
	for _, large := range []string{i.Held, crowded} {
		if large != "" {
			i.Actions = append(i.Actions, document.About(large, acceptance(i.Root, i.Remote)...)...)
		}
	}
	if crowded != "" {
		i.Degraded = append(i.Degraded, crowded)
	}
	for _, n := range st.skipped {
		i.Skipped += n
	}
	i.Degraded = append(i.Degraded, s.troubles.sentences()...)
	if h := s.svc.ledger.get(bus.FileKey{Source: s.name, Doc: document.AccessDoc, View: at.view}); s.svc.bus.Restricts() && rulesTrouble(&h) != "" {
		i.Degraded = append(i.Degraded, "access: owners alone see its documents: "+rulesTrouble(&h))
	}
	if d := s.follower.degraded(); d != "" {
		i.Degraded = append(i.Degraded, d)
	}
	if s.origin.Repo != nil {
		i.Git = s.origin.Repo.Reader()
	}
	return i
}
