package mcpserver

import (
	"context"
	"errors"
	"io"
	"os"
	"time"
)

// A client that has closed its end still gets answers to what it has asked for
// graceTime; then the program ends, whatever is in hand: nobody listens. Both
// times together are well below a second.
const (
	graceTime = 500 * time.Millisecond
	// parentEvery is the time between looks whether the client's process lives. A
	// client that was killed may have left its end of the pipe to another process.
	parentEvery = 200 * time.Millisecond
)

// ending is standard input that tells when the client has closed it.
type ending struct {
	io.ReadCloser
	closed chan struct{}
}

// Read implements io.Reader. Only one goroutine may call it.
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	if err != nil {
		select {
		case <-e.closed:
		default:
			close(e.closed)
		}
	}
	return n, err
}

// openEnded is a writer that nobody closes.
type openEnded struct{ io.Writer }

func (openEnded) Close() error { return nil }

// errLeft ends a session whose client is gone.
var errLeft = errors.New("the client is gone")

// attend runs serve until it returns, or the client is gone.
func attend(ctx context.Context, closed <-chan struct{}, serve func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- serve(ctx) }()
	parent := os.Getppid()
	tick := time.NewTicker(parentEvery)
	defer tick.Stop()
	for {
		select {
		case err := <-done:
			return err
		case <-closed:
			closed = nil
			time.AfterFunc(graceTime, func() { cancel(errLeft) })
		case <-tick.C:
			if os.Getppid() != parent {
				return nil
			}
		case <-ctx.Done():
			select {
			case err := <-done:
				return err
			case <-time.After(graceTime / 2):
				return nil // the process ends with what is in hand
			}
		}
	}
}
