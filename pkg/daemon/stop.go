package daemon

import (
	"context"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// goneEvery is the time between looks at a process that ends.
const goneEvery = 20 * time.Millisecond

// Stop has the freshet of a state folder ("" is the user's) drain and end, and
// returns once it has given the folder back. The error is NotFound where none runs
// there, and ctx's where it takes longer than that.
func Stop(ctx context.Context, state string) (instance.Record, error) {
	path, err := instance.Locate(state)
	if err != nil {
		return instance.Record{}, err
	}
	r, err := instance.Read(path)
	if err != nil {
		return r, err
	}
	if !r.Running(path) {
		return r, document.Errorf(document.NotFound, "no freshet runs on %s: the one that did (pid %d) is gone", path, r.PID)
	}
	if err := syscall.Kill(r.PID, syscall.SIGTERM); err != nil {
		return r, document.Errorf(document.Forbidden, "the freshet that runs on %s (pid %d) cannot be ended: %w", path, r.PID, err)
	}
	tick := time.NewTicker(goneEvery)
	defer tick.Stop()
	for r.Running(path) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return r, ctx.Err()
		}
	}
	return r, nil
}
