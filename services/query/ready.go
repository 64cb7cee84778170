package query

import "context"

// Ready waits until the service takes requests and knows everything that was in the log
// when it started. A store that is down is no reason against it: the other one answers.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.Answering(ctx); err != nil {
		return err
	}
	e, done := s.turn()
	defer done()
	if err := e.index.Ready(ctx); err != nil {
		return err
	}
	if err := e.keeping.reach(ctx, 0); err != nil {
		return err
	}
	return e.learned.reach(ctx, 0)
}
