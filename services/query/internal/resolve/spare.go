package resolve

import (
	"context"
	"time"
)

// spare is the time that a question has for more than the best candidates: those of
// which none may be left out, however long they take.
type spare struct {
	least int       // that many
	until time.Time // zero: without end
}

// spareTime returns what ctx has left but for what comes behind resolution.
func spareTime(ctx context.Context, least int) spare {
	s := spare{least: least}
	if end, ok := ctx.Deadline(); ok {
		s.until = end.Add(-min(time.Until(end)/4, lateReserve))
	}
	return s
}

func (s *spare) isOver() bool { return !s.until.IsZero() && time.Now().After(s.until) }
