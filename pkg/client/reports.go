package client

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Reports asks all processes of all services what each has to say of itself, and
// calls each with every report that comes. Nobody knows how many there are: it ends
// after most, or where each says that it has what it wants but for what comes within
// a moment, and then nothing more does. The error is ctx's, or that of the connection.
func Reports(ctx context.Context, nc *nats.Conn, most time.Duration, each func(contract.Report) (within time.Duration, enough bool)) error {
	inbox := nc.NewRespInbox()
	answers := make(chan *nats.Msg, 256)
	sub, err := nc.ChanSubscribe(inbox, answers)
	if err != nil {
		return fmt.Errorf("subscribe for reports: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := nc.PublishRequest(contract.SubjectReport, inbox, nil); err != nil {
		return fmt.Errorf("ask for reports: %w", err)
	}
	over := time.NewTimer(most)
	defer over.Stop()
	var quiet <-chan time.Time
	for {
		select {
		case m := <-answers:
			var r contract.Report
			if err := json.Unmarshal(m.Data, &r); err != nil || r.Service == "" {
				continue // not a report, so nobody's
			}
			if within, enough := each(r); enough {
				quiet = time.After(within)
			}
		case <-quiet:
			return nil
		case <-over.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
