package rpc

import (
	"time"

	"github.com/nats-io/nats.go/micro"
)

// Stats are what became of the requests of one endpoint since its
// service started. They stand as "data" in the answer to $SRV.STATS, whose own
// figures are of a request's way into the queue.
type Stats struct {
	Requests uint64 `json:"requests"` // that a handler ended, with an answer or an error
	Errors   uint64 `json:"errors"`   // answers that were an error, those without a handler included
	// LastError is the newest of them.
	LastError string `json:"last_error,omitempty"`
	// Processing is the handlers' time in all, in nanoseconds, and Average that
	// of one.
	Processing time.Duration `json:"processing_time"`
	Average    time.Duration `json:"average_processing_time"`
	Waiting    int           `json:"waiting"` // in the queue now
}

// handled counts what a handler has ended.
func (l *line) handled(took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took += (took - l.took) / 8
	l.stats.Requests++
	l.stats.Processing += took
}

// failed counts an answer that is an error.
func (l *line) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stats.Errors++
	l.stats.LastError = err.Error()
}

func (l *line) snapshot() Stats {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.stats
	out.Waiting = l.waiting.len
	if out.Requests > 0 {
		out.Average = out.Processing / time.Duration(out.Requests)
	}
	return out
}

// stats answers $SRV.STATS for one endpoint.
func (s *service) stats(e *micro.Endpoint) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lines {
		if l.o.Name == e.Name {
			return l.snapshot()
		}
	}
	return Stats{}
}
