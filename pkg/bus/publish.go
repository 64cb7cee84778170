package bus

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
)

const (
	// compressAbove is the body size in bytes from which compression pays.
	compressAbove = 1 << 10
	// claimAbove is the size after compression from which a body goes into
	// the object store.
	claimAbove = 512 << 10
	// maxBody bounds what one body may decompress to.
	maxBody = 256 << 20
)

// Out is a message to publish. Body and Header become the Bus's.
type Out struct {
	Subject string
	Header  nats.Header
	Body    []byte
	// Expect is the subject's last sequence, 0 where it has none. The publish
	// fails with ErrConflict when it is another.
	Expect uint64
	// Raw bodies are not compressed.
	Raw bool
}

// Ack is the outcome of one publish.
type Ack struct {
	Seq uint64
	Err error
}

// Publish writes messages with compare-and-swap, all outstanding at once, and
// waits for every PubAck. A large body is put into the object store before
// the message that names it. The acks are in the order of outs. Trouble of the
// log is StoreWide; the outcome of such a publish is unknown.
func (b *Bus) Publish(ctx context.Context, outs ...Out) []Ack {
	acks := make([]Ack, len(outs))
	if err := b.Room().For(sizeOf(outs)); err != nil {
		for i := range acks {
			acks[i].Err = StoreWide(err)
		}
		return acks
	}
	futures := make([]jetstream.PubAckFuture, len(outs))
	claims := make([]*claim, len(outs))
	for i := range outs {
		stall(outs[i].Subject, outs[i].Expect)
		msg, c, err := b.bodies.message(ctx, &outs[i])
		claims[i] = c
		if err == nil {
			if futures[i], err = b.js.PublishMsgAsync(msg); err != nil {
				err = publishError(outs[i].Subject, err)
			}
		}
		acks[i].Err = err
	}
	ask := time.NewTicker(askRoom)
	defer ask.Stop()
	for i, f := range futures {
		if f != nil {
			acks[i] = awaitAck(ctx, b.Room(), outs[i].Subject, f, ask.C)
		}
		if claims[i] != nil {
			acks[i] = b.bodies.settle(ctx, claims[i], acks[i])
		}
	}
	return acks
}

// awaitAck waits for one PubAck, and looks at every tick of ask whether one will
// come.
func awaitAck(ctx context.Context, room *Room, subject string, f jetstream.PubAckFuture, ask <-chan time.Time) Ack {
	for {
		select {
		case a := <-f.Ok():
			room.note(nil)
			return Ack{Seq: a.Sequence}
		case err := <-f.Err():
			room.note(err)
			return Ack{Err: publishError(subject, err)}
		case <-ctx.Done():
			return Ack{Err: fmt.Errorf("publish %s: %w", subject, ctx.Err())}
		case <-ask:
			if err := room.For(0); err != nil {
				return Ack{Err: StoreWide(err)}
			}
		}
	}
}

// sizeOf is about what messages take in the log.
func sizeOf(outs []Out) (bytes int64) {
	for i := range outs {
		bytes += int64(len(outs[i].Body)) + headerBytes
	}
	return bytes
}

// headerBytes is about what the headers and the subject of a message take.
const headerBytes = 512

// publishError is StoreWide unless the log has said that it is the message's
// fault: not every error of the client can be told by its type.
func publishError(subject string, err error) error {
	var api *jetstream.APIError
	answered := errors.As(err, &api)
	if answered {
		switch api.ErrorCode {
		case jetstream.JSErrCodeStreamWrongLastSequence, errCodeWrongLastSequenceConstant:
			return ErrConflict
		}
	}
	if answered && isFull(err) {
		return StoreWide(fullError(err))
	}
	err = fmt.Errorf("publish %s: %w", subject, err)
	if errors.Is(err, nats.ErrMaxPayload) || answered && !transient(err) {
		return err
	}
	return StoreWide(err)
}

// errCodeWrongLastSequenceConstant is what a server answers while an earlier
// publish on the subject is still being replicated.
const errCodeWrongLastSequenceConstant jetstream.ErrorCode = 10164

// message makes the message of an out, and puts its body where it belongs; the
// claim is nil where that is the message.
func (b *bodies) message(ctx context.Context, o *Out) (_ *nats.Msg, c *claim, err error) {
	h := o.Header
	if h == nil {
		h = nats.Header{}
	}
	body := o.Body
	if !o.Raw && len(body) > compressAbove {
		if packed := b.bus.enc.EncodeAll(body, make([]byte, 0, len(body)/2)); len(packed) < len(body)*15/16 {
			body = packed
			h[contract.HeaderEncoding] = []string{"zstd"}
		}
	}
	if len(body) > claimAbove {
		if c, err = b.add(ctx, o.Subject, o.Expect, body); err != nil {
			return nil, nil, err
		}
		h[contract.HeaderClaim] = []string{c.Name}
		body = nil
	}
	if !skipExpect {
		h[jetstream.ExpectedLastSubjSeqHeader] = []string{strconv.FormatUint(o.Expect, 10)}
	}
	return &nats.Msg{Subject: o.Subject, Header: h, Data: body}, c, nil
}
