package freshet

import (
	"context"
	"log/slog"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/process"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// eraseEvery is the time after which what was removed is overwritten by itself.
// It reads the whole log, so it is not done for every change.
const eraseEvery = time.Hour

// eraser overwrites what was removed from the files of the embedded server and
// of the stores: when it is asked to, and every so often.
type eraser struct {
	bus    *bus.Bus
	server *embedded.Server // nil where it is not embedded
	log    *slog.Logger
}

// Run serves until ctx ends.
func (e *eraser) Run(ctx context.Context) error {
	if e.server == nil {
		<-ctx.Done() // whoever runs the server looks after its files
		return nil
	}
	svc, err := rpc.NewService(e.bus, "freshet-log", "Looks after the files of the embedded log", process.Version)
	if err != nil {
		return err
	}
	defer func() { _ = svc.Stop() }()
	err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "erase", Subject: contract.SubjectEraseLog, Limit: 1, Deadline: 10 * time.Minute, Left: rpc.Finished},
		func(ctx context.Context, _ struct{}) (contract.EraseReply, error) { return e.erase(ctx) })
	if err != nil {
		return err
	}
	tick := time.NewTicker(eraseEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := e.all(ctx); err != nil && ctx.Err() == nil {
			e.log.Warn("what was removed still stands in files", "error", err)
		}
	}
}

// after overwrites what was removed at the start, if anything was.
func (e *eraser) after(ctx context.Context, removed bool) error {
	if !removed || e.server == nil {
		return nil
	}
	return e.all(ctx)
}

func (e *eraser) all(ctx context.Context) error {
	if _, err := client.EraseIndex.Ask(ctx, e.bus.Conn(), client.None); err != nil {
		return err
	}
	_, err := e.erase(ctx)
	return err
}

// reclaimPatience is how long a stop may take to look for room in the log. What
// it does not come to, the next one does.
const reclaimPatience = 5 * time.Second

// reclaim has the stop of the server write those files of the log anew of which
// much is removed. It comes when nobody writes any more.
func (e *eraser) reclaim(ctx context.Context) {
	if e.server == nil || e.server.Broken() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, reclaimPatience)
	defer cancel()
	if err := e.server.Reclaim(ctx, e.bus); err != nil {
		e.log.Warn("what was removed from the log keeps its room", "error", err)
	}
}

func (e *eraser) erase(ctx context.Context) (contract.EraseReply, error) {
	done, err := e.server.Erase(ctx, e.bus)
	return contract.EraseReply{Items: done.Messages, Bytes: done.Bytes}, err
}
