package speed

import (
	"context"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// instance speaks to a running program over TCP, as any client does.
type instance struct {
	bus *bus.Bus
}

func dial(ctx context.Context, url string) (*instance, error) {
	b, err := bus.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to the program: %w", err)
	}
	return &instance{bus: b}, nil
}

func (c *instance) close() { c.bus.Close() }

// compareLimit is the longest time to index or to compare something; longer ones
// end the benchmark.
const compareLimit = 10 * time.Minute

func (c *instance) status(ctx context.Context) (contract.StatusReply, error) {
	return client.Status.Ask(ctx, c.bus.Conn(), client.None)
}

func (c *instance) search(ctx context.Context, req contract.SearchRequest) (contract.SearchReply, error) {
	return client.Search.Ask(ctx, c.bus.Conn(), req)
}

func (c *instance) add(ctx context.Context, root string, name document.Source) (contract.SourceList, error) {
	return client.AddSource.Ask(ctx, c.bus.Conn(), contract.SourceAdd{Root: root, Source: name})
}

// settled waits until nothing is pending, asking every 500 ms: a look at the
// status costs the program some of the time that is measured.
func (c *instance) settled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, compareLimit)
	defer cancel()
	for {
		st, err := c.status(ctx)
		if err != nil {
			return fmt.Errorf("wait until nothing is pending: %w", err)
		}
		if st.Ready {
			return nil
		}
		select {
		case <-time.After(500 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("wait until nothing is pending (%v): %w", st.Pending, ctx.Err())
		}
	}
}

// running is a ready program with a client.
type running struct {
	*system.Process
	*instance
	ready time.Duration // from the start of the process
	data  string
}

func start(ctx context.Context, cfg Config, data string, paths ...string) (*running, error) {
	p, err := system.Start(ctx, system.Options{Binary: cfg.Binary, Data: data, Paths: paths, Config: cfg.file})
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, compareLimit)
	defer cancel()
	url, after, err := p.Ready(limited)
	if err != nil {
		_, _ = p.Stop()
		return nil, err
	}
	c, err := dial(ctx, url)
	if err != nil {
		_, _ = p.Stop()
		return nil, err
	}
	return &running{Process: p, instance: c, ready: after, data: data}, nil
}

// stop ends the program and returns how long it took to drain.
func (r *running) stop() (time.Duration, error) {
	r.close()
	return r.Stop()
}
