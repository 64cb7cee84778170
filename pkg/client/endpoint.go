package client

import (
	"context"
	"encoding/json"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// None is the request of an endpoint that takes none.
var None struct{}

// Endpoint is a request with one answer. It may be asked by many goroutines.
type Endpoint[Req, Rep any] struct {
	subject string
	within  func(Req) time.Duration
}

// Ask sends a request and returns the answer. It waits until ctx ends, and no
// longer than the endpoint's own limit.
func (e Endpoint[Req, Rep]) Ask(ctx context.Context, nc *nats.Conn, req Req) (Rep, error) {
	_, rep, err := e.Raw(ctx, nc, req)
	return rep, err
}

// Raw is Ask with the answer as it came beside the decoded one.
func (e Endpoint[Req, Rep]) Raw(ctx context.Context, nc *nats.Conn, req Req) (json.RawMessage, Rep, error) {
	ctx, cancel := context.WithTimeout(ctx, e.within(req))
	defer cancel()
	var rep Rep
	raw, err := rpc.Call[Req, json.RawMessage](ctx, nc, e.subject, req)
	if err != nil {
		return nil, rep, err
	}
	if err := json.Unmarshal(raw, &rep); err != nil {
		return nil, rep, document.Errorf(document.VersionMismatch, "the answer on %s is not what this version of freshet understands (%w): use the version that is running", e.subject, err)
	}
	return raw, rep, nil
}

// Subject is where the request is sent, by which the contract says who may.
func (e Endpoint[Req, Rep]) Subject() string { return e.subject }

// Forward sends the body of a request as it came, and returns the answer as it
// came: whoever hands on need not understand. What is no such request is refused by
// the service, which says why.
func (e Endpoint[Req, Rep]) Forward(ctx context.Context, nc *nats.Conn, body json.RawMessage) (json.RawMessage, error) {
	var req Req
	_ = json.Unmarshal(body, &req) // for the time alone
	ctx, cancel := context.WithTimeout(ctx, e.within(req))
	defer cancel()
	return rpc.Call[json.RawMessage, json.RawMessage](ctx, nc, e.subject, body)
}

// Stream is a request whose answer comes in parts. It may be asked by many
// goroutines.
type Stream[Req, Part any] struct{ subject string }

// Each sends a request and calls fn for every part of the answer, in order. An
// error of fn ends the answer and is returned. It waits until ctx ends, or the
// service falls silent.
func (s Stream[Req, Part]) Each(ctx context.Context, nc *nats.Conn, req Req, fn func(Part) error) error {
	return rpc.CallStream(ctx, nc, s.subject, req, fn)
}

// Subject is where the request is sent.
func (s Stream[Req, Part]) Subject() string { return s.subject }

// Forward is Each with the body of a request as it came, and every part as it came.
func (s Stream[Req, Part]) Forward(ctx context.Context, nc *nats.Conn, body json.RawMessage, fn func(json.RawMessage) error) error {
	return rpc.CallStream(ctx, nc, s.subject, body, fn)
}
