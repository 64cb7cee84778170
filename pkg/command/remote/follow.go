package remote

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/render"
)

const (
	// reindexEvery is the time between two looks at how far it is.
	reindexEvery = 250 * time.Millisecond
	// goneFor is how long an instance that has ended may take to be there again: a
	// supervisor starts it within seconds, and its log is read before it can be found.
	goneFor = time.Minute
)

// follower asks an instance how far it is. That may be started again meanwhile, at another
// address.
type follower struct {
	program *command.Program
	nc      *nats.Conn
	own     bool // nc is closed here
}

// follow tells how far it is until nothing is made any more.
func follow(ctx context.Context, p *command.Program, nc *nats.Conn) (raw json.RawMessage, told contract.ReindexReply, err error) {
	f := &follower{program: p, nc: nc}
	defer f.close()
	live := p.Live()
	defer live.Clear()
	progress := render.NewReindexing(time.Now())
	for {
		if raw, told, err = f.ask(ctx); err != nil || told.Begun == nil && told.Next == "" {
			return raw, told, err
		}
		live.Text(progress.Line(told, time.Now()))
		if err := pause(ctx); err != nil {
			return raw, told, err
		}
	}
}

func pause(ctx context.Context) error {
	select {
	case <-time.After(reindexEvery):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ask asks until there is an answer.
func (f *follower) ask(ctx context.Context) (json.RawMessage, contract.ReindexReply, error) {
	for {
		raw, told, err := client.Reindex.Raw(ctx, f.nc, contract.ReindexRequest{})
		switch document.KindOf(err) {
		case document.Unavailable, document.Deadline:
		default:
			return raw, told, err
		}
		if f.nc.IsClosed() { // which it stays
			err = f.dial(ctx)
		} else {
			err = pause(ctx)
		}
		if err != nil {
			return nil, told, err
		}
	}
}

// dial finds the instance again.
func (f *follower) dial(ctx context.Context) error {
	lost := time.Now()
	for {
		nc, err := f.program.Dial(ctx)
		if err == nil {
			f.close()
			f.nc, f.own = nc, true
			return nil
		}
		switch kind := document.KindOf(err); {
		case ctx.Err() != nil:
			return ctx.Err()
		case kind != document.NotFound && kind != document.Unavailable:
			return err
		case time.Since(lost) > goneFor:
			return document.Errorf(document.Unavailable, "the instance has ended meanwhile, and goes on with it once it is started again: %w", err).Do(document.DoStart)
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func (f *follower) close() {
	if f.own {
		f.nc.Close()
	}
}

// lost reports whether an answer did not come since the connection is gone.
func lost(err error) bool { return errors.Is(err, nats.ErrConnectionClosed) }
