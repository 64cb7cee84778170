package watcher

import (
	"context"
	"path"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
)

// How often, and after what pause, an announced file is read again that keeps
// changing.
const (
	announceTries = 20
	announcePause = 50 * time.Millisecond
)

// look compares scopes now, or all of the source, and returns when what was
// there at the call is in the log.
func (f *follower) look(ctx context.Context, scopes []scope) (outcome, error) {
	whole := len(scopes) == 0 || f.files == nil
	for _, sc := range scopes {
		whole = whole || sc.raw == ""
	}
	if whole {
		return f.full.ask(ctx, true)
	}
	for _, sc := range scopes {
		if ignore.IsRuleFile(path.Base(sc.raw)) || sc.raw == origin.AccessFile {
			return f.full.ask(ctx, true) // other rules, so everything may differ
		}
	}
	for i := range scopes {
		scopes[i].asked = true
	}
	out, err := f.lookAt(ctx, scopes)
	if err != nil {
		return out, err
	}
	followed, err := f.svc.followAll(ctx, f.origin, out.linked)
	out.changed += followed.changed
	out.highest = max(out.highest, followed.highest)
	return out, err
}

func (f *follower) lookAt(ctx context.Context, scopes []scope) (outcome, error) {
	if err := f.quota.await(ctx); err != nil {
		return outcome{}, err
	}
	t := f.origin.Disk()
	var total outcome
	compare := func(scopes []scope) (outcome, error) {
		out, err := f.comparer.compareLimited(ctx, t, f.position.view(), scopes, true)
		total.changed += out.changed
		total.highest = max(total.highest, out.highest)
		total.unread = total.unread.And(out.unread)
		total.linked = append(total.linked, out.linked...)
		return out, err
	}
	for range announceTries {
		out, err := compare(scopes)
		if gone := f.unwatched(scopes); err == nil && len(gone) > 0 {
			_, err = compare(gone)
		}
		if err != nil || len(out.unstable) == 0 {
			return total, err
		}
		scopes = scopes[:0:0]
		for _, raw := range out.unstable {
			scopes = append(scopes, scope{raw: raw})
		}
		select {
		case <-time.After(announcePause):
		case <-ctx.Done():
			return total, ctx.Err()
		}
	}
	return total, document.Errorf(document.Unavailable, "%s keeps changing while it is read: announce it when its writer has finished", scopes[0].raw)
}

// unwatched has the folders watched of the files that were announced, and
// returns those that are gone again: a folder that nobody was told of yet takes
// its documents with it, and no event would name one of them.
func (f *follower) unwatched(scopes []scope) (gone []scope) {
	if f.files == nil {
		return nil
	}
	for _, sc := range scopes {
		if dir := dirOf(sc.raw); f.known(sc.raw) && !f.files.Ensure(dir) {
			gone = append(gone, scope{raw: dir, tree: true})
		}
	}
	return gone
}

func dirOf(raw string) string { return raw[:max(0, strings.LastIndexByte(raw, '/'))] }
