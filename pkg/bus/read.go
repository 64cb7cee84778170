package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// multiLastMax keeps one multi_last request well below the server's limit of
// 1,024 results.
const multiLastMax = 256

// GetLast returns the last messages of subjects with their bodies, by one
// direct request; subjects without a message are absent. On a replicated
// stream a direct get may lag: use a body only if its sequence is the one
// that the head table has.
func (b *Bus) GetLast(ctx context.Context, stream string, subjects ...string) (map[string]*Msg, error) {
	out := make(map[string]*Msg, len(subjects))
	for len(subjects) > 0 {
		n := min(len(subjects), multiLastMax)
		if err := multiLast(ctx, b, stream, subjects[:n], out); err != nil {
			return nil, err
		}
		subjects = subjects[n:]
	}
	return out, nil
}

func multiLast(ctx context.Context, b *Bus, stream string, subjects []string, out map[string]*Msg) error {
	req, err := json.Marshal(struct {
		MultiLast []string `json:"multi_last"`
	}{subjects})
	if err != nil {
		return fmt.Errorf("encode multi_last: %w", err)
	}
	inbox := b.nc.NewRespInbox()
	ch := make(chan *nats.Msg, len(subjects)+1)
	sub, err := b.nc.ChanSubscribe(inbox, ch)
	if err != nil {
		return fmt.Errorf("subscribe for %s: %w", stream, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := b.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, req); err != nil {
		return fmt.Errorf("read heads of %s: %w", stream, err)
	}
	got := 0
	for {
		var m *nats.Msg
		select {
		case m = <-ch:
		case <-ctx.Done():
			return fmt.Errorf("read heads of %s: %w", stream, ctx.Err())
		}
		switch m.Header.Get("Status") {
		case "":
			msg, err := fromDirect(b, m)
			if err != nil {
				return err
			}
			out[msg.Subject] = msg
			got++
		case "204": // end of batch; the server may have stopped at its byte limit
			if pending, _ := strconv.Atoi(m.Header.Get("Nats-Num-Pending")); pending > 0 && got > 0 {
				rest := make([]string, 0, len(subjects))
				for _, s := range subjects {
					if out[s] == nil {
						rest = append(rest, s)
					}
				}
				if len(rest) > 0 && len(rest) < len(subjects) {
					return multiLast(ctx, b, stream, rest, out)
				}
			}
			return nil
		case "404":
			return nil
		case "503":
			return fmt.Errorf("read heads of %s: %w", stream, nats.ErrNoResponders)
		default:
			return refusal("heads", stream, m)
		}
	}
}

// Get returns the message with a sequence, or ErrGone when it was replaced.
func (b *Bus) Get(ctx context.Context, stream string, seq uint64) (*Msg, error) {
	req := []byte(`{"seq":` + strconv.FormatUint(seq, 10) + `}`)
	m, err := b.nc.RequestWithContext(ctx, "$JS.API.DIRECT.GET."+stream, req)
	if err != nil {
		return nil, fmt.Errorf("read message %d of %s: %w", seq, stream, err)
	}
	switch m.Header.Get("Status") {
	case "":
		msg, err := fromDirect(b, m)
		if err == nil && msg.Seq != seq {
			return nil, ErrGone
		}
		return msg, err
	case "404":
		return nil, ErrGone
	default:
		return nil, refusal("message "+strconv.FormatUint(seq, 10), stream, m)
	}
}

// refusal is the error of a direct get that was not answered with a message.
func refusal(what, stream string, m *nats.Msg) error {
	code, _ := strconv.Atoi(m.Header.Get("Status"))
	return fmt.Errorf("read %s of %s: %w", what, stream, &jetstream.APIError{Code: code, Description: m.Header.Get("Description")})
}

func fromDirect(b *Bus, m *nats.Msg) (*Msg, error) {
	seq, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("direct get: broken sequence: %w", err)
	}
	at, _ := time.Parse(time.RFC3339Nano, m.Header.Get(jetstream.TimeStampHeaer))
	return &Msg{Subject: m.Header.Get(jetstream.SubjectHeader), Seq: seq, Header: m.Header, Time: at, bus: b, data: m.Data}, nil
}

// LastSeq returns the last sequence of a stream as its leader has it. Callers
// that arrive while a request is under way share the next one, so that the
// answer is never older than the call.
func (b *Bus) LastSeq(ctx context.Context, stream string) (uint64, error) {
	return b.last.get(ctx, b, stream)
}

type lastSeqs struct {
	mu    sync.Mutex
	calls map[string]*lastSeqCalls
}

type lastSeqCalls struct {
	running bool
	next    *lastSeqCall
}

type lastSeqCall struct {
	done chan struct{}
	seq  uint64
	err  error
}

func (l *lastSeqs) get(ctx context.Context, b *Bus, stream string) (uint64, error) {
	l.mu.Lock()
	if l.calls == nil {
		l.calls = map[string]*lastSeqCalls{}
	}
	c := l.calls[stream]
	if c == nil {
		c = &lastSeqCalls{}
		l.calls[stream] = c
	}
	if !c.running {
		// Nobody shares this request, so that it needs no goroutine.
		c.running = true
		l.mu.Unlock()
		defer l.follow(b, stream, c)
		return streamLast(ctx, b.nc, stream)
	}
	if c.next == nil {
		c.next = &lastSeqCall{done: make(chan struct{})}
	}
	call := c.next
	l.mu.Unlock()
	select {
	case <-call.done:
		return call.seq, call.err
	case <-ctx.Done():
		return 0, fmt.Errorf("ask for the last sequence of %s: %w", stream, ctx.Err())
	}
}

// follow serves those who came while the first one asked for itself.
func (l *lastSeqs) follow(b *Bus, stream string, c *lastSeqCalls) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.next == nil {
		c.running = false
		return
	}
	b.wg.Add(1)
	go l.run(b, stream, c)
}

// run serves calls until none waits. It is owned by the Bus.
func (l *lastSeqs) run(b *Bus, stream string, c *lastSeqCalls) {
	defer b.wg.Done()
	for {
		l.mu.Lock()
		call := c.next
		c.next = nil
		if call == nil {
			c.running = false
			l.mu.Unlock()
			return
		}
		l.mu.Unlock()
		call.seq, call.err = streamLast(b.ctx, b.nc, stream)
		close(call.done)
	}
}

// lastPatience is below apiPatience: others wait behind a request that was lost.
const lastPatience = apiPatience / 2

func streamLast(ctx context.Context, nc *nats.Conn, stream string) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, lastPatience)
	defer cancel()
	m, err := nc.RequestWithContext(ctx, "$JS.API.STREAM.INFO."+stream, nil)
	if err != nil {
		return 0, fmt.Errorf("ask for the last sequence of %s: %w", stream, err)
	}
	var info struct {
		State struct {
			LastSeq uint64 `json:"last_seq"`
		} `json:"state"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(m.Data, &info); err != nil {
		return 0, fmt.Errorf("ask for the last sequence of %s: %w", stream, err)
	}
	if info.Error != nil {
		if info.Error.ErrorCode == jetstream.JSErrCodeStreamNotFound {
			return 0, fmt.Errorf("stream %s: %w", stream, jetstream.ErrStreamNotFound)
		}
		return 0, fmt.Errorf("ask for the last sequence of %s: %w", stream, errors.New(info.Error.Description))
	}
	return info.State.LastSeq, nil
}
