package freshet

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/instance"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/services/evaluator"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// serve runs everything that is open until ctx ends, and drains it.
func (r *run) serve(ctx context.Context) error {
	found, err := r.announce()
	if err != nil {
		return err
	}
	ctx, done := context.WithCancel(ctx)
	defer done()
	s := &start{run: r, found: found, done: done, ready: make(chan struct{}), told: make(chan struct{})}
	s.eraser = &eraser{r.bus, r.server, r.o.Log}
	files := &logKeeper{r.bus, r.server, r.o.Log, r.o.CheckLog}
	idle := &idler{nc: r.bus.Conn(), after: r.o.Idle, ready: s.ready, end: done, log: r.o.Log}

	members := []member{
		{"start", s.attend},
		{"state folder", r.folder.Watch},
	}
	if r.front != nil {
		members = append(members, member{"gateway", r.front.Run})
	}
	err = runCrew(ctx, append(members, []member{
		{"watcher", r.watch.Run},
		{"evaluator", evaluator.New(r.bus, process.Version, r.o.Log).Run},
		{"services", func(ctx context.Context) error {
			return r.works.run(ctx, func(ctx context.Context, now *shift) {
				removed, again := r.works.reclaim(ctx, now)
				r.works.reclaimLater(ctx, now, removed, again, s.eraser.after)
			})
		}},
		{"reload", (&reloader{works: r.works, load: r.o.Reload}).Run},
		{"eraser", s.eraser.Run},
		{"log keeper", files.Run},
		{"disk", r.room.Run},
		{"idle time", idle.Run},
	}...))
	if !errors.Is(err, state.ErrLost) {
		s.eraser.reclaim(context.WithoutCancel(ctx))
	}
	return err
}

// announce has other commands find the run, and says how.
func (r *run) announce() (Running, error) {
	found := Running{State: r.path}
	if r.o.Once {
		return found, nil
	}
	found.URL = r.settings.remote.URL
	if r.server != nil {
		found.URL = r.server.ClientURL()
	}
	record := instance.Record{URL: found.URL, SecretFile: r.secretFile, PID: os.Getpid(), Version: process.Version, Started: time.Now(), AgentRoots: r.settings.agents.Roots, Config: r.o.ConfigFile}
	if r.front != nil {
		found.Page = r.front.URL()
		record.Gateway = &instance.Gateway{URL: found.Page, SecretFile: r.frontSecret}
	}
	return found, r.folder.Announce(record)
}

// start attends a run until it is ready, and what has to be done then.
type start struct {
	*run
	found  Running
	done   func() // ends the run
	eraser *eraser

	ready     chan struct{} // closed when everything found is searchable
	told      chan struct{} // closed when the caller of Up knows
	reclaimed bool          // something was taken away then
	again     time.Duration // after which more may be; 0: nothing
}

// attend is the member of the crew.
func (s *start) attend(ctx context.Context) error {
	var telling sync.WaitGroup
	defer telling.Wait()
	telling.Go(func() {
		made := s.first.made
		if held := made.announce(ctx, s.o, s.models); held.Held != "" && s.o.AcceptBuild != nil && bus.Begun(ctx, s.told) {
			made.held.ask(ctx, s.bus, s.o, held)
		}
	})
	o := s.o
	o.Ready = func(found Running) { s.isReady(ctx, found) }
	if err := reachReady(ctx, s.bus.Conn(), s.settings, o, s.found); err != nil {
		return err
	}
	if s.o.Once {
		s.again = 0
		if s.o.Ask != nil && ctx.Err() == nil {
			if err := s.o.Ask(ctx, s.bus.Conn()); err != nil {
				return err
			}
		}
	}
	if s.first.former == nil {
		s.works.reclaimLater(ctx, s.first, s.reclaimed, s.again, s.eraser.after)
	}
	if s.o.Once {
		s.done()
	}
	<-ctx.Done() // which comes in its turn
	return nil
}

// isReady is called once, when everything found is searchable.
func (s *start) isReady(ctx context.Context, found Running) {
	if s.first.former == nil {
		if err := s.first.made.complete(ctx); err != nil && ctx.Err() == nil {
			s.o.Log.Warn("which build answers are made of is not noted", "error", err)
		}
		s.reclaimed, s.again = s.works.reclaim(ctx, s.first)
	}
	close(s.ready)
	s.health.Ready(s.works.ready)
	if s.o.Ready != nil {
		s.o.Ready(found)
	}
	close(s.told)
}
