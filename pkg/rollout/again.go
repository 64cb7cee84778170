package rollout

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Again runs a Process, and another one in its place whenever the index is to be made
// once more. It is a service itself.
type Again struct {
	bus   *bus.Bus
	build contract.Build // as the configuration has it
	make  func(contract.Build) *Process

	now atomic.Pointer[Process]
}

// NewAgain makes what a process of a service runs. of makes the Process for a build,
// which may differ from what the configuration makes in Again alone. It is given the
// configuration with what is known of its embedder filled in.
func NewAgain(b *bus.Bus, c config.Config, of func(config.Config, contract.Build) *Process) (*Again, error) {
	c, build, err := Resolved(c)
	if err != nil {
		return nil, err
	}
	return &Again{bus: b, build: build, make: func(build contract.Build) *Process { return of(c, build) }}, nil
}

// Ready is that of the Process.
func (a *Again) Ready(ctx context.Context) error {
	p := a.now.Load()
	if p == nil {
		return document.Errorf(document.Unavailable, "it looks which build is to be made")
	}
	return p.Ready(ctx)
}

// Drain has the Process answer what it was asked, where it is asked anything. It is for
// the end of the run.
func (a *Again) Drain(ctx context.Context) error {
	if p := a.now.Load(); p != nil {
		return p.drain(ctx)
	}
	return nil
}

// running is a Process that was started.
type running struct {
	process *Process
	end     context.CancelFunc
	ended   chan struct{}
	err     error // once it has ended
}

func start(ctx context.Context, p *Process) *running {
	ctx, end := context.WithCancel(ctx)
	r := &running{process: p, end: end, ended: make(chan struct{})}
	go func() {
		defer close(r.ended)
		r.err = p.Run(ctx)
	}()
	return r
}

// stop ends it, and waits.
func (r *running) stop() {
	r.end()
	<-r.ended
}

// Run works until ctx ends. Its errors are those of the Process.
func (a *Again) Run(ctx context.Context) (err error) {
	defer bus.Stopped(ctx, &err)
	record, err := (bus.Reindexing{Bus: a.bus}).Read(ctx)
	if err != nil {
		return err
	}
	wanted := make(chan bus.Reindex, 1)
	following, unfollow := context.WithCancel(ctx)
	var follower sync.WaitGroup
	defer follower.Wait()
	defer unfollow()
	follower.Go(func() {
		(bus.Reindexing{Bus: a.bus}).Follow(following, func(now bus.Reindex) { offer(wanted, now) })
	})
	now := a.start(ctx, record)
	defer func() { now.stop() }()
	for {
		select {
		case <-ctx.Done():
			now.stop()
			return now.err
		case <-now.ended:
			return now.err
		case again := <-wanted:
			if again.Makes(now.process.Build) {
				continue
			}
			// The one before goes on until the next one is ready: questions are answered
			// meanwhile. What it may end with by then is no matter of the next one.
			next := a.start(ctx, again)
			next.ready(ctx)
			if err := now.process.drain(ctx); err != nil && ctx.Err() == nil {
				now.process.Log.Warn("requests were left to be asked again", "error", err)
			}
			now.stop()
			now = next
		}
	}
}

func (a *Again) start(ctx context.Context, again bus.Reindex) *running {
	build := again.Of(a.build)
	p := a.make(build)
	r := start(ctx, p)
	a.now.Store(p)
	return r
}

// drain has the service answer what it was asked, where it is asked anything.
func (p *Process) drain(ctx context.Context) error {
	s := p.service.Load()
	if s == nil {
		return nil
	}
	if d, ok := (*s).(interface{ Drain(context.Context) error }); ok {
		return d.Drain(ctx)
	}
	return nil
}

// ready waits until the process does its work, or has ended.
func (r *running) ready(ctx context.Context) {
	for r.process.Ready(ctx) != nil {
		select {
		case <-r.ended:
			return
		default:
		}
		if !pause(ctx, settleEvery) {
			return
		}
	}
}

// offer puts the newest value into a channel that holds one.
func offer[T any](into chan T, value T) {
	for {
		select {
		case into <- value:
			return
		default:
		}
		select {
		case <-into:
		default:
		}
	}
}
