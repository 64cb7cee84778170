package query

import (
	"sync/atomic"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// ending is what every answer ends with.
type ending struct {
	degraded *[]string
	actions  *[]document.Action
	tookMS   *float64
}

// framed has the engine whose turn it is answer, and gives the answer its ending.
// No answer about documents is given in another way. kind counts what is asked, and
// with it what fails; nil: its caller counts. Errors are *document.Error.
func framed[Rep any](s *Service, kind *atomic.Uint64, answer func(*engine) (*question, Rep, error), end func(*Rep) ending) (Rep, error) {
	e, done := s.turn()
	defer done()
	if kind != nil {
		kind.Add(1)
	}
	q, reply, err := answer(e)
	if err != nil {
		if kind != nil {
			s.counters.errors.Add(1)
		}
		var none Rep
		return none, typed(err)
	}
	if len(q.degraded) > 0 {
		s.counters.degraded.Add(1)
	}
	last := end(&reply)
	*last.degraded, *last.actions, *last.tookMS = q.degraded, q.actions, milliseconds(time.Since(q.arrived))
	return reply, nil
}
