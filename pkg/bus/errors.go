package bus

import (
	"errors"
	"fmt"
)

// ErrConflict is returned for a publish whose expected sequence was not the
// subject's last one: somebody else wrote it first.
var ErrConflict = errors.New("the subject has a newer message than expected")

// ErrGone is returned for a message that a newer one has replaced.
var ErrGone = errors.New("the message was replaced or removed")

type permanentError struct{ err error }

func (e *permanentError) Error() string { return e.err.Error() }
func (e *permanentError) Unwrap() error { return e.err }

// Permanent marks an error that no retry can mend: the message goes to DEAD.
func Permanent(err error) error { return &permanentError{err} }

type storeWideError struct{ err error }

func (e *storeWideError) Error() string { return e.err.Error() }
func (e *storeWideError) Unwrap() error { return e.err }

// StoreWide marks trouble that is not the message's: the worker pauses and
// probes, and nothing is counted against the message.
func StoreWide(err error) error { return &storeWideError{err} }

func isPermanent(err error) bool {
	var p *permanentError
	return errors.As(err, &p)
}

func isStoreWide(err error) bool {
	var s *storeWideError
	return errors.As(err, &s)
}

func panicError(v any) error { return fmt.Errorf("the handler panicked: %v", v) }
