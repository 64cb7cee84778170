// Package classify tells what a file is: which collection it belongs to by its
// path, and whether its name or content keeps it out of the index.
package classify

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Reason says why a document is known but not indexed. It is a short phrase
// from a small set, so that documents can be counted by it; empty means that
// nothing is wrong.
type Reason string

// Reasons that need no detail.
const (
	Binary      Reason = "binary"
	Minified    Reason = "minified"
	LongLines   Reason = "very long lines"
	SourceMap   Reason = "source map"
	LockFile    Reason = "lock file"
	LFSPointer  Reason = "git lfs pointer"
	PrivateKey  Reason = "secret: private key"
	SymLink     Reason = "symbolic link"
	Pipe        Reason = "named pipe"
	Socket      Reason = "socket"
	Device      Reason = "device"
	Irregular   Reason = "not a regular file"
	Submodule   Reason = "submodule"
	OverLimit   Reason = "over limit" // the source has as much as it may
	UnsafePath  Reason = "path leaves the tree"
	LongPath    Reason = "path too long"
	BadObject   Reason = unreadable + ": damaged or missing in the repository"
	secretStart        = "secret: "
	unreadable         = "unreadable"
)

// IsUnread reports whether a reason says that nobody knows what a document
// holds, because it cannot be read.
func IsUnread(r Reason) bool { return strings.HasPrefix(string(r), unreadable) }

// TooLarge returns the reason for a file above the limit in bytes.
func TooLarge(limit int64) Reason {
	return Reason(fmt.Sprintf("too large: more than %d bytes", limit))
}

// SecretName returns the reason for a file whose name says that it holds
// credentials.
func SecretName(rule string) Reason { return Reason(secretStart + rule) }

// Unreadable returns the reason for a file that could not be read.
func Unreadable(err error) Reason {
	var errno syscall.Errno
	switch {
	case errors.Is(err, fs.ErrPermission):
		return unreadable + ": permission denied"
	case errors.Is(err, syscall.ENAMETOOLONG):
		return unreadable + ": path too long"
	case errors.As(err, &errno):
		return Reason(unreadable + ": " + errno.Error())
	}
	return unreadable
}

// FromMode returns the reason for what is no regular file.
func FromMode(m fs.FileMode) Reason {
	switch {
	case m.IsRegular():
		return ""
	case m&fs.ModeSymlink != 0:
		return SymLink
	case m&fs.ModeNamedPipe != 0:
		return Pipe
	case m&fs.ModeSocket != 0:
		return Socket
	case m&fs.ModeDevice != 0:
		return Device
	}
	return Irregular
}
