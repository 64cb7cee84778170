package watcher

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// verify compares sources with FILES, whatever times and sizes say, and
// publishes exactly what differs if that is asked for.
func (s *Service) verify(ctx context.Context, req contract.VerifyFilesRequest, send func(contract.VerifyPart) error) error {
	if _, err := bus.AuditOf(s.bus).Files(ctx); err != nil {
		return err
	}
	s.ledger.rely()
	if len(req.Unread) > 0 {
		return s.renew(ctx, req)
	}
	if len(req.Lost) > 0 {
		return s.verifyLost(ctx, req)
	}
	registered := s.list()
	if req.Source != "" {
		registered = slices.DeleteFunc(registered, func(i contract.SourceInfo) bool { return i.Source != req.Source })
		if len(registered) == 0 {
			return document.Errorf(document.NotFound, "there is no source %q", req.Source).Do(document.DoSourceList)
		}
	}
	sum := contract.VerifySummary{Started: time.Now(), Only: req.Source, Repair: req.Repair, Sources: []contract.VerifySource{}, Generations: []contract.VerifyGeneration{}}
	for _, info := range registered {
		v := &verification{svc: s, sum: &sum, repair: req.Repair, send: send}
		if err := v.source(ctx, info); err != nil {
			return err
		}
	}
	sum.Conclude()
	sum.TookMS = time.Since(sum.Started).Milliseconds()
	return send(contract.VerifyPart{Summary: &sum})
}

// verification is the comparison of one source with FILES.
type verification struct {
	svc    *Service
	sum    *contract.VerifySummary
	repair bool
	send   func(contract.VerifyPart) error
}

func (v *verification) source(ctx context.Context, info contract.SourceInfo) error {
	v.svc.mu.RLock()
	src := v.svc.watched[info.Source]
	v.svc.mu.RUnlock()
	out := contract.VerifySource{Source: info.Source, View: info.View}
	if err := v.compare(ctx, src, &out); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		missed(&out, info, err)
	}
	last, err := v.svc.bus.LastSeq(ctx, contract.StreamFiles)
	if err == nil {
		err = v.svc.ledger.files.Wait(ctx, last)
	}
	if err != nil {
		return err
	}
	for _, view := range v.svc.stats.viewsOf(info.Source) {
		st := v.svc.stats.of(info.Source, view)
		out.LogDocuments += st.documents
		for _, n := range st.skipped {
			out.LogSkipped += n
		}
	}
	v.sum.Sources = append(v.sum.Sources, out)
	return nil
}

// compare looks at the whole source, and once more at what differed: a change
// that its events are just bringing in is no difference.
func (v *verification) compare(ctx context.Context, s *source, out *contract.VerifySource) error {
	if s == nil {
		return errUnwatched
	}
	if s.origin.Place.Kind == contract.SourceAPI {
		return errGiven
	}
	if err := s.full.rest(ctx); err != nil {
		return err
	}
	if err := s.quota.refusal(); err != nil {
		return err
	}
	all, err := v.look(ctx, s, nil, out)
	if err != nil || len(all) == 0 {
		return err
	}
	// By then the events of what is there now have been handled.
	if err := pause(ctx, 2*v.svc.cfg.MaxDebounce); err != nil {
		return err
	}
	if err := s.full.rest(ctx); err != nil {
		return err
	}
	again, err := v.look(ctx, s, all, nil)
	if err != nil {
		return err
	}
	for key, f := range all {
		if now, ok := again[key]; !ok || !f.lasts(now) {
			delete(all, key)
		}
	}
	v.sum.Pending += len(again) - len(all)
	left := all
	if v.repair && len(all) > 0 {
		if left, err = v.mend(ctx, s, all); err != nil {
			return err
		}
	}
	return v.report(all, left)
}

// spot is a document in a view of a source.
type spot struct {
	view document.View
	raw  string
}

// look compares a source, or the places of it, and returns what differs. It
// counts into out.
func (v *verification) look(ctx context.Context, s *source, only map[spot]finding, out *contract.VerifySource) (map[spot]finding, error) {
	t, view, _, err := s.origin.Current(ctx)
	if err == nil {
		err = t.Reachable()
	}
	if err != nil {
		return nil, err
	}
	scopes := []scope{{tree: true}}
	if only != nil {
		scopes = scopesOf(t, only, view)
	}
	tell := func(n int) {
		_ = v.send(contract.VerifyPart{Progress: &contract.VerifyProgress{Doing: string(s.name), Done: n, Total: s.logged()}})
	}
	a, err := s.comparer.audit(ctx, newLimited(origin.ReadAll(t), s.name, view, newRoom(s.svc, s.quota)), view, scopes, tell)
	if err != nil {
		return nil, err
	}
	if out != nil {
		out.View, out.Documents, out.Skipped, out.Unread = view, a.documents, a.skipped, a.unread
	}
	found := map[spot]finding{}
	for raw, f := range a.found {
		found[spot{view, raw}] = f
	}
	// What another view still shows is not in the source.
	for _, other := range s.svc.ledger.views(s.name) {
		if other == view {
			continue
		}
		b, err := s.comparer.audit(ctx, origin.Nothing{}, other, []scope{{tree: true}}, nil)
		if err != nil {
			return nil, err
		}
		for raw, f := range b.found {
			found[spot{other, raw}] = f
		}
	}
	if only != nil {
		maps.DeleteFunc(found, func(p spot, _ finding) bool { _, asked := only[p]; return !asked })
	}
	return found, nil
}

// logged is how many documents the log has of the source's view, those that
// are left out among them.
func (s *source) logged() int {
	st := s.svc.stats.of(s.name, s.position.view())
	n := st.documents
	for _, k := range st.skipped {
		n += k
	}
	return n
}

// scopesOf are the scopes of places in a view. A commit's tree is always
// compared as a whole.
func scopesOf(t origin.Truth, places map[spot]finding, view document.View) []scope {
	if _, ok := t.(*origin.InTree); ok {
		return []scope{{tree: true}}
	}
	var out []scope
	for p := range places {
		if p.view == view {
			out = append(out, scope{raw: p.raw})
		}
	}
	return out
}

// mend publishes what differs, and returns what still does.
func (v *verification) mend(ctx context.Context, s *source, all map[spot]finding) (map[spot]finding, error) {
	t, view, _, err := s.origin.Current(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := s.comparer.compareLimited(ctx, origin.ReadAll(t), view, scopesOf(t, all, view), true); err != nil {
		return nil, err
	}
	views := map[document.View]bool{}
	for p := range all {
		views[p.view] = p.view != view
	}
	for other, retired := range views {
		if !retired {
			continue
		}
		if _, err := s.comparer.clear(ctx, other); err != nil {
			return nil, err
		}
	}
	return v.look(ctx, s, all, nil)
}

// report tells of every difference, by path.
func (v *verification) report(all, left map[spot]finding) error {
	places := slices.SortedFunc(maps.Keys(all), func(a, b spot) int {
		return cmp.Or(cmp.Compare(a.view, b.view), cmp.Compare(a.raw, b.raw))
	})
	for _, p := range places {
		d := all[p].difference()
		_, still := left[p]
		d.Repaired = v.repair && !still
		v.sum.Differences++
		if d.Repaired {
			v.sum.Repaired++
		}
		if err := v.send(contract.VerifyPart{Difference: &d}); err != nil {
			return err
		}
	}
	return nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
