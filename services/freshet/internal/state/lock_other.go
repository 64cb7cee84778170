//go:build !unix

package state

import (
	"errors"
	"os"
)

// takeLock refuses: without flock two processes could write one log.
func takeLock(string) (*os.File, error) {
	return nil, errors.New("freshet runs on Linux and macOS only")
}
