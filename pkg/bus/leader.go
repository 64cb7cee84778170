package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// LeaderLast returns the last message of a subject as the stream's leader has
// it, nil where there is none. It is slower than GetLast, and never behind.
func (b *Bus) LeaderLast(ctx context.Context, stream, subject string) (*Msg, error) {
	req, err := json.Marshal(struct {
		Last string `json:"last_by_subj"`
	}{subject})
	if err != nil {
		return nil, fmt.Errorf("encode a request for the head of %s: %w", subject, err)
	}
	raw, err := b.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.GET."+stream, req)
	if err != nil {
		return nil, fmt.Errorf("read the head of %s: %w", subject, err)
	}
	var resp struct {
		Error   *jetstream.APIError `json:"error"`
		Message struct {
			Subject string    `json:"subject"`
			Seq     uint64    `json:"seq"`
			Header  []byte    `json:"hdrs"`
			Data    []byte    `json:"data"`
			Time    time.Time `json:"time"`
		} `json:"message"`
	}
	if err := json.Unmarshal(raw.Data, &resp); err != nil {
		return nil, fmt.Errorf("read the head of %s: %w", subject, err)
	}
	if resp.Error != nil && resp.Error.ErrorCode == jetstream.JSErrCodeMessageNotFound {
		return nil, nil
	}
	if resp.Error != nil {
		return nil, fmt.Errorf("read the head of %s: %w", subject, resp.Error)
	}
	m := &Msg{Subject: resp.Message.Subject, Seq: resp.Message.Seq, Time: resp.Message.Time, Header: nats.Header{}, bus: b, data: resp.Message.Data}
	if len(resp.Message.Header) > 0 {
		if m.Header, err = nats.DecodeHeadersMsg(resp.Message.Header); err != nil {
			return nil, fmt.Errorf("read the headers of %s: %w", subject, err)
		}
	}
	return m, nil
}
