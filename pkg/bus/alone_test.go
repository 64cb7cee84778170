package bus_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
)

// crew are processes that want one role.
type crew struct {
	mu      sync.Mutex
	holders []string // now
	changed chan struct{}
}

func (c *crew) enter(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holders = append(c.holders, name)
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *crew) leave(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holders = slices.DeleteFunc(c.holders, func(n string) bool { return n == name })
}

// holder waits until somebody holds the role.
func (c *crew) holder(t *testing.T) string {
	t.Helper()
	for {
		c.mu.Lock()
		now, changed := slices.Clone(c.holders), c.changed
		c.mu.Unlock()
		if len(now) > 1 {
			t.Fatalf("%v hold the role at the same time", now)
		}
		if len(now) == 1 {
			return now[0]
		}
		select {
		case <-changed:
		case <-t.Context().Done():
			t.Fatal("nobody takes the role")
		}
	}
}

// process is one that waits for the role or holds it.
type process struct {
	bus   *bus.Bus
	stop  context.CancelFunc
	ended chan error
}

func (c *crew) join(t *testing.T, srv *embedded.Server, name string) *process {
	t.Helper()
	b, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{bus: b, stop: cancel, ended: make(chan error, 1)}
	go func() {
		p.ended <- b.RunAlone(ctx, "keeper", func(ctx context.Context) error {
			c.enter(name)
			defer c.leave(name)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	return p
}

func (p *process) end(t *testing.T) {
	t.Helper()
	p.stop()
	if err := <-p.ended; err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	p.bus.Close()
}

func TestSeveralProcesses_HoldOneRoleOneAfterAnother(t *testing.T) {
	t.Parallel()
	srv, _ := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	c := &crew{changed: make(chan struct{})}
	processes := map[string]*process{}
	for _, name := range []string{"a", "b", "c"} {
		processes[name] = c.join(t, srv, name)
	}
	for len(processes) > 0 {
		name := c.holder(t)
		processes[name].end(t)
		delete(processes, name)
	}
}

// A process that was killed gives nothing back.
func TestHolderIsKilled_AnotherTakesTheRole(t *testing.T) {
	t.Parallel()
	srv, _ := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	c := &crew{changed: make(chan struct{})}
	a := c.join(t, srv, "a")
	c.holder(t)
	b := c.join(t, srv, "b")
	a.bus.Conn().Close() // and nothing else
	c.leave("a")
	if got := c.holder(t); got != "b" {
		t.Errorf("%s holds the role", got)
	}
	a.stop()
	<-a.ended
	b.end(t)
}
