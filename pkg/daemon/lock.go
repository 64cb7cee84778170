package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/instance"
)

// lockEvery is the time between looks at a lock that another process holds.
const lockEvery = 20 * time.Millisecond

// lock takes the lock under which a freshet is started on a state folder, which is
// made where it is missing. The kernel gives it back for a process that dies. The
// file is left behind: who removed it could take it from somebody who waits.
func lock(ctx context.Context, state string) (*os.File, error) {
	if err := os.MkdirAll(state, 0o700); err != nil {
		return nil, document.Errorf(document.Unavailable, "the state cannot be kept in %s: %w", state, err).Do(document.DoStateChoose)
	}
	f, err := os.OpenFile(filepath.Join(state, instance.StartFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "the state cannot be kept in %s: %w", state, err).Do(document.DoStateChoose)
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, document.Errorf(document.Unavailable, "the state folder %s cannot be locked: %w", state, err).Do(document.DoStateChoose)
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		}
	}
}
