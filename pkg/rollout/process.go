package rollout

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Service is what a process runs, as package process has it.
type Service interface {
	Run(ctx context.Context) error
	Ready(ctx context.Context) error
}

// Crew is what a process of one service runs.
type Crew struct {
	// Service works on what is configured.
	Service Service
	// Former works on what answers are made of, until that is what is configured;
	// nil: nothing has to.
	Former func(ctx context.Context) error
	// Left is called once answers are made of what is configured, and Former has
	// ended; it may be nil.
	Left func(ctx context.Context) error
	// Beside runs as long as Service, and is told which build answers were made of at
	// the start; it may be nil.
	Beside func(ctx context.Context) error
}

// Process runs a service, and what it has to do until answers are made of the build
// that it is configured for. It is a service itself.
type Process struct {
	Name  string // of the service
	Bus   *bus.Bus
	Log   *slog.Logger
	Build contract.Build // what is configured, made as often as it is to be
	// Names: it keeps how Build is made, and has answers be made of it where they are
	// made of none. One service of a deployment does.
	Names bool
	// First is run while the process waits for what is taken out of the log to be
	// gone, and goes on beside the service; it may be nil.
	First func(ctx context.Context) error
	// Make makes what runs. former is what answers are made of, where that is another
	// build and somebody has kept how it is made; else nil.
	Make func(former *contract.Build) (Crew, error)

	service atomic.Pointer[Service]
}

// Ready is that of the service.
func (p *Process) Ready(ctx context.Context) error {
	s := p.service.Load()
	if s == nil {
		return document.Errorf(document.Unavailable, "the %s looks which build answers are made of", p.Name)
	}
	return (*s).Ready(ctx)
}

// Run works until ctx ends. The error is Conflict where answers are made of a third
// build by then: whoever starts the process again has it decide anew.
func (p *Process) Run(ctx context.Context) (err error) {
	defer bus.Stopped(ctx, &err)
	bus.Configure(p.Bus, p.Build)
	g, gctx := errgroup.WithContext(ctx)
	if p.First != nil {
		g.Go(func() error { return p.First(gctx) })
	}
	g.Go(func() error {
		if err := p.settle(gctx); err != nil {
			return err
		}
		serving, former, err := p.compare(gctx)
		if err != nil {
			return err
		}
		crew, err := p.Make(former)
		if err != nil {
			return err
		}
		p.service.Store(&crew.Service)
		return p.run(gctx, crew, serving)
	})
	return g.Wait()
}

// settle waits until nobody takes what is configured out of the log: who did so
// would not be told to the process by the heads that it reads.
func (p *Process) settle(ctx context.Context) error {
	var telling sync.WaitGroup
	defer telling.Wait()
	asked, answered := context.WithCancel(ctx)
	defer answered()
	for waits := false; ; {
		going, err := p.superseded(ctx)
		if err != nil || !going {
			return err
		}
		if !waits {
			waits = true
			p.Log.Info("what is configured was replaced before, and its removal has to be called off", "build", p.Build.ID())
			started := time.Now()
			telling.Go(func() {
				if err := bus.ServeReport(asked, p.Bus, func() contract.Report { return contract.Report{Service: p.Name, Started: started} }); err != nil {
					p.Log.Warn("it cannot be told that what is configured is made", "error", err)
				}
			})
		}
		if !pause(ctx, settleEvery) {
			return ctx.Err()
		}
	}
}

const settleEvery = time.Second / 4

func (p *Process) superseded(ctx context.Context) (bool, error) {
	for _, g := range p.Build.Generations() {
		if noted, err := bus.GenerationsOf(p.Bus).Superseded(ctx, g); err != nil || noted {
			return noted, err
		}
	}
	return false, nil
}

// compare looks which build answers are made of, and says what differs.
func (p *Process) compare(ctx context.Context) (bus.Serving, *contract.Build, error) {
	serving, err := bus.BuildsOf(p.Bus).Serving(ctx)
	if err == nil && p.Names {
		if err = bus.BuildsOf(p.Bus).Note(ctx, p.Build); err == nil && serving.Build == "" {
			if serving, err = bus.BuildsOf(p.Bus).Serve(ctx, serving, p.Build.ID()); errors.Is(err, bus.ErrConflict) {
				serving, err = bus.BuildsOf(p.Bus).Serving(ctx) // another was faster
			}
		}
	}
	if err != nil || serving.Build == p.Build.ID() || serving.Build == "" {
		return serving, nil, err
	}
	former, known, err := bus.BuildsOf(p.Bus).Get(ctx, serving.Build)
	if err != nil {
		return serving, nil, err
	}
	if !known {
		p.Log.Warn("answers are made of a build that nobody has noted; what is configured takes its place once it is complete", "serves", serving.Build, "configured", p.Build.ID())
		return serving, nil, nil
	}
	p.Log.Warn("answers are made of another build than is configured, which takes its place once it is complete and every process is configured for it",
		"serves", serving.Build, "configured", p.Build.ID(), "changes", fields(former.Changes(p.Build)))
	return serving, &former, nil
}

func fields(changes []contract.BuildChange) string {
	var out []string
	for _, c := range changes {
		out = append(out, fmt.Sprintf("%s %s → %s", c.Field, c.Before, c.Now))
	}
	return strings.Join(out, ", ")
}

// run runs the crew, and follows the record.
func (p *Process) run(ctx context.Context, crew Crew, serving bus.Serving) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return crew.Service.Run(gctx) })
	if crew.Beside != nil {
		g.Go(func() error { return crew.Beside(gctx) })
	}
	life, leave := context.WithCancel(gctx)
	defer leave()
	ended := make(chan struct{})
	g.Go(func() error {
		defer close(ended)
		if crew.Former == nil {
			return nil
		}
		if err := crew.Former(life); err != nil && life.Err() == nil {
			return err
		}
		return nil
	})
	g.Go(func() error {
		return p.follow(gctx, serving.Build, func() error {
			leave()
			<-ended
			if crew.Left == nil {
				return nil
			}
			return crew.Left(gctx)
		})
	})
	return g.Wait()
}

// follow calls named once answers are made of what is configured, and fails where
// they are made of a build that was not there at the start.
func (p *Process) follow(ctx context.Context, before contract.BuildID, named func() error) error {
	following, stop := context.WithCancel(ctx)
	defer stop()
	done, third := false, contract.BuildID("")
	var err error
	bus.BuildsOf(p.Bus).FollowServing(following, func(now bus.Serving) {
		switch {
		case now.Build == p.Build.ID() && !done:
			done = true
			if err = named(); err != nil {
				stop()
			}
		case now.Build == "": // it cannot be read
		case now.Build != p.Build.ID() && (done || now.Build != before):
			third = now.Build
			stop()
		}
	})
	if err != nil || third == "" {
		return err
	}
	return p.conflict(ctx, third)
}

// conflict says of which build answers are made though nobody here makes it.
func (p *Process) conflict(ctx context.Context, third contract.BuildID) error {
	differs := ""
	if build, ok, err := bus.BuildsOf(p.Bus).Get(ctx, third); err == nil && ok {
		differs = " (" + fields(build.Changes(p.Build)) + ")"
	}
	return document.Errorf(document.Conflict, "answers are made of the build %s since the %s was started, which is configured for %s%s: configure all services alike, and start it again", third, p.Name, p.Build.ID(), differs)
}

// pause waits for d; false when ctx ended before.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
