package segment

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// mergeFan segments of one tier become one of the next: each row is
	// written log8(rows) times, and a store of a million rows has about
	// twenty segments.
	mergeFan = 8
	// smallRows bounds the segments that Refresh merges itself; larger ones
	// are left to the set's goroutine.
	smallRows = 64
	// A segment is written anew when one row in deadShare is deleted, and, the
	// worst first, those of a store of which one row in deadShareOfAll is: each
	// deletion then costs the writing of four rows at most. Else a store whose
	// rows are replaced evenly would stay half as large again as it need be.
	deadShare      = 3
	deadShareOfAll = 5
	// maxBlob keeps offsets within 32 bits: larger segments are not merged
	// any further.
	maxBlob = 256 << 20
)

// tier is the order of magnitude of a number of rows.
func tier(rows int) int {
	t := 0
	for rows >= mergeFan {
		rows /= mergeFan
		t++
	}
	return t
}

// pickTier returns the parts of the fullest tier that has at least fan of
// those that match.
func (s *Set[E, P]) pickTier(fan int, match func(*Part[P]) bool) []*Part[P] {
	tiers := make(map[int][]*Part[P])
	best := -1
	for _, p := range s.parts {
		if !match(p) {
			continue
		}
		t := tier(p.Live())
		tiers[t] = append(tiers[t], p)
		if len(tiers[t]) >= fan && (best < 0 || len(tiers[t]) > len(tiers[best])) {
			best = t
		}
	}
	return tiers[best]
}

// mergeSmall merges small parts tier by tier. Its cost is bound by
// fan × smallRows rows, and it happens once in many small batches.
func (s *Set[E, P]) mergeSmall(fan int) error {
	for {
		pick := s.pickTier(fan, func(p *Part[P]) bool { return p.Rows.Len() < smallRows })
		if len(pick) < 2 {
			return nil
		}
		merged, err := s.merge(context.Background(), pick) // too short to be stopped
		if err != nil {
			return err
		}
		s.replace(pick, merged)
	}
}

// mergeLarge merges the parts that are due among those that mergeSmall
// leaves, and reports whether there were any. Searches and writes go on
// meanwhile.
func (s *Set[E, P]) mergeLarge() (bool, error) {
	s.merging.Lock()
	defer s.merging.Unlock()
	s.mu.Lock()
	pick := s.due()
	s.mu.Unlock()
	if len(pick) == 0 {
		return false, nil
	}
	merged, err := s.merge(s.life, pick)
	if err != nil {
		return false, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(pick, merged)
	if slices.ContainsFunc(pick, func(p *Part[P]) bool { return p.Dead.Count() > 0 }) {
		s.changes++ // of the files: the next snapshot gives the room back
	}
	if !s.hidden && s.closed == nil {
		s.publish()
	}
	return true, nil
}

// due picks what mergeLarge should merge next; s.mu is held. mergeSmall never
// touches these parts, so that they are still there afterwards.
func (s *Set[E, P]) due() []*Part[P] {
	var worst *Part[P]
	rows, dead := 0, 0
	for _, p := range s.parts {
		rows, dead = rows+p.Rows.Len(), dead+p.Dead.Count()
		if p.Rows.Len() < smallRows || p.Dead.Count() == 0 {
			continue
		}
		if p.Dead.Count()*deadShare > p.Rows.Len() {
			return []*Part[P]{p}
		}
		if worst == nil || p.Dead.Count() > worst.Dead.Count() {
			worst = p
		}
	}
	if worst != nil && dead*deadShareOfAll > rows {
		return []*Part[P]{worst}
	}
	return s.pickTier(mergeFan, func(p *Part[P]) bool {
		return p.Rows.Len() >= smallRows && len(p.blob) < maxBlob
	})
}

// merge writes the live rows of parts into one segment; nil when there are
// none.
func (s *Set[E, P]) merge(ctx context.Context, parts []*Part[P]) (*Segment[P], error) {
	rows := newRowBuilder()
	sources := make([]Source[P], len(parts))
	for i, p := range parts {
		sources[i] = Source[P]{Payload: p.Payload, Remap: rows.addLive(p.Rows, p.Dead)}
	}
	if rows.len() == 0 {
		return nil, nil
	}
	payload, err := s.layout.Merge(ctx, sources, rows.len())
	if err != nil {
		return nil, err
	}
	seg, err := s.layout.loadSegment(joinSections(append(rows.sections(), payload...)))
	if err != nil {
		return nil, document.Errorf(document.Internal, "merge segments of the store in %s: %w", s.dir, err)
	}
	return seg, nil
}

// replace puts merged in the place of the parts that it was made of, and
// deletes from it what was deleted from them meanwhile; s.mu is held.
func (s *Set[E, P]) replace(old []*Part[P], merged *Segment[P]) {
	var late []uint32
	s.parts = slices.DeleteFunc(s.parts, func(now *Part[P]) bool {
		i := slices.IndexFunc(old, func(p *Part[P]) bool { return p.Segment == now.Segment })
		if i < 0 {
			return false
		}
		for row := range now.Dead.All() {
			if !old[i].Dead.Has(row) {
				if fresh, ok := merged.Rows.Find(now.Rows.ID(row)); ok {
					late = append(late, fresh)
				}
			}
		}
		return true
	})
	if merged != nil {
		s.parts = append(s.parts, s.layout.without(s.layout.part(merged, nil), late))
	}
}
