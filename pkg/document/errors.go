package document

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrorKind is one of a closed list; it is the same over NATS, HTTP and MCP.
type ErrorKind string

// The kinds of error that a caller can receive.
const (
	InvalidRequest   ErrorKind = "invalid_request"
	NotFound         ErrorKind = "not_found"
	Unauthorized     ErrorKind = "unauthorized"
	Forbidden        ErrorKind = "forbidden"
	TooLarge         ErrorKind = "too_large"
	RateLimited      ErrorKind = "rate_limited"
	Deadline         ErrorKind = "deadline"
	Unavailable      ErrorKind = "unavailable"
	Conflict         ErrorKind = "conflict"
	TokenUnknown     ErrorKind = "token_unknown"
	IdentityMismatch ErrorKind = "identity_mismatch"
	VersionMismatch  ErrorKind = "version_mismatch"
	Internal         ErrorKind = "internal"
)

// ErrorKinds lists every kind.
var ErrorKinds = []ErrorKind{
	InvalidRequest, NotFound, Unauthorized, Forbidden, TooLarge, RateLimited, Deadline,
	Unavailable, Conflict, TokenUnknown, IdentityMismatch, VersionMismatch, Internal,
}

// Error is what crosses an interface: a kind from the closed list and one
// sentence that names the thing and the fix. Where the fix is something to type or
// to press, the sentence is silent about it, and Actions name it.
type Error struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message"`
	// Actions are what can be done about it; nil for none that is known.
	Actions []Action `json:"actions,omitempty"`
	// RetryAfter is when to ask again, where that is known of something that is
	// Unavailable; whole milliseconds, which cross the wire beside the error.
	RetryAfter time.Duration `json:"-"`
	cause      error
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, which does not cross the wire.
func (e *Error) Unwrap() error { return e.cause }

// Errorf makes an Error. A %w verb keeps the cause, and what %q quotes is
// shortened as [Shorten] does it: whoever sent it knows it, and a text of 16 kB
// hides what is wrong with it.
func Errorf(kind ErrorKind, format string, args ...any) *Error {
	err := fmt.Errorf(format, shortenQuoted(format, args)...)
	return &Error{Kind: kind, Message: err.Error(), cause: errors.Unwrap(err)}
}

// KindOf returns the kind of err: that of the first Error in its chain,
// Deadline for an exceeded context, Internal otherwise, "" for nil.
func KindOf(err error) ErrorKind {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return Deadline
	}
	return Internal
}
