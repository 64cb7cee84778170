package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// unreadError says that a message itself cannot be read.
type unreadError struct {
	subject string
	err     error
}

func (e *unreadError) Error() string { return e.err.Error() }
func (e *unreadError) Unwrap() error { return e.err }

// Unread marks an error that says why the message cannot be read, though it is
// the newest of its subject. It is tried again as any other, and what stood in
// the message is made again meanwhile, where TellUnread is told of the error. A
// worker tells of those that its handler returns.
func (m *Msg) Unread(err error) error { return &unreadError{m.Subject, err} }

// IsUnread reports whether an error is one of Unread.
func IsUnread(err error) bool {
	var u *unreadError
	return errors.As(err, &u)
}

// TellUnread has the document made again whose message an error is about, if it
// is one of Unread. Losing that costs nothing: whoever tries to read the message
// tells it again.
func TellUnread(b *Bus, err error) {
	var u *unreadError
	if !errors.As(err, &u) {
		return
	}
	k, err := contract.ParseSubject(u.subject)
	if err != nil {
		return // no document's
	}
	if js, err := json.Marshal(contract.UnreadBody{Stream: k.Stream, Source: k.Source, Doc: k.Doc}); err == nil {
		_ = b.nc.Publish(contract.SubjectUnread, js)
	}
}

// withoutClaim is the error of a body that is an object and cannot be had. One
// that is gone though nothing has replaced the message is lost.
func (m *Msg) withoutClaim(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, ErrGone):
		k, perr := contract.ParseSubject(m.Subject)
		if perr != nil {
			return err
		}
		if _, gerr := m.bus.Get(ctx, k.Stream, m.Seq); gerr != nil {
			return gerr
		}
		return m.Unread(fmt.Errorf("the body of message %d on %s is missing", m.Seq, m.Subject))
	case Passing(err):
		return err
	}
	return m.Unread(err)
}
