package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

const (
	// pullBytes is what the server may have on its way to a worker; the largest
	// message is far below it.
	pullBytes = 16 << 20
	// pullExpires is when a request ends that got nothing.
	pullExpires = 30 * time.Second
	// pullHeartbeat is how often the server shows that it has a pull request, and
	// pullPatience how long it may show nothing before the request is made again:
	// a connection or a leader may have taken it along.
	pullHeartbeat = 500 * time.Millisecond
	pullPatience  = 2 * time.Second
)

// errSilent says that nothing shows that the consumer is still there.
var errSilent = errors.New("the consumer gives no sign of life")

// puller asks a durable consumer for messages. It never asks for more than
// whoever takes them has room for: the client's own iterator drops what comes
// while its channel is full, be it of the server's heartbeats, and what was
// dropped comes again only when its lease has ended.
type puller struct {
	sub     *nats.Subscription
	nc      *nats.Conn
	subject string
	asked   int // of these messages none has come yet
}

// newPuller opens a puller on a durable consumer of a stream. The caller stops it.
func newPuller(nc *nats.Conn, stream, durable string) (*puller, error) {
	sub, err := nc.SubscribeSync(nc.NewInbox())
	if err != nil {
		return nil, fmt.Errorf("consume %s: %w", durable, err)
	}
	// What it may hold is bounded by what is asked for.
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		_ = sub.Unsubscribe()
		return nil, fmt.Errorf("consume %s: %w", durable, err)
	}
	return &puller{sub: sub, nc: nc, subject: "$JS.API.CONSUMER.MSG.NEXT." + stream + "." + durable}, nil
}

// ask asks for n messages where none is on its way.
func (p *puller) ask(n int) error {
	if p.asked > 0 {
		return nil
	}
	body, err := json.Marshal(struct {
		Batch     int           `json:"batch"`
		MaxBytes  int           `json:"max_bytes"`
		Expires   time.Duration `json:"expires"`
		Heartbeat time.Duration `json:"idle_heartbeat"`
	}{n, pullBytes, pullExpires, pullHeartbeat})
	if err != nil {
		return fmt.Errorf("encode a pull: %w", err)
	}
	if err := p.nc.PublishRequest(p.subject, p.sub.Subject, body); err != nil {
		return fmt.Errorf("pull: %w", err)
	}
	p.asked = n
	return nil
}

// next returns a message that has come, or nil: then, where asked is 0, it is
// time to ask again. errSilent is one more reason to do that.
func (p *puller) next(ctx context.Context) (*nats.Msg, error) {
	wait, cancel := context.WithTimeout(ctx, pullPatience)
	defer cancel()
	m, err := p.sub.NextMsgWithContext(wait)
	switch {
	case ctx.Err() != nil && m == nil:
		return nil, nil
	case errors.Is(err, context.DeadlineExceeded):
		p.asked = 0
		return nil, errSilent
	case errors.Is(err, nats.ErrNoResponders):
		pause(ctx, probeFirst) // the consumer was deleted, or nobody leads it just now
		p.asked = 0
		return nil, errSilent
	case errors.Is(err, nats.ErrSlowConsumer):
		// Somebody may have filled the inbox. What was dropped comes again when
		// its lease has ended.
		p.asked = 0
		return nil, errSilent
	case err != nil:
		return nil, fmt.Errorf("wait for messages: %w", err)
	}
	status := m.Header.Get("Status")
	if len(m.Data) > 0 || status == "" {
		p.asked = max(p.asked-1, 0)
		return m, nil
	}
	return nil, p.heed(ctx, status, m.Header.Get("Description"))
}

// heed does what a message of the server asks for.
func (p *puller) heed(ctx context.Context, status, description string) error {
	description = strings.ToLower(description)
	switch {
	case status == "100":
		return nil
	case status == "400":
		return fmt.Errorf("%w: %s", jetstream.ErrBadRequest, description)
	case status == "409" && strings.Contains(description, "consumer deleted"):
		return jetstream.ErrConsumerDeleted
	case status == "408", strings.Contains(description, "maxbytes"), strings.Contains(description, "batch completed"):
		p.asked = 0 // the request has ended as it should
		return nil
	}
	// Nobody leads the consumer just now, it is gone, or the server is about to
	// stop.
	pause(ctx, probeFirst)
	p.asked = 0
	return errSilent
}

// rest stops asking and calls each for what is still on its way, so that it can
// be given back at once instead of when its lease ends.
func (p *puller) rest(each func(*nats.Msg)) {
	if err := p.sub.Drain(); err != nil {
		return // the connection has ended
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainGrace)
	defer cancel()
	for {
		m, err := p.sub.NextMsgWithContext(ctx)
		if err != nil {
			return
		}
		if len(m.Data) > 0 || m.Header.Get("Status") == "" {
			each(m)
		}
	}
}
