package rpc

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go/micro"
)

const (
	// drainEvery is the time between looks whether somebody still waits for an answer.
	drainEvery = 20 * time.Millisecond
	// drainQuiet is how many looks in a row have to find nobody: what has come last is
	// on its way to its handler.
	drainQuiet = 5
	// drainLimit bounds the wait for the last answer, which may be one that goes on.
	drainLimit = time.Minute
)

// Drainer has a service take no more requests, and answer those that it has, before it
// is ended. Others answer what comes. It is safe for concurrent use.
type Drainer struct {
	mu     sync.Mutex
	svc    *service
	answer chan struct{} // closed when svc has its endpoints; made by who needs it first
}

// Drains says which service it is, from NewService, once it has all its endpoints.
func (d *Drainer) Drains(svc micro.Service) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.svc, _ = svc.(*service); d.svc != nil {
		close(d.answers())
	}
}

// answers is the channel. mu is held.
func (d *Drainer) answers() chan struct{} {
	if d.answer == nil {
		d.answer = make(chan struct{})
	}
	return d.answer
}

// Answering waits until the server knows that the service takes requests: before,
// whoever answers them must not be drained.
func (d *Drainer) Answering(ctx context.Context) error {
	d.mu.Lock()
	answers := d.answers()
	d.mu.Unlock()
	select {
	case <-answers:
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	if err := d.svc.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("take requests: %w", err)
	}
	return nil
}

// Drain returns when every request is answered that has come until nobody sent any more
// here. Where there is no service it returns at once.
func (d *Drainer) Drain(ctx context.Context) error {
	d.mu.Lock()
	s := d.svc
	d.mu.Unlock()
	if s == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, drainLimit)
	defer cancel()
	if err := s.Service.Stop(); err != nil {
		return fmt.Errorf("take no more requests: %w", err)
	}
	if err := s.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("take no more requests: %w", err)
	}
	for quiet := 0; quiet < drainQuiet; {
		if quiet++; s.busy() {
			quiet = 0
		}
		select {
		case <-time.After(drainEvery):
		case <-ctx.Done():
			return nil // who is left is told to ask again
		}
	}
	return nil
}

// busy reports whether a request is handled, or waits for its turn.
func (s *service) busy() bool {
	s.mu.Lock()
	lines := s.lines
	s.mu.Unlock()
	for _, l := range lines {
		l.mu.Lock()
		busy := l.running > 0 || l.waiting.len > 0
		l.mu.Unlock()
		if busy {
			return true
		}
	}
	return false
}
