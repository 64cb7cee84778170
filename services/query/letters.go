package query

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// lettersLimit bounds the requests for dead letters at the same time, of each
// kind: each looks at all of them.
const lettersLimit = 4

// serveLetters answers for the dead letters.
func serveLetters(ctx context.Context, s *Service, svc micro.Service) error {
	return errors.Join(
		bounded(ctx, s, svc, endpoint{"dlq-list", contract.SubjectDeadList, lettersLimit, rpc.Dropped}, s.configured.letters.List),
		bounded(ctx, s, svc, endpoint{"dlq-show", contract.SubjectDeadShow, lettersLimit, rpc.Dropped}, s.configured.letters.Show),
		bounded(ctx, s, svc, endpoint{"dlq-retry", contract.SubjectDeadRetry, lettersLimit, rpc.Finished}, s.configured.letters.Retry),
		bounded(ctx, s, svc, endpoint{"dlq-drop", contract.SubjectDeadDrop, lettersLimit, rpc.Finished}, s.configured.letters.Drop),
		bounded(ctx, s, svc, endpoint{"dlq-outcome", contract.SubjectDeadOutcome, lettersLimit, rpc.Dropped}, s.configured.letters.Outcome),
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
