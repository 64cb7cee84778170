package watcher

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/watch"
)

// follower brings what changes in one source into the log soon: as events tell of
// it, as somebody announces it, and by a look from time to time where neither is
// to be relied on.
type follower struct {
	svc      *Service
	origin   *origin.Origin
	comparer *comparer
	quota    *quota
	position *position
	full     *fullRunner
	troubles *troubles
	life     *life

	files *watch.Watch // nil where the documents are no files
	git   *gitWatch
}

// open creates the watches.
func (f *follower) open() (err error) {
	cfg := &f.svc.cfg
	if f.origin.Place.OnDisk() {
		f.files, err = watch.New(watch.Options{
			Root: f.origin.Place.Root, Quiet: cfg.Debounce, Ceiling: cfg.MaxDebounce,
			Poll: cfg.Poll, MaxWatches: cfg.MaxWatches,
		})
		if err != nil {
			return err
		}
		f.origin.Enter = func(raw string) { f.files.Ensure(raw) }
	}
	if f.origin.Repo == nil {
		return nil
	}
	for _, dir := range f.origin.Place.Layout.MetaDirs() {
		w, err := watch.New(watch.Options{Root: dir, Quiet: cfg.Debounce, Ceiling: cfg.MaxDebounce, Poll: cfg.Poll})
		if err != nil {
			return err
		}
		f.git.watches = append(f.git.watches, w)
	}
	return nil
}

// close gives back what open took, where nothing was started.
func (f *follower) close() {
	if f.files != nil {
		_ = f.files.Close()
	}
	for _, w := range f.git.watches {
		_ = w.Close()
	}
}

// start sets the watches going, until the source's life ends.
func (f *follower) start() {
	run := func(fn func()) { _ = f.life.run(fn) } // else nobody waits for it any more
	ctx := f.life.ctx
	if f.files != nil {
		run(func() { f.troubles.note("watch", f.files.Run(ctx, f.changed)) })
	}
	for i, w := range f.git.watches {
		f.git.ensure(i)
		run(func() {
			f.troubles.note("git watch", w.Run(ctx, func(ctx context.Context, batch []watch.Change) { f.git.changed(ctx, i, batch) }))
		})
	}
	if f.files != nil {
		run(f.retryUnstable)
	}
	if f.origin.Place.Kind != contract.SourceAPI {
		run(f.watchRoot)
	}
	if f.origin.Place.Mirror != nil {
		run(f.followRemote)
	}
}

// watchRootFolder has the root's own files watched, and nothing below it.
func (f *follower) watchRootFolder() {
	if f.files != nil {
		f.files.Ensure("")
	}
}

// known reports whether the log has a document at a path.
func (f *follower) known(raw string) bool {
	return f.svc.known(f.origin.Name, f.position.view(), raw)
}

// overflows is how often events were lost.
func (f *follower) overflows() uint64 {
	var n uint64
	if f.files != nil {
		n = f.files.Overflows()
	}
	for _, w := range f.git.watches {
		n += w.Overflows()
	}
	return n
}

// degraded is what the watch of the files cannot do, "" where it does all.
func (f *follower) degraded() string {
	if f.files == nil {
		return ""
	}
	return f.files.Degraded()
}
