package watcher

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/watch"
)

// changed handles a batch of changes on disk.
func (f *follower) changed(ctx context.Context, batch []watch.Change) {
	var scopes []scope
	rules := false
	for _, c := range batch {
		if c.Path == "" {
			// Events were lost, or the root itself went. The comparison
			// registers every directory again.
			_, err := f.full.share(ctx, fullRun{live: true, read: !c.Polled})
			f.full.makeUp(ctx, err)
			return
		}
		raw, tree := c.Path, c.Tree
		if ignore.IsRuleFile(path.Base(raw)) {
			// Other rules hold from its directory on.
			rules = true
			raw, tree = strings.TrimSuffix(raw[:len(raw)-len(path.Base(raw))], "/"), true
		}
		scopes = append(scopes, scope{raw: raw, tree: tree, polled: c.Polled})
	}
	if rules {
		err := f.origin.ReadRules(ctx)
		f.troubles.note(troubleRules, err)
		if err != nil {
			f.full.makeUp(ctx, err)
			return
		}
	}
	if f.quota.hold() != "" {
		if rules { // it may be small enough now
			_, err := f.full.ask(ctx, true)
			f.full.makeUp(ctx, err)
		}
		return
	}
	f.changedSettled(ctx, scopes)
}

// changedSettled compares scopes of the files on disk as live changes. Rules of access
// that stand there hold alone once the whole is in step with them; while a file keeps
// changing it is not, and the look at that file comes back here.
func (f *follower) changedSettled(ctx context.Context, scopes []scope) {
	out, err := f.changedLive(ctx, scopes)
	if err == nil && out.unsettled && len(f.comparer.retries.list()) == 0 {
		_, err = f.full.ask(ctx, true)
	}
	f.full.makeUp(ctx, err)
}

// changedLive compares scopes of the files on disk as live changes, and then
// what else names a file that has changed.
func (f *follower) changedLive(ctx context.Context, scopes []scope) (outcome, error) {
	out, err := f.compareLive(ctx, scopes)
	if err == nil {
		_, err = f.svc.follow(ctx, f.origin, out.linked, (*follower).compareLive)
	}
	return out, err
}

// compareLive compares scopes of the files on disk as live changes.
func (f *follower) compareLive(ctx context.Context, scopes []scope) (outcome, error) {
	if f.quota.hold() != "" {
		return outcome{}, nil
	}
	t := f.origin.Disk()
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
		if dec := rules.Decide(sc.raw, sc.tree); dec.Ignored && sc.raw != origin.AccessFile && !sc.tree && dec.Class != ignore.ClassSecret && !f.known(sc.raw) {
			continue
		}
		kept = append(kept, sc)
	}
	if len(kept) == 0 {
		return outcome{}, nil
	}
	out, err := f.comparer.compareLimited(ctx, t, f.position.view(), kept, true)
	f.comparer.retries.add(out.unstable)
	return out, err
}

// retryEvery is the pause between looks at files that keep changing.
const retryEvery = 200 * time.Millisecond

// retryUnstable looks again at files that kept changing.
func (f *follower) retryUnstable() {
	tick := time.NewTicker(retryEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-f.life.ctx.Done():
			return
		}
		if scopes := f.comparer.retries.take(); len(scopes) > 0 {
			f.changedSettled(f.life.ctx, scopes)
		}
	}
}
