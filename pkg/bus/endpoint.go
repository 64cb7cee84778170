package bus

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

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
	nc *nats.Conn

	mu      sync.Mutex
	stopped bool
	calls   sync.WaitGroup
}

// NewService registers a service that answers discovery ($SRV.INFO.<name>).
// version must be semantic. The caller stops it; Stop returns when every
// handler has ended.
func NewService(b *Bus, name, description, version string) (micro.Service, error) {
	svc, err := micro.AddService(b.nc, micro.Config{Name: name, Description: description, Version: version})
	if err != nil {
		return nil, fmt.Errorf("register service %s: %w", name, err)
	}
	return &service{Service: svc, nc: b.nc}, nil
}

// Stop ends the endpoints and waits for the handlers.
func (s *service) Stop() error {
	s.mu.Lock()
	s.stopped = true
	s.mu.Unlock()
	err := s.Service.Stop()
	s.calls.Wait()
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

// EndpointOptions describe one endpoint.
type EndpointOptions struct {
	Name    string
	Subject string
	// Group is the queue group in which instances share requests; default "q".
	Group string
	// NoQueue lets every instance answer.
	NoQueue bool
	// Limit bounds concurrent handlers, default 64; further requests wait.
	Limit int
}

// Endpoint serves JSON requests of type Req with replies of type Rep. svc is
// from NewService. Bodies are decoded strictly; an empty one is the zero Req.
// Errors are answered with their kind as Nats-Service-Error-Code and an
// ErrorReply as body. Handlers run concurrently and end with ctx.
func Endpoint[Req, Rep any](ctx context.Context, svc micro.Service, o EndpointOptions, h func(context.Context, Req) (Rep, error)) error {
	return serveEach(ctx, svc, o, func(c call) { serve(ctx, c, h) })
}

// serveEach calls handle for each request, concurrently up to the limit.
func serveEach(ctx context.Context, svc micro.Service, o EndpointOptions, handle func(call)) error {
	s, ok := svc.(*service)
	if !ok {
		return fmt.Errorf("serve %s: the service is not one of NewService", o.Subject)
	}
	if o.Limit == 0 {
		o.Limit = 64
	}
	slots := make(chan struct{}, o.Limit)
	opts := []micro.EndpointOpt{micro.WithEndpointSubject(o.Subject)}
	switch {
	case o.NoQueue:
		opts = append(opts, micro.WithEndpointQueueGroupDisabled())
	case o.Group != "":
		opts = append(opts, micro.WithEndpointQueueGroup(o.Group))
	}
	stopping := document.Errorf(document.Unavailable, "the service is stopping: ask again")
	handler := micro.HandlerFunc(func(req micro.Request) {
		c := call{nc: s.nc, reply: req.Reply(), data: req.Data(), cancel: req.Headers().Get(headerCancel)}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			c.fail(stopping)
			return
		}
		if !s.begin() {
			<-slots
			c.fail(stopping)
			return
		}
		go func() {
			defer s.calls.Done()
			defer func() { <-slots }()
			handle(c)
		}()
	})
	if err := svc.AddEndpoint(o.Name, handler, opts...); err != nil {
		return fmt.Errorf("serve %s: %w", o.Subject, err)
	}
	return nil
}

// call is one request and the way to answer it.
type call struct {
	nc    *nats.Conn
	reply string
	data  []byte
	// cancel is the subject on which the caller says that it wants no more of
	// an answer in parts.
	cancel string
}

func serve[Req, Rep any](ctx context.Context, c call, h func(context.Context, Req) (Rep, error)) {
	defer func() {
		if v := recover(); v != nil {
			c.fail(document.Errorf(document.Internal, "the request broke the service: %v", v))
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
	if err := c.nc.Publish(c.reply, js); errors.Is(err, nats.ErrMaxPayload) {
		c.fail(document.Errorf(document.TooLarge, "the answer has %d bytes, more than the server lets through: ask for a smaller k or less text", len(js)))
	}
}

// fail answers with an error. That the answer cannot be sent any more is no
// news to anybody.
func (c call) fail(err error) {
	e := document.Error{Kind: document.KindOf(err), Message: err.Error()}
	body, merr := json.Marshal(contract.ErrorReply{Error: e})
	if merr != nil {
		body = nil
	}
	_ = c.nc.PublishMsg(&nats.Msg{
		Subject: c.reply, Data: body,
		Header: nats.Header{micro.ErrorCodeHeader: {string(e.Kind)}, micro.ErrorHeader: {e.Message}},
	})
}

func decodeStrict(data []byte, into any) error {
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
	return nil
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
		return document.Errorf(document.InvalidRequest, "the request's field %q is a JSON %s, it must be %s", mistyped.Field, mistyped.Value, mistyped.Type)
	case errors.As(err, &syntax):
		return document.Errorf(document.InvalidRequest, "the request is not JSON: %w at byte %d", err, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return document.Errorf(document.InvalidRequest, "the request is not JSON: it ends too early")
	}
	// The decoder has no type for an unknown field; its text names it.
	return document.Errorf(document.InvalidRequest, "the request is not what this endpoint takes: %w; see the schema of this endpoint", err)
}

// Call sends a request and decodes the reply. Every failure is a
// *document.Error: the callee's own, Unavailable when nobody answers,
// Deadline when the answer does not come in time.
func Call[Req, Rep any](ctx context.Context, nc *nats.Conn, subject string, req Req) (Rep, error) {
	var rep Rep
	js, err := json.Marshal(req)
	if err != nil {
		return rep, document.Errorf(document.InvalidRequest, "encode the request to %s: %w", subject, err)
	}
	m, err := nc.RequestWithContext(ctx, subject, js)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return rep, document.Errorf(document.Unavailable, "nobody answers on %s: is the service running?", subject)
	case errors.Is(err, nats.ErrMaxPayload):
		return rep, document.Errorf(document.TooLarge, "the request to %s has %d bytes, and the server lets %d through: send less at once, or raise its max_payload", subject, len(js), nc.MaxPayload())
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, nats.ErrTimeout):
		return rep, document.Errorf(document.Deadline, "no answer on %s in time: %w", subject, err)
	case err != nil:
		return rep, document.Errorf(document.Unavailable, "ask %s: %w", subject, err)
	}
	if code := m.Header.Get(micro.ErrorCodeHeader); code != "" {
		return rep, &document.Error{Kind: document.ErrorKind(code), Message: m.Header.Get(micro.ErrorHeader)}
	}
	if err := json.Unmarshal(m.Data, &rep); err != nil {
		return rep, document.Errorf(document.Internal, "decode the reply of %s: %w", subject, err)
	}
	return rep, nil
}
