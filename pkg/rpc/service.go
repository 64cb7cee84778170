package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"reflect"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// service is a micro.Service whose handlers run concurrently. micro itself
// looks at a request after its handler has returned, so what answers later has
// to go past it, over the connection.
type service struct {
	micro.Service
	nc      *nats.Conn
	log     *slog.Logger
	callers *callers
	guard   Guard // nil: everybody may ask everything

	mu      sync.Mutex
	stopped bool
	lines   []*line
	calls   sync.WaitGroup
}

// Connection is what services are reached by. Its log is told of handlers that
// break.
type Connection interface {
	Conn() *nats.Conn
	Log() *slog.Logger
}

// Guard says whether somebody may ask on a subject at all; the error is what they are
// told.
type Guard interface {
	// Restricts reports whether anybody is told less than everything.
	Restricts() bool
	Admits(who contract.Principal, subject string) error
}

// NewService registers a service that answers discovery ($SRV.INFO.<name>).
// version must be semantic. The caller stops it; Stop returns when every
// handler has ended.
func NewService(at Connection, name, description, version string) (micro.Service, error) {
	nc := at.Conn()
	callers, err := listenToCallers(nc)
	if err != nil {
		return nil, err
	}
	s := &service{nc: nc, log: at.Log().With("endpoints", name), callers: callers}
	s.guard, _ = at.(Guard)
	s.Service, err = micro.AddService(nc, micro.Config{Name: name, Description: description, Version: version, StatsHandler: s.stats})
	if err != nil {
		callers.stop()
		return nil, fmt.Errorf("register service %s: %w", name, err)
	}
	return s, nil
}

// Stop ends the endpoints and waits for the handlers.
func (s *service) Stop() error {
	s.mu.Lock()
	s.stopped = true
	lines := s.lines
	s.mu.Unlock()
	err := s.Service.Stop()
	for _, l := range lines {
		l.close()
	}
	s.calls.Wait()
	s.callers.stop()
	return err
}

// begin reports whether another handler may start; then calls has to be told
// of its end.
func (s *service) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped {
		s.calls.Add(1)
	}
	return !s.stopped
}

// Left says what becomes of a request whose caller has left, or whose time is
// up.
type Left int

const (
	// Dropped requests are not begun, and end where they are being handled.
	Dropped Left = iota
	// Finished requests are not begun; those that are being handled go on, since
	// half of what they write would be worse.
	Finished
	// Handled requests are handled all the same: what they tell stays true.
	Handled
)

// Options describe one endpoint.
type Options struct {
	Name    string
	Subject string
	// Group is the queue group in which instances share requests; default "q".
	Group string
	// NoQueue lets every instance answer.
	NoQueue bool
	// Limit bounds concurrent handlers, default 64. Further requests wait, and
	// above 1,024 or 64 MiB of them are told when to come back.
	Limit int
	// Deadline is the time from a request's arrival in which a caller wants the
	// answer that does not say it; default 30 s, and none for an answer in parts.
	Deadline time.Duration
	Left     Left
}

// Endpoint serves JSON requests of type Req with replies of type Rep. svc is
// from NewService. Bodies are decoded strictly, and held to the limits of Req, of
// which every list and text must have one; an empty body is the zero Req.
// Errors are answered with their kind as Nats-Service-Error-Code and an
// ErrorReply as body. Handlers run concurrently. Their context ends with ctx
// and, by o.Left, with the caller's time or when it leaves; Arrived tells when
// the request came.
func Endpoint[Req, Rep any](ctx context.Context, svc micro.Service, o Options, h func(context.Context, Req) (Rep, error)) error {
	if o.Deadline == 0 {
		o.Deadline = 30 * time.Second
	}
	return serveEach[Req](ctx, svc, o, func(ctx context.Context, c *call) { serve(ctx, c, h) })
}

