// Package beneath opens files in trees that somebody else may be changing. No
// symbolic link below the root is followed, whenever it was put there, and
// opening never waits for a pipe.
package beneath

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// flags of every open: a pipe may have taken a file's place.
const flags = unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC

// elements counts what was opened one by one.
var elements atomic.Uint64

// Open opens rel (slashes forward, "" for the root itself) below root, whose
// own path may hold links. Each element is opened in the one before it, so
// that none of them can be exchanged for a link: where one is a link, the
// error is syscall.ELOOP for the last element and syscall.ENOTDIR for one
// above it. A path that is not local is syscall.ENOENT.
func Open(root, rel string) (*os.File, error) {
	name := filepath.Join(root, rel)
	fail := func(err error) (*os.File, error) { return nil, &os.PathError{Op: "open", Path: name, Err: err} }
	if rel != "" && !filepath.IsLocal(rel) {
		return fail(syscall.ENOENT)
	}
	at := flags | unix.O_DIRECTORY
	if rel == "" {
		at = flags
	}
	fd, err := again(func() (int, error) { return unix.Open(root, at&^unix.O_NOFOLLOW, 0) })
	if rel != "" && err == nil {
		// Anything else is told apart on foot.
		if below, derr := descend(fd, rel); derr == nil || errors.Is(derr, syscall.ENOENT) {
			_ = unix.Close(fd) // only a handle
			if derr != nil {
				return fail(derr)
			}
			return os.NewFile(uintptr(below), name), nil
		}
	}
	for rel != "" && err == nil {
		var element string
		element, rel, _ = strings.Cut(rel, "/")
		if at = flags; rel != "" {
			at |= unix.O_DIRECTORY
		}
		up := fd
		elements.Add(1)
		fd, err = again(func() (int, error) { return unix.Openat(up, element, at, 0) })
		_ = unix.Close(up) // only a handle
	}
	if err != nil {
		return fail(err)
	}
	return os.NewFile(uintptr(fd), name), nil
}

// again repeats a system call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		if fd, err := call(); !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// ErrNoSmallFile is the error for what is no regular file, or a longer one.
var ErrNoSmallFile = errors.New("no regular file of that size")

// ReadSmallBelow reads a regular file of at most limit bytes that Open opens.
func ReadSmallBelow(root, rel string, limit int64) ([]byte, error) {
	f, err := Open(root, rel)
	if err != nil {
		return nil, err
	}
	return readSmall(f, limit)
}

// ReadSmall is the same for a file of any path, through links.
func ReadSmall(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return readSmall(f, limit)
}

func readSmall(f *os.File, limit int64) ([]byte, error) {
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("read %s: %w", f.Name(), ErrNoSmallFile)
	}
	// What grows meanwhile is not followed.
	return io.ReadAll(io.LimitReader(f, limit))
}
