package rpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Headers of an answer in several messages.
const (
	headerPart = "Freshet-Part" // number of the message, from 1
	headerEnd  = "Freshet-End"  // on the last message
)

const (
	// streamSign is how often an answer that has nothing to say gives a sign of
	// life, and streamSilence how long a caller waits for one.
	streamSign    = 5 * time.Second
	streamSilence = 30 * time.Second
)

// StreamEndpoint serves requests that are answered by any number of messages
// of type Part, in order, and then end. It is otherwise as Endpoint. send may be
// called from several goroutines, and fails when its context has ended.
func StreamEndpoint[Req, Part any](ctx context.Context, svc micro.Service, o Options, h func(ctx context.Context, req Req, send func(Part) error) error) error {
	return serveEach[Req](ctx, svc, o, func(ctx context.Context, c *call) { serveStream(ctx, c, h) })
}

func serveStream[Req, Part any](ctx context.Context, c *call, h func(context.Context, Req, func(Part) error) error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out := &parts{call: c, ctx: ctx}
	var signs sync.WaitGroup
	defer signs.Wait()
	defer cancel()
	signs.Go(out.giveSigns)
	out.end(answer(ctx, c, out, h))
}

// answer runs the handler; a panic is its error.
func answer[Req, Part any](ctx context.Context, c *call, out *parts, h func(context.Context, Req, func(Part) error) error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = c.broke(v)
		}
	}()
	var req Req
	if err := decodeStrict(c.data, &req); err != nil {
		return err
	}
	return h(ctx, req, func(p Part) error {
		js, err := json.Marshal(p)
		if err != nil {
			return fmt.Errorf("encode a part of the answer: %w", err)
		}
		return out.send(js)
	})
}

// parts is an answer on its way.
type parts struct {
	*call
	ctx context.Context

	mu    sync.Mutex
	n     int
	ended bool
}

func (p *parts) send(body []byte, header ...string) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sendLocked(body, header...)
}

func (p *parts) sendLocked(body []byte, header ...string) error {
	if p.ended {
		return nil
	}
	p.n++
	h := nats.Header{headerPart: {strconv.Itoa(p.n)}}
	for _, k := range header {
		h[k] = []string{"1"}
	}
	if err := p.svc.nc.PublishMsg(&nats.Msg{Subject: p.reply, Header: h, Data: body}); err != nil {
		return fmt.Errorf("send part %d of the answer: %w", p.n, err)
	}
	return nil
}

// giveSigns says from time to time that the answer goes on.
func (p *parts) giveSigns() {
	tick := time.NewTicker(streamSign)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			_ = p.send(nil) // the caller notices the silence
		case <-p.ctx.Done():
			return
		}
	}
}

// end sends the last message. That it cannot be sent any more is no news to
// anybody.
func (p *parts) end(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.fail(err)
	} else {
		_ = p.sendLocked(nil, headerEnd)
	}
	p.ended = true
}

// CallStream sends a request and calls each for every part of the answer, in
// order, until it has ended. An error of each ends the answer and is returned.
// The other errors are those of Call; Unavailable also where a part was lost or
// the answer fell silent.
func CallStream[Req, Part any](ctx context.Context, nc *nats.Conn, subject string, req Req, each func(Part) error) error {
	js, err := json.Marshal(req)
	if err != nil {
		return document.Errorf(document.InvalidRequest, "encode the request to %s: %w", subject, err)
	}
	if err := refusedHere(nc, subject); err != nil {
		return err
	}
	m := newAsk(ctx, subject, js)
	m.Reply = nc.NewInbox()
	sub, err := nc.SubscribeSync(m.Reply)
	if err != nil {
		return document.Errorf(document.Unavailable, "ask %s: %w", subject, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	// A caller that is slow to print must not lose a part.
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return document.Errorf(document.Unavailable, "ask %s: %w", subject, err)
	}
	if err := nc.PublishMsg(m); err != nil {
		return document.Errorf(document.Unavailable, "ask %s: %w", subject, err)
	}
	for n := 1; ; n++ {
		part, err := nextPart(ctx, sub, subject)
		if err == nil {
			err = checkPart(part, subject, n)
		}
		if refused := refusedThere(nc, subject); err != nil && refused != nil {
			return refused
		}
		if err != nil {
			leave(nc, m)
			return err
		}
		if part.Header.Get(headerEnd) != "" {
			return nil
		}
		if len(part.Data) == 0 {
			continue
		}
		var p Part
		if err = json.Unmarshal(part.Data, &p); err != nil {
			err = document.Errorf(document.Internal, "decode the reply of %s: %w", subject, err)
		} else {
			err = each(p)
		}
		if err != nil {
			leave(nc, m)
			return err
		}
	}
}

func nextPart(ctx context.Context, sub *nats.Subscription, subject string) (*nats.Msg, error) {
	wait, cancel := context.WithTimeout(ctx, streamSilence)
	defer cancel()
	m, err := sub.NextMsgWithContext(wait)
	switch {
	case err == nil:
		return m, nil
	case ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, ctx.Err()
	case ctx.Err() != nil:
		return nil, document.Errorf(document.Deadline, "the answer on %s did not end in time: %w", subject, err)
	case wait.Err() != nil:
		return nil, document.Errorf(document.Unavailable, "the answer on %s fell silent: its service has ended, ask again", subject)
	}
	return nil, document.Errorf(document.Unavailable, "ask %s: %w", subject, err)
}

func checkPart(m *nats.Msg, subject string, n int) error {
	if m.Header.Get("Status") == "503" && len(m.Data) == 0 {
		return document.Errorf(document.Unavailable, "nobody answers on %s: is the service running?", subject)
	}
	if err := errorOf(m); err != nil {
		return err
	}
	if got := m.Header.Get(headerPart); got != strconv.Itoa(n) {
		return document.Errorf(document.Unavailable, "part %d of the answer on %s was lost: ask again", n, subject)
	}
	return nil
}
