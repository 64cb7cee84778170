package bus

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
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

// panicError is what a handler's panic comes to.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("the handler panicked: %v", e.value) }

// killedError stands for the workers that ended with a message.
type killedError struct{ deaths int }

func (e *killedError) Error() string {
	return fmt.Sprintf("%d workers ended while they handled it", e.deaths)
}

// failureOf tells why a stage gives up.
func failureOf(err error) contract.FailureKind {
	var panicked *panicError
	var killed *killedError
	switch {
	case errors.As(err, &panicked):
		return contract.FailurePanic
	case errors.As(err, &killed):
		return contract.FailureKilled
	case isPermanent(err):
		return contract.FailureRefused
	}
	return contract.FailureTries
}

// isGarbage reports whether an error is about what an entry of a bucket holds,
// and not about the log.
func isGarbage(err error) bool {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &mistyped)
}
