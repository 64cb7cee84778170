package watcher

import (
	"context"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// A file of rules in a source hides documents, so that the order counts in which both
// come into the log: what new rules hide has to be hidden before its new version is
// there, and what they show shown after its old version has gone. So a comparison writes the rules
// first, together with those that they replace, and last alone.

// rulesSeen is what a comparison found of the file of rules before it looked at anything
// else.
type rulesSeen struct {
	at      time.Time
	version document.Version // in the log since then
	kind    scan.Kind        // Put: a text that can be read; Skip, Gone
	hash    document.Hash    // of Put
}

// done reports whether the log has nothing else of the file than what was found.
func (s *rulesSeen) done(known contract.FileHead) bool {
	switch {
	case s.kind == scan.Gone:
		return !present(known)
	case s.kind == scan.Skip || known.Op != contract.OpPut || known.Hash != s.hash:
		return s.kind == scan.Skip
	case known.Access == contract.ClosedRules:
		return known.Size == 0 || known.Size > contract.MaxSourceRules
	}
	return len(known.Access.Texts()) == 1
}

// holdRules has the rules hold that stand in the source, besides those that the log
// has: also where the scopes do not cover them, since what they hide may be announced by
// itself before their own change is seen. A request has the rules that it brings.
func (c *comparison) holdRules(ctx context.Context, scopes []scope) error {
	covered := slices.ContainsFunc(scopes, func(sc scope) bool { return sc.raw == "" || sc.raw == origin.AccessFile })
	_, onRequest := c.truth.(*given)
	if c.audit != nil || onRequest && !covered {
		return nil
	}
	c.whole = onRequest || slices.ContainsFunc(scopes, func(sc scope) bool { return sc.raw == "" && sc.tree })
	at := time.Now()
	f, known, err := c.lookAtRules(ctx, covered, nil)
	if err != nil && !present(known) {
		return err // of what they hide nothing may come into the log
	}
	if err != nil {
		c.fail(err)
		return ctx.Err()
	}
	seen := rulesSeen{at: at, kind: f.Kind, hash: f.Hash}
	switch f.Kind {
	case scan.Unstable:
		c.again(origin.AccessFile, f)
		if present(known) {
			return nil
		}
		return document.Errorf(document.Unavailable, "%s keeps changing while it is read: what it hides is not looked at before", document.AccessFile)
	case scan.Same:
		if seen.kind, seen.hash = scan.Put, known.Hash; known.Op != contract.OpPut {
			seen.kind = map[bool]scan.Kind{true: scan.Skip, false: scan.Gone}[present(known)]
		}
	case scan.Skip:
		if classify.IsUnread(f.Reason) {
			c.cannotRead(document.AccessFile, f.Reason)
		}
	case scan.Put, scan.Gone, scan.Dir:
	}
	c.again(origin.AccessFile, f)
	if err := c.pipe.flush(); err != nil {
		return err
	}
	now, err := c.by.svc.head(ctx, c.rulesKey())
	seen.version, c.rules = now.Version, &seen
	c.unsettled = !seen.done(now)
	return err
}

// goneAfter is how long a file of rules has to be gone until it counts as taken away:
// editors and tools that write one anew have none there for a moment.
const goneAfter = time.Second

// settleRules has the rules alone hold that stand in the source, once all that was
// compared is in the log as it is beside them. Where they have changed meanwhile, the
// next comparison does.
func (c *comparison) settleRules(ctx context.Context) error {
	if c.rules == nil || !c.unsettled || !c.whole {
		return nil
	}
	if behind, err := c.behind(ctx); err != nil || behind {
		return err
	}
	if _, onRequest := c.truth.(*given); !onRequest && c.truth.Commit() == "" && c.rules.kind == scan.Gone {
		select {
		case <-time.After(time.Until(c.rules.at.Add(goneAfter))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if _, _, err := c.lookAtRules(ctx, true, c.rules); err != nil {
		return err
	}
	if err := c.pipe.flush(); err != nil {
		return err
	}
	now, err := c.by.svc.head(ctx, c.rulesKey())
	c.unsettled = !c.rules.done(now)
	c.saw(document.AccessFile, now.Version, true)
	return err
}

// behind reports whether the log has a former text of a file that kept changing while it
// was read: only the rules of that text say who may be shown it.
func (c *comparison) behind(ctx context.Context) (bool, error) {
	for _, raw := range append(c.by.retries.list(), c.unstable...) {
		doc := document.DocOf(document.EncodePath(raw))
		known, err := c.by.svc.head(ctx, bus.FileKey{Source: c.by.origin.Name, Doc: doc, View: c.view})
		if err != nil || doc != document.AccessDoc && present(known) {
			return true, err
		}
	}
	return false, nil
}

func (c *comparison) rulesKey() bus.FileKey {
	return bus.FileKey{Source: c.by.origin.Name, Doc: document.AccessDoc, View: c.view}
}

// lookAtRules compares the file of rules, which is read where it is named, whatever its
// times say; last is what was found of it at first.
func (c *comparison) lookAtRules(ctx context.Context, named bool, last *rulesSeen) (f scan.Finding, known contract.FileHead, err error) {
	release, err := c.by.claims.take(ctx, document.AccessFile, c.pipe.park)
	if err != nil {
		return f, known, err
	}
	keep := func() {
		c.by.origin.Budget.Give(f.Weight)
		release()
	}
	c.by.svc.seen.Add(1)
	if known, err = c.by.svc.head(ctx, c.rulesKey()); err != nil {
		keep()
		return f, known, err
	}
	c.saw(document.AccessFile, known.Version, true)
	as := c.by.svc.cuts.asRead(known)
	if last != nil {
		if known.Version != last.version {
			keep()
			return f, known, nil
		}
		as.Hash, as.Collection, as.Reason = "", "", "" // it is read again
	}
	cand := scan.Candidate{Raw: origin.AccessFile, Named: named}
	if f, err = c.truth.Look(ctx, cand, as, c.pipe.park); err != nil {
		keep()
		return f, known, err
	}
	if f.Kind == scan.Dir {
		f = f.Skipped(classify.Irregular, as)
	}
	j := job{candidate: cand, release: release, rules: &rulesJob{last}, head: contract.FileHead{
		Source: c.by.origin.Name, Doc: document.AccessDoc, View: c.view, Path: document.AccessFile, Commit: c.truth.Commit(),
	}}
	if !c.by.svc.cuts.rewrite(&j, f, known) {
		keep()
		return f, known, nil
	}
	if last == nil || known.Access == contract.ClosedRules {
		c.by.tellRules(j.head)
	}
	c.pipe.add(j)
	return f, known, nil
}

// rulesJob says at which step of a comparison the file of rules is written.
type rulesJob struct {
	last *rulesSeen // nil at the first step
}

// rewrite is that of cuts for the file of rules, for what the finding has filled in.
func (r *rulesJob) rewrite(h *contract.FileHead, f scan.Finding, known contract.FileHead) bool {
	if r.last != nil && (known.Version != r.last.version || f.Kind != r.last.kind || f.Kind == scan.Put && f.Hash != r.last.hash) {
		return false // they have changed meanwhile
	}
	switch f.Kind {
	case scan.Gone:
		return r.last != nil && present(known)
	case scan.Put:
		h.Access = contract.ClosedRules
		if len(f.Content) <= contract.MaxSourceRules {
			h.Access = contract.SourceRulesOf(string(f.Content))
		}
		if r.last != nil || !present(known) {
			return true
		}
		h.Access = known.Access.And(h.Access)
		return known.Access != contract.ClosedRules // else it stays closed until then
	case scan.Skip:
		return true
	case scan.Same, scan.Unstable, scan.Dir:
	}
	return false
}

// tellRules notes in the log what rules in a source come to that is to be told.
func (c *comparer) tellRules(h contract.FileHead) {
	if texts := h.Access.Texts(); len(texts) > 0 {
		h.Access = contract.SourceRulesOf(texts[len(texts)-1]) // those that are new
	}
	switch {
	case h.Op == contract.OpDelete:
	case !c.svc.bus.Restricts():
		c.svc.log.Info("the rules in a source hide nothing, since there are no rules of access", "source", c.origin.Name, "file", document.AccessFile)
	case rulesTrouble(&h) != "":
		c.svc.log.Warn("the rules in a source cannot be used: owners alone see its documents", "source", c.origin.Name, "view", h.View, "error", rulesTrouble(&h))
	}
}

// rulesTrouble says why the rules that stand in a source cannot be used, "" where they can
// or there are none.
func rulesTrouble(h *contract.FileHead) string {
	if h.Op == contract.OpSkipped {
		return string(document.AccessFile) + " is left out: " + h.Reason
	}
	if h.Op != contract.OpPut {
		return ""
	}
	if err := access.CheckSource(h.Access); err != nil {
		return err.Error()
	}
	return ""
}
