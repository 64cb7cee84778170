package vulture

import "math/rand/v2"

const (
	// leaseShare is one question in how many that extends the reader's lease.
	leaseShare = 2
	// leasedHits and leasedLines are how many an answer gives at most that extends one,
	// so that a lease lasts for some answers.
	leasedHits, leasedLines = 50, 20
)

// leaseFor is the lease that the next question extends; nil for none.
func (r *reader) leaseFor() *lease {
	if r.v.cfg.Damaged || r.rng.IntN(leaseShare) > 0 {
		return nil // a log that loses parts loses leases, too
	}
	if r.lease == nil {
		r.lease = &lease{}
	}
	return r.lease
}

// extended takes note of what an answer says of the lease. Where none came, nobody
// knows what the lease holds: another one is opened, as it is for one that is full.
func (r *reader) extended(a *answer) {
	switch {
	case a.lease == nil:
	case a.news == nil || a.err != nil || a.news.Holds > leaseFull:
		r.lease = nil
	default:
		a.lease.id = a.news.Lease
	}
}

// door draws another way of asking what a question is about.
func (r *reader) door(q *question) door {
	at, within := q.about, q.allows(r.v.cfg.Deadline)
	if at.path == "" {
		at = r.v.world.some(r.rng)
	}
	view := r.v.viewOf(at)
	n := r.rng.IntN(9)
	switch {
	case at.path == "" || n == 0:
		if q.lease != nil && q.lease.id != "" {
			return checkOf(*q, r.rng.IntN(2) == 0, within)
		}
		q.lease = nil
		fallthrough
	case n == 1:
		return drawPacked(r.rng, *q, r.v.sources, within)
	case n == 8:
		q.at = at
		return drawRelating(r.rng, *q, at, view, r.v.world.last(at), r.v.sources, within)
	case n < 5:
		q.at = at
		return drawReading(r.rng, *q, at, view, len(linesOf(r.v.world.last(at))), within)
	}
	q.at, q.lease = at, nil // it gives no text
	return outlineOf(*q, at, view, n == 7, within)
}

// some returns a place that was written, at random; none where there is none.
func (w *world) some(rng *rand.Rand) (at spot) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := rng.IntN(max(len(w.files), 1))
	for at = range w.files {
		if n--; n < 0 {
			return at
		}
	}
	return at
}

// last is what was written last to a place.
func (w *world) last(at spot) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[at]
	if f == nil || len(f.states) == 0 {
		return nil
	}
	return f.states[len(f.states)-1].content
}
