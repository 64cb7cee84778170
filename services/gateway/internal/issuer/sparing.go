package issuer

import (
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// errSpared is why the issuer was not asked: it was a moment ago.
var errSpared = errors.New("it was asked a moment ago")

// sparing asks each address once in a while.
type sparing struct {
	now func() time.Time

	mu   sync.Mutex
	last map[string]asked
}

// asked is the last time that an address was asked.
type asked struct {
	at  time.Time
	err error // what came of it
}

// RoundTrip sends a request. Too soon after another it returns what came of that, or
// errSpared where it was answered.
func (s *sparing) RoundTrip(r *http.Request) (*http.Response, error) {
	of, now := r.URL.String(), s.now()
	s.mu.Lock()
	last, known := s.last[of]
	if known && now.Sub(last.at) < again {
		s.mu.Unlock()
		if last.err != nil {
			return nil, last.err
		}
		return nil, errSpared
	}
	s.last[of] = asked{at: now}
	s.mu.Unlock()
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && res.StatusCode != http.StatusOK {
		_ = res.Body.Close() // nobody reads it
		res, err = nil, fmt.Errorf("it answers %s", res.Status)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last[of] = asked{now, err}
	return res, err
}
