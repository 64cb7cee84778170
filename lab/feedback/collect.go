package feedback

import (
	"context"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// Collect asks a running instance for all events, the oldest first.
func Collect(ctx context.Context, nc *nats.Conn) ([]contract.FeedbackEvent, error) {
	var events []contract.FeedbackEvent
	for after := uint64(0); ; {
		rep, err := client.ListFeedback.Ask(ctx, nc, contract.FeedbackListRequest{After: after})
		if err != nil {
			return nil, err
		}
		events = append(events, rep.Events...)
		if rep.Next == 0 {
			return events, nil
		}
		after = rep.Next
	}
}
