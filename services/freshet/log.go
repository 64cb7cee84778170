package freshet

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
)

const (
	// checkEvery is the least time between two readings of the log's files.
	checkEvery = time.Minute
	// checkShare is the part of the time that reading takes at most: one in so
	// many.
	checkShare = 200
	// askEvery is how often the streams are asked how they are.
	askEvery = 10 * time.Second
	// doubtPause keeps a server that doubts its files all the time from having
	// them read all the time.
	doubtPause = 5 * time.Second
)

// logKeeper looks whether the embedded log is still what was written to it. What
// its server would make of damage is a wrong answer sooner or later, or none, so
// the process ends then, and heals the log when it is started again.
type logKeeper struct {
	bus    *bus.Bus
	server *embedded.Server // nil where it is not embedded
	log    *slog.Logger
	every  time.Duration // between two readings of the files; 0: as long as is reasonable
}

// pause is how long after a reading that took so long the next one comes.
func (k *logKeeper) pause(took time.Duration) time.Duration {
	return cmp.Or(k.every, max(checkEvery, checkShare*took))
}

// Run looks until ctx ends, or something is wrong.
func (k *logKeeper) Run(ctx context.Context) error {
	if k.server == nil {
		<-ctx.Done() // whoever runs the server looks after its files
		return nil
	}
	// What is lost by now was so when the log was opened, after an unclean stop.
	if err := k.check(ctx, false); err != nil {
		return err
	}
	ask := time.NewTicker(askEvery)
	defer ask.Stop()
	doubts := k.server.Doubts()
	read := time.After(k.pause(0))
	for {
		files := false
		select {
		case <-ctx.Done():
			return nil
		case <-ask.C:
		case <-doubts:
			doubts, read = nil, time.After(min(k.pause(0), doubtPause))
			continue
		case <-read:
			files = true
		}
		began := time.Now()
		if err := k.check(ctx, files); err != nil {
			return err
		}
		if files {
			doubts, read = k.server.Doubts(), time.After(k.pause(time.Since(began)))
		}
	}
}

// check returns an error where something is wrong with the log.
func (k *logKeeper) check(ctx context.Context, files bool) error {
	err := k.server.Check(ctx, k.bus, files)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // it was told to end
	}
	if errors.Is(err, embedded.ErrDamaged) || errors.Is(err, embedded.ErrSilent) {
		return err
	}
	if err != nil {
		k.log.Warn("the log was not checked", "error", err)
	}
	return nil
}