// serveEach calls handle for each request, concurrently up to the limit.
func serveEach[Req any](ctx context.Context, svc micro.Service, o Options, handle func(context.Context, *call)) error {
	s, ok := svc.(*service)
	if !ok {
		return fmt.Errorf("serve %s: the service is not one of NewService", o.Subject)
	}
	if err := contract.Limited(reflect.TypeFor[Req]()); err != nil {
		return fmt.Errorf("serve %s: %w", o.Subject, err)
	}
	if o.Limit == 0 {
		o.Limit = 64
	}
	l := &line{svc: s, o: o, life: ctx, handle: handle, waiting: turns{room: waitRoom}}
	s.mu.Lock()
	s.lines = append(s.lines, l)
	s.mu.Unlock()
	context.AfterFunc(ctx, l.close)
	// What the client may hold is no bound of ours: it would drop without a word
	// what it cannot hold, and a request is out of its hands in microseconds.
	opts := []micro.EndpointOpt{micro.WithEndpointSubject(o.Subject), micro.WithEndpointPendingLimits(-1, -1)}
	switch {
	case o.NoQueue:
		opts = append(opts, micro.WithEndpointQueueGroupDisabled())
	case o.Group != "":
		opts = append(opts, micro.WithEndpointQueueGroup(o.Group))
	}
	handler := micro.HandlerFunc(func(req micro.Request) {
		if contract.Reserved(req.Reply()) {
			return // nobody who only wants an answer asks for it there
		}
		c, err := l.stamp(req)
		if err != nil {
			c.fail(err)
			return
		}
		l.arrive(c)
	})
	if err := svc.AddEndpoint(o.Name, handler, opts...); err != nil {
		return fmt.Errorf("serve %s: %w", o.Subject, err)
	}
	return nil
}

// stopping is the answer of a service that is about to end.
func stopping() error {
	return document.Errorf(document.Unavailable, "the service is stopping: ask again")
}

func serve[Req, Rep any](ctx context.Context, c *call, h func(context.Context, Req) (Rep, error)) {
	defer func() {
		if v := recover(); v != nil {
			c.fail(c.broke(v))
		}
	}()
	var in Req
	if err := decodeStrict(c.data, &in); err != nil {
		c.fail(err)
		return
	}
	out, err := h(ctx, in)
	if err != nil {
		c.fail(err)
		return
	}
	js, err := json.Marshal(out)
	if err != nil {
		c.fail(fmt.Errorf("encode reply: %w", err))
		return
	}
	if err := c.svc.nc.Publish(c.reply, js); errors.Is(err, nats.ErrMaxPayload) {
		c.fail(document.Errorf(document.TooLarge, "the answer has %d bytes, more than the server lets through: ask for a smaller k or less text", len(js)))
	}
}

// broke says that a handler panicked, to the log with its stack.
func (c *call) broke(v any) error {
	c.svc.log.Error("a request broke the service", "subject", c.line.o.Subject, "panic", v, "stack", string(debug.Stack()))
	return document.Errorf(document.Internal, "the request broke the service: %v", v)
}

// fail answers with an error. That the answer cannot be sent any more is no
// news to anybody.
func (c *call) fail(err error) {
	c.line.failed(err)
	e := document.Told(err)
	header := nats.Header{micro.ErrorCodeHeader: {string(e.Kind)}, micro.ErrorHeader: {e.Message}}
	reply := contract.ErrorReply{Error: *e}
	if e.RetryAfter > 0 {
		reply.RetryAfterMS = e.RetryAfter.Milliseconds()
		header[headerRetryAfter] = []string{strconv.FormatInt(reply.RetryAfterMS, 10)}
	}
	body, merr := json.Marshal(reply)
	if merr != nil {
		body = nil
	}
	_ = c.svc.nc.PublishMsg(&nats.Msg{Subject: c.reply, Data: body, Header: header})
}

func decodeStrict[Req any](data []byte, into *Req) error {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return requestError(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return document.Errorf(document.InvalidRequest, "the request has something behind its JSON object")
	}
	return contract.CheckLimits(*into)
}

// requestError says in one sentence what is wrong with a request's JSON.
func requestError(err error) error {
	var typed *document.Error
	var mistyped *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &typed):
		return typed
	case errors.As(err, &mistyped):
		return document.Errorf(document.InvalidRequest, "the request's field %q is a JSON %s, it must be %s", mistyped.Field, document.Shorten(mistyped.Value), mistyped.Type)
	case errors.As(err, &syntax):
		return document.Errorf(document.InvalidRequest, "the request is not JSON: %w at byte %d", err, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return document.Errorf(document.InvalidRequest, "the request is not JSON: it ends too early")
	}
	// The decoder has no type for an unknown field; its text names it.
	return document.Errorf(document.InvalidRequest, "the request is not what this endpoint takes: %s; see the schema of this endpoint", document.Shorten(err.Error()))
}
