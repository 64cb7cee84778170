package query

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// lettersLimit bounds the requests for dead letters at the same time, of each
// kind: each looks at all of them.
const lettersLimit = 4

// serveLetters answers for the dead letters.
func (s *Service) serveLetters(ctx context.Context, svc micro.Service) error {
	return errors.Join(
		letterEndpoint(ctx, s, svc, "dlq-list", contract.SubjectDeadList, s.letters.List),
		letterEndpoint(ctx, s, svc, "dlq-show", contract.SubjectDeadShow, s.letters.Show),
		letterEndpoint(ctx, s, svc, "dlq-retry", contract.SubjectDeadRetry, s.letters.Retry),
		letterEndpoint(ctx, s, svc, "dlq-drop", contract.SubjectDeadDrop, s.letters.Drop),
		letterEndpoint(ctx, s, svc, "dlq-outcome", contract.SubjectDeadOutcome, s.letters.Outcome),
	)
}

func letterEndpoint[Req, Rep any](ctx context.Context, s *Service, svc micro.Service, name, subject string, answer func(context.Context, Req) (Rep, error)) error {
	return bus.Endpoint(ctx, svc, bus.EndpointOptions{Name: name, Subject: subject, Limit: lettersLimit}, func(ctx context.Context, in Req) (Rep, error) {
		ctx, cancel := context.WithTimeout(ctx, s.cfg.MaxDeadline)
		defer cancel()
		out, err := answer(ctx, in)
		if err != nil {
			return out, typed(err)
		}
		return out, nil
	})
}
