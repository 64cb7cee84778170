package freshet

import (
	"context"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A look at the status counts every head, so that looks five times a second
// take a twentieth of a bulk load's processor time. They come as often as
// statusEvery where the end may be near, which is short against what a person
// notices, and less often where perDocument says that it cannot be: no machine
// takes up a document in less.
const (
	statusEvery  = 200 * time.Millisecond
	statusSeldom = time.Second
	perDocument  = 500 * time.Microsecond
)

// reachReady waits until everything found is searchable. It tells o what it
// sees, and returns nil when ready or when ctx ends.
func reachReady(ctx context.Context, nc *nats.Conn, p settings, o Options, run Running) error {
	wanted := len(p.watcher.Sources)
	accept := newAcceptance(nc, o)
	ctx, cancel := context.WithCancel(ctx)
	defer accept.wg.Wait()
	defer cancel()
	for {
		published, failed := accept.settled() // before the status that tells the rest
		st, err := client.Status.Ask(ctx, nc, client.None)
		if err == nil && failed == nil {
			failed = accept.look(ctx, st)
			published = published && accept.waiting == 0
		}
		switch {
		case ctx.Err() != nil: // told below
		case failed != nil:
			return failed
		case err != nil && !starting(err):
			return err
		case err == nil && published && settled(st, wanted):
			if o.Ready != nil {
				run.Status = st
				o.Ready(run)
			}
			return nil
		case err == nil && o.Progress != nil:
			o.Progress(st)
		}
		select {
		case <-time.After(untilLook(st)):
		case <-ctx.Done():
			return nil
		}
	}
}

// untilLook is the time after which a status may have become ready.
func untilLook(st contract.StatusReply) time.Duration {
	waiting := 0
	for _, n := range st.Pending {
		waiting = max(waiting, n)
	}
	return min(max(statusEvery, time.Duration(waiting)*perDocument), statusSeldom)
}

// starting tells the error of a service that does not answer yet.
func starting(err error) bool {
	kind := document.KindOf(err)
	return kind == document.Unavailable || kind == document.Deadline
}

// settled reports whether the status speaks of a watcher that has started, and
// is ready. Several roots may be one source, so at least one must be there.
func settled(st contract.StatusReply, wanted int) bool {
	started := slices.ContainsFunc(st.Reports, func(r contract.Report) bool { return r.Service == "watcher" })
	watched := slices.ContainsFunc(st.Sources, func(s contract.SourceInfo) bool { return s.Watched })
	return started && st.Ready && (watched || wanted == 0)
}
