package freshet

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/disk"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// diskEvery is how often the disk is looked at where nothing is written.
	diskEvery = time.Second
	// restartMost is the longest pause between attempts to start the server
	// again where something else than room is missing.
	restartMost = 30 * time.Second
)

// diskKeeper looks after the disk of the state folder. While there is no room,
// the bus takes nothing; a server that failed to write is started again when
// there is.
type diskKeeper struct {
	guard   *disk.Guard
	bus     *bus.Bus
	server  *embedded.Server // nil where it is not embedded
	log     *slog.Logger
	started time.Time

	mu   sync.Mutex
	full error
}

// room is what the bus asks before it writes.
func (k *diskKeeper) room(bytes int64) error {
	if k.server != nil {
		if err := k.server.Broken(); err != nil {
			return err
		}
	}
	return k.guard.Room(bytes)
}

// Run looks after the disk until ctx ends.
func (k *diskKeeper) Run(ctx context.Context) error {
	k.bus.Room().Guard(k.room)
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return bus.ServeReport(gctx, k.bus, k.report) })
	g.Go(func() error { return k.watch(gctx) })
	return g.Wait()
}

func (k *diskKeeper) watch(ctx context.Context) error {
	wait := diskEvery
	for {
		if k.server != nil && k.server.Broken() != nil && k.guard.Room(0) == nil {
			if err := k.restart(ctx); err != nil {
				return err
			}
			wait = min(2*wait, restartMost)
		} else if k.note(k.room(0)) == nil {
			wait = diskEvery
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil
		}
	}
}

// restart starts the server again. That it cannot now is no error; that it
// lost something is.
func (k *diskKeeper) restart(ctx context.Context) error {
	seen := k.bus.Seen()
	err := k.server.Restart()
	if errors.Is(err, embedded.ErrDamaged) {
		return err
	}
	if err != nil {
		_ = k.note(document.Errorf(document.Unavailable, "the log cannot be opened again: %w", err))
		return nil
	}
	for stream, seq := range seen {
		last, err := k.lastSeq(ctx, stream)
		if err != nil {
			return err
		}
		if last < seq {
			// What follows from that is done where the log is opened.
			return document.Errorf(document.Unavailable, "the log went back when it could not be written to (%s from %d to %d): start freshet again, which makes again what is missing", stream, seq, last)
		}
	}
	k.log.Warn("the log was opened again after a write that failed")
	return nil
}

// lastSeq waits for the connection to be back.
func (k *diskKeeper) lastSeq(ctx context.Context, stream string) (uint64, error) {
	for {
		last, err := k.bus.LastSeq(ctx, stream)
		if err == nil {
			return last, nil
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return 0, fmt.Errorf("look at the log: %w", ctx.Err())
		}
	}
}

// note keeps what the status tells, and logs what is new.
func (k *diskKeeper) note(full error) error {
	k.mu.Lock()
	news := (full == nil) != (k.full == nil)
	k.full = full
	k.mu.Unlock()
	switch {
	case news && full != nil:
		k.log.Error("nothing new is taken in", "error", full)
	case news:
		k.log.Warn("there is room on the disk again: going on")
	}
	return full
}

func (k *diskKeeper) report() contract.Report {
	r := contract.Report{Service: "disk", Started: k.started}
	if err := k.room(0); err != nil {
		r.Degraded = []string{err.Error()}
	}
	return r
}
