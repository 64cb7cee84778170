package daemon

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/freshet-dev/freshet/pkg/instance"
)

// logLimit bounds the log of a freshet in the background: twice that many bytes are
// kept, the older half in a file of its own. A warning takes some hundred bytes.
const logLimit = 4 << 20

// LogFile is where the freshet of a state folder logs while it runs in the
// background.
func LogFile(state string) string { return filepath.Join(state, instance.LogFile) }

// openLog opens the log for appending, which everything that is started with it
// does, too.
func openLog(state string) (*os.File, error) {
	f, err := os.OpenFile(LogFile(state), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the log: %w", err)
	}
	return f, nil
}

// Bounded writes to a log that was opened for appending. Before the file is too
// large, what is in it becomes the older file beside it, and it starts anew; it
// stays the same file, so that what the runtime writes when it fails is in it as
// well. It is safe for concurrent use.
type Bounded struct {
	to    *os.File
	file  string
	limit int64

	mu sync.Mutex
}

// Bound returns a writer to the log of the state folder that to is. Where to is
// another file, that one alone is written to.
func Bound(to *os.File, state string) io.Writer {
	file := LogFile(state)
	mine, err := to.Stat()
	if err != nil {
		return to
	}
	if there, err := os.Stat(file); err != nil || !os.SameFile(mine, there) {
		return to
	}
	return &Bounded{to: to, file: file, limit: logLimit}
}

// Write implements io.Writer.
func (b *Bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if info, err := b.to.Stat(); err == nil && info.Size() > 0 && info.Size()+int64(len(p)) > b.limit {
		if err := b.turn(); err != nil {
			return 0, err
		}
	}
	return b.to.Write(p)
}

func (b *Bounded) turn() error {
	old, err := os.Open(b.file)
	if err != nil {
		return fmt.Errorf("keep the log: %w", err)
	}
	defer old.Close()
	kept, err := os.OpenFile(b.file+".1", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("keep the log: %w", err)
	}
	_, err = io.Copy(kept, io.LimitReader(old, b.limit))
	if err = errors.Join(err, kept.Close()); err != nil {
		return fmt.Errorf("keep the log: %w", err)
	}
	return b.to.Truncate(0)
}
