package query

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// deadLettersLimit bounds the requests for dead letters at the same time, of each
// kind: each looks at all of them.
const deadLettersLimit = 4

// serveDeadLetters answers for the dead letters.
func serveDeadLetters(ctx context.Context, s *Service, svc micro.Service) error {
	return errors.Join(
		bounded(ctx, s, svc, endpoint{"dlq-list", contract.SubjectDeadList, deadLettersLimit, rpc.Dropped}, s.configured.deadLetters.List),
		bounded(ctx, s, svc, endpoint{"dlq-show", contract.SubjectDeadShow, deadLettersLimit, rpc.Dropped}, s.configured.deadLetters.Show),
		bounded(ctx, s, svc, endpoint{"dlq-retry", contract.SubjectDeadRetry, deadLettersLimit, rpc.Finished}, s.configured.deadLetters.Retry),
		bounded(ctx, s, svc, endpoint{"dlq-drop", contract.SubjectDeadDrop, deadLettersLimit, rpc.Finished}, s.configured.deadLetters.Drop),
		bounded(ctx, s, svc, endpoint{"dlq-outcome", contract.SubjectDeadOutcome, deadLettersLimit, rpc.Dropped}, s.configured.deadLetters.Outcome),
	)
}

// endpoint is a subject on which requests are answered, so many at a time.
type endpoint struct {
	name, subject string
	limit         int
	left          rpc.Left
}

// bounded serves an endpoint whose requests name no deadline of their own.
func bounded[Req, Rep any](ctx context.Context, s *Service, svc micro.Service, e endpoint, answer func(context.Context, Req) (Rep, error)) error {
	o := rpc.Options{Name: e.name, Subject: e.subject, Limit: e.limit, Left: e.left}
	return rpc.Endpoint(ctx, svc, o, func(ctx context.Context, in Req) (Rep, error) {
		ctx, cancel := context.WithTimeout(ctx, s.cfg.MaxDeadline)
		defer cancel()
		out, err := answer(ctx, in)
		if err != nil {
			return out, typed(err)
		}
		return out, nil
	})
}
