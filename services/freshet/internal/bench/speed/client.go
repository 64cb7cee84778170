package speed

import (
	"context"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet/internal/bench/system"
)

// client speaks to a running program over TCP, as any client does.
type client struct {
	bus *bus.Bus
}

func dial(ctx context.Context, url string) (*client, error) {
	b, err := bus.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to the program: %w", err)
	}
	return &client{bus: b}, nil
}

func (c *client) close() { c.bus.Close() }

// call sends a request and waits at most limit for the answer.
func call[Req, Rep any](ctx context.Context, c *client, subject string, req Req, limit time.Duration) (Rep, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	return bus.Call[Req, Rep](ctx, c.bus.Conn(), subject, req)
}

// Times within which an answer must come; longer ones end the benchmark.
const (
	statusLimit  = 30 * time.Second
	compareLimit = 10 * time.Minute
	searchLimit  = 30 * time.Second
)

func (c *client) status(ctx context.Context) (contract.StatusReply, error) {
	return call[struct{}, contract.StatusReply](ctx, c, contract.SubjectStatus, struct{}{}, statusLimit)
}

func (c *client) search(ctx context.Context, req contract.SearchRequest) (contract.SearchReply, error) {
	return call[contract.SearchRequest, contract.SearchReply](ctx, c, contract.SubjectSearch, req, searchLimit)
}

func (c *client) add(ctx context.Context, root string, name document.Source) (contract.SourceList, error) {
	return call[contract.SourceAdd, contract.SourceList](ctx, c, contract.SubjectSourcesAdd, contract.SourceAdd{Root: root, Source: name}, compareLimit)
}

// settled waits until nothing is pending, asking every 500 ms: a look at the
// status costs the program some of the time that is measured.
func (c *client) settled(ctx context.Context) error {
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
	*client
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
	return &running{Process: p, client: c, ready: after, data: data}, nil
}

// stop ends the program and returns how long it took to drain.
func (r *running) stop() (time.Duration, error) {
	r.close()
	return r.Stop()
}
