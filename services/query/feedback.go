package query

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// feedbackLimit bounds the requests about feedback at the same time, of each
// kind: none of them has much to do.
const feedbackLimit = 16

// serveFeedback answers for what people did with hits.
func serveFeedback(ctx context.Context, s *Service, svc micro.Service) error {
	return errors.Join(
		bounded(ctx, s, svc, endpoint{"feedback", contract.SubjectFeedback, feedbackLimit, rpc.Finished}, s.feedback.Keep),
		bounded(ctx, s, svc, endpoint{"feedback-list", contract.SubjectFeedbackList, feedbackLimit, rpc.Dropped}, s.feedback.List),
		bounded(ctx, s, svc, endpoint{"feedback-purge", contract.SubjectFeedbackPurge, feedbackLimit, rpc.Finished}, s.feedback.Purge),
	)
}
