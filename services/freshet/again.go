package freshet

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// The members of a shift, in the order in which they stop.
const (
	handAcceptance = "acceptance"
	handChunker    = "chunker"
	handEmbedder   = "embedder"
	handBefore     = "build of before"
	handIndexer    = "indexer"
	handQuery      = "query service"
)

var handsInOrder = []string{handAcceptance, handChunker, handEmbedder, handBefore, handIndexer, handQuery}

// hand is a member of a shift that runs.
type hand struct {
	cancel context.CancelFunc
	ended  chan struct{}
	err    error // once it has ended
}

// stop has it end what it does, and waits for that.
func (h *hand) stop() error {
	if h == nil {
		return nil
	}
	h.cancel()
	<-h.ended
	return h.err
}

// hands are the members that run now. They belong to one goroutine.
type hands struct {
	running map[string]*hand
	failed  chan error // of one that ended without being asked to
}

// start runs a member, in the place of one that ran under its name, which is returned.
func (h *hands) start(name string, run func(context.Context) error) (before *hand) {
	life, cancel := context.WithCancel(context.Background())
	now := &hand{cancel: cancel, ended: make(chan struct{})}
	before, h.running[name] = h.running[name], now
	go func() {
		defer close(now.ended)
		if now.err = (member{name, run}).live(life); now.err != nil {
			select {
			case h.failed <- now.err:
			default: // another was the first
			}
		}
	}()
	return before
}

// replace stops a member before another one starts under its name.
func (h *hands) replace(name string, run func(context.Context) error) error {
	err := h.stop(name)
	h.start(name, run)
	return err
}

// overlap starts a member, and once it is ready has the one before answer what it was
// asked, and stops it: no request meets nobody.
func (h *hands) overlap(ctx context.Context, name string, run, ready, drain func(context.Context) error) error {
	before := h.start(name, run)
	now := h.running[name]
	waiting, enough := context.WithCancel(ctx)
	defer enough()
	var watching sync.WaitGroup
	defer watching.Wait()
	watching.Go(func() {
		select {
		case <-now.ended:
			enough()
		case <-waiting.Done():
		}
	})
	err := ready(waiting)
	enough()
	if err == nil {
		err = drain(ctx)
	}
	return errors.Join(err, before.stop())
}

// stop stops members, one after the other.
func (h *hands) stop(names ...string) error {
	var errs []error
	for _, name := range names {
		errs = append(errs, h.running[name].stop())
		delete(h.running, name)
	}
	return errors.Join(errs...)
}

// run runs the services of the shift that there is, and those of another one in their
// place whenever the index is to be made once more, until ctx ends. later is called
// with what has to be removed of what was made before.
func (w *shifts) run(ctx context.Context, later func(context.Context, *shift)) error {
	h := &hands{running: map[string]*hand{}, failed: make(chan error, 1)}
	s := w.now
	for _, m := range w.members(s, later) {
		h.start(m.name, m.run)
	}
	wanted := make(chan bus.Reindex)
	following, unfollow := context.WithCancel(ctx)
	var follower sync.WaitGroup
	follower.Go(func() {
		(bus.Reindexing{Bus: w.bus}).Follow(following, func(again bus.Reindex) {
			select {
			case wanted <- again:
			case <-following.Done():
			}
		})
	})
	var err error
	for err == nil && ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case err = <-h.failed:
		case again := <-wanted:
			if again.Makes(s.build) || w.o.Once {
				continue
			}
			var next *shift
			if next, err = w.change(ctx, h, s, again, later); next != nil {
				s = next
			}
			switch not := new(refused); {
			case errors.As(err, not):
				w.o.Log.Error("the index is not made once more", "error", err)
				w.putBack(ctx, again, s)
				err = nil
			case err != nil && ctx.Err() == nil:
				err = fmt.Errorf("make the index once more: %w", err)
			}
		case asked := <-w.reloads:
			var next *shift
			if next, err = w.reload(ctx, h, s, asked, later); next != nil {
				s = next
			}
		}
	}
	unfollow()
	follower.Wait()
	if stopped := h.stop(handsInOrder...); err == nil {
		err = stopped
	}
	return ignoreEnd(ctx, err)
}

// members are the services of a shift.
func (w *shifts) members(s *shift, later func(context.Context, *shift)) []member {
	return []member{
		{handAcceptance, s.made.held.run},
		{handChunker, s.made.held.after(s.cut.Run)},
		{handEmbedder, s.vectors.Run},
		{handBefore, func(ctx context.Context) error {
			return s.replacing.run(ctx, func(ctx context.Context) { later(ctx, s) })
		}},
		{handIndexer, s.index.Run},
		{handQuery, s.answer.Run},
	}
}

// change has another shift take the place of prev. What answers goes on answering: the
// query service and the embedder are stopped once those that come after them are ready.
// Where the error is refused, prev runs on. The one that is returned with an error is to be stopped and closed.
func (w *shifts) change(ctx context.Context, h *hands, prev *shift, again bus.Reindex, later func(context.Context, *shift)) (*shift, error) {
	w.set(nil) // nothing is taken away meanwhile
	w.o.Log.Info("the index is made once more", "again", again.Again, "collections", again.Collections)
	if err := h.stop(handAcceptance, handBefore); err != nil {
		return prev, err
	}
	if err := w.openAhead(again, prev); err != nil {
		w.set(prev)
		if !prev.alone() { // what answers is stopped
			return prev, err
		}
		h.start(handAcceptance, prev.made.held.run)
		h.start(handBefore, func(ctx context.Context) error {
			later(ctx, prev)
			<-ctx.Done()
			return nil
		})
		return prev, refused{err}
	}
	s, err := w.open(ctx, again, prev)
	if err != nil {
		w.set(prev)
		return prev, err
	}
	run := map[string]func(context.Context) error{}
	for _, m := range w.members(s, later) {
		run[m.name] = m.run
	}
	s.replacing.alone = make(chan struct{})
	// What makes the former begins at once: requests wait for it, which the query service
	// before has to answer.
	h.start(handBefore, func(ctx context.Context) error {
		if s.former == nil && bus.Begun(ctx, s.replacing.alone) { // somebody has gone back
			later(ctx, s)
		}
		return run[handBefore](ctx)
	})
	err = h.replace(handChunker, run[handChunker])
	if err == nil {
		err = h.overlap(ctx, handEmbedder, run[handEmbedder], s.vectors.Ready, prev.vectors.Drain)
	}
	if err == nil {
		err = h.replace(handIndexer, run[handIndexer])
	}
	if err == nil {
		err = h.overlap(ctx, handQuery, run[handQuery], s.answer.Ready, prev.answer.Drain)
	}
	w.set(s)
	if err != nil {
		return s, errors.Join(err, h.stop(handsInOrder...), prev.closeBut(s))
	}
	h.start(handAcceptance, run[handAcceptance])
	err = prev.closeBut(s)
	close(s.replacing.alone) // from here on what s took over may be closed, too
	if err == nil && s.former == nil {
		err = s.replacing.stores.RemoveUnused()
	}
	return s, err
}

// ready is that of the query service that there is.
func (w *shifts) ready(ctx context.Context) error {
	w.mu.Lock()
	s := w.now
	w.mu.Unlock()
	if s == nil {
		return nil // the one before answers
	}
	return s.answer.Ready(ctx)
}
