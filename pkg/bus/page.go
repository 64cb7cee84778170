package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// readPage returns messages of a stream from a sequence on, in order and with their
// bodies, by one direct request: at most n, fewer once they have so many bytes
// together. more tells that others follow. As every direct get it may lag on a
// replicated stream.
func readPage(ctx context.Context, b *Bus, stream string, from uint64, n, bytes int) (out []*Msg, more bool, err error) {
	req, err := json.Marshal(struct {
		Seq   uint64 `json:"seq"`
		Batch int    `json:"batch"`
		Bytes int    `json:"max_bytes"`
		Next  string `json:"next_by_subj"`
	}{from, n, bytes, ">"})
	if err != nil {
		return nil, false, fmt.Errorf("encode a request for messages of %s: %w", stream, err)
	}
	inbox := b.nc.NewRespInbox()
	answers := make(chan *nats.Msg, n+1)
	sub, err := b.nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return nil, false, fmt.Errorf("subscribe for %s: %w", stream, err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := b.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, req); err != nil {
		return nil, false, fmt.Errorf("read messages of %s: %w", stream, err)
	}
	for {
		var m *nats.Msg
		select {
		case m = <-answers:
		case <-ctx.Done():
			return nil, false, fmt.Errorf("read messages of %s: %w", stream, ctx.Err())
		}
		switch m.Header.Get("Status") {
		case "":
			msg, err := fromDirect(b, m)
			if err != nil {
				return nil, false, err
			}
			out = append(out, msg)
		case "204": // the end of the batch
			pending, _ := strconv.Atoi(m.Header.Get("Nats-Num-Pending"))
			return out, pending > 0, nil
		case "404": // nothing to begin with
			return nil, false, nil
		case "503":
			return nil, false, fmt.Errorf("read messages of %s: %w", stream, nats.ErrNoResponders)
		default:
			return nil, false, refusal("messages", stream, m)
		}
	}
}
