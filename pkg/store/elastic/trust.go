package elastic

import (
	"context"
	"sync/atomic"
)

// trust remembers whether server and index were found right since the last
// trouble.
type trust struct {
	doubts atomic.Uint64 // grows with every trouble
	sure   atomic.Uint64 // the doubts that the last good check knew of, plus one
	turn   turn          // so that many callers check once
}

func (t *trust) doubt()           { t.doubts.Add(1) }
func (t *trust) holds() bool      { return t.sure.Load() == t.doubts.Load()+1 }
func (t *trust) since() uint64    { return t.doubts.Load() }
func (t *trust) confirm(n uint64) { t.sure.Store(n + 1) }

// ready checks server and index unless that was done since the last trouble.
func (s *Store) ready(ctx context.Context) error {
	if s.trust.holds() && !s.closed.Load() {
		return nil
	}
	unlock, err := s.trust.turn.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if s.trust.holds() && !s.closed.Load() {
		return nil
	}
	found, err := s.check(ctx)
	if err == nil && !found {
		err = s.absent()
	}
	return err
}
