package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nuid"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Headers of a request, and of an answer that there is none now.
const (
	// headerDeadline is the time in milliseconds in which the caller wants the
	// answer, from its sending: a duration, since clocks differ.
	headerDeadline = "Freshet-Deadline-Ms"
	// headerCancel names the subject on which the caller says that it has left.
	headerCancel = "Freshet-Cancel"
	// headerRetryAfter is the time in milliseconds after which to ask again.
	headerRetryAfter = "Freshet-Retry-After-Ms"
)

// longest is the most time that a caller can ask for.
const longest = 24 * time.Hour

// newAsk returns a request that says how long its caller waits, and where it
// would tell that it has left.
func newAsk(ctx context.Context, subject string, body []byte) *nats.Msg {
	left := longest
	if until, ok := ctx.Deadline(); ok {
		left = min(max(time.Until(until), time.Millisecond), longest)
	}
	ask := &nats.Msg{Subject: subject, Data: body, Header: nats.Header{
		headerDeadline: {strconv.FormatInt(left.Milliseconds(), 10)},
		headerCancel:   {contract.CancelSubject(nuid.Next())},
	}}
	named(ctx, ask)
	return ask
}

// leave tells that nobody waits for the answer any more. That it cannot be told
// costs the callee some work, and nobody else anything.
func leave(nc *nats.Conn, ask *nats.Msg) { _ = nc.Publish(ask.Header.Get(headerCancel), nil) }

// errorOf returns the error that an answer carries, if it is one. A kind that is
// none of the list is Internal.
func errorOf(m *nats.Msg) error {
	kind := document.ErrorKind(m.Header.Get(micro.ErrorCodeHeader))
	if kind == "" {
		return nil
	}
	if !slices.Contains(document.ErrorKinds, kind) {
		kind = document.Internal
	}
	after, _ := strconv.ParseInt(m.Header.Get(headerRetryAfter), 10, 64)
	told := &document.Error{Kind: kind, Message: m.Header.Get(micro.ErrorHeader), RetryAfter: time.Duration(after) * time.Millisecond}
	var body contract.ErrorReply
	if json.Unmarshal(m.Data, &body) == nil { // else the headers say enough
		told.Actions = body.Error.Actions
	}
	return told
}

// errNobody says nothing beside what names it.
var errNobody = errors.New("")

// Nobody reports whether an error of Call says that there was nobody to answer, where
// another Unavailable is the callee's own.
func Nobody(err error) bool { return errors.Is(err, errNobody) }

// Call sends a request and decodes the reply. Every failure is a
// *document.Error: the callee's own, Unavailable when nobody answers,
// Deadline when the answer does not come in time. The callee is told how much
// time ctx leaves, and that the caller has left where ctx ends before the answer.
func Call[Req, Rep any](ctx context.Context, nc *nats.Conn, subject string, req Req) (Rep, error) {
	var rep Rep
	js, err := json.Marshal(req)
	if err != nil {
		return rep, document.Errorf(document.InvalidRequest, "encode the request to %s: %w", subject, err)
	}
	if err := refusedHere(nc, subject); err != nil {
		return rep, err
	}
	ask := newAsk(ctx, subject, js)
	m, err := nc.RequestMsgWithContext(ctx, ask)
	if err != nil && ctx.Err() != nil {
		leave(nc, ask)
	}
	if refused := refusedThere(nc, subject); err != nil && refused != nil {
		return rep, refused
	}
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return rep, document.Errorf(document.Unavailable, "nobody answers on %s: is the service running?%w", subject, errNobody)
	case errors.Is(err, nats.ErrMaxPayload):
		return rep, document.Errorf(document.TooLarge, "the request to %s has %d bytes, and the server lets %d through: send less at once, or raise its max_payload", subject, len(js), nc.MaxPayload())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return rep, document.Errorf(document.Deadline, "no answer on %s in time: %w", subject, err)
	case err != nil:
		return rep, document.Errorf(document.Unavailable, "ask %s: %w", subject, err)
	}
	if err := errorOf(m); err != nil {
		return rep, err
	}
	if err := json.Unmarshal(m.Data, &rep); err != nil {
		return rep, document.Errorf(document.Internal, "decode the reply of %s: %w", subject, err)
	}
	return rep, nil
}
