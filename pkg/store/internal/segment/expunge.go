package segment

import (
	"context"
	"slices"
)

// Expunge writes the files anew without the rows that were deleted, and
// returns how many those were. Else a deleted row stays in its segment until
// enough others of it are deleted, too.
func (s *Set[E, P]) Expunge(ctx context.Context) (rows int, err error) {
	if err := s.Refresh(ctx); err != nil {
		return 0, err
	}
	for {
		n, err := s.expungeOne(ctx)
		if err != nil {
			return rows, err
		}
		if n == 0 {
			break
		}
		rows += n
	}
	return rows, s.save()
}

// expungeOne writes one part anew, and returns how many rows that leaves out; 0
// where no part has any.
func (s *Set[E, P]) expungeOne(ctx context.Context) (rows int, err error) {
	s.merging.Lock()
	defer s.merging.Unlock()
	s.mu.Lock()
	if err := s.open(ctx); err != nil {
		s.mu.Unlock()
		return 0, err
	}
	i := slices.IndexFunc(s.parts, func(p *Part[P]) bool { return p.Dead.Count() > 0 })
	if i < 0 {
		s.mu.Unlock()
		return 0, nil
	}
	part := s.parts[i]
	if part.Rows.Len() < smallRows { // mergeSmall waits for s.mu alone
		defer s.mu.Unlock()
		return part.Dead.Count(), s.rewrite(ctx, part)
	}
	s.mu.Unlock()
	merged, err := s.merge(ctx, []*Part[P]{part})
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renew(part, merged)
	return part.Dead.Count(), nil
}

// rewrite is the merge of a part that is small; s.mu is held.
func (s *Set[E, P]) rewrite(ctx context.Context, part *Part[P]) error {
	merged, err := s.merge(ctx, []*Part[P]{part})
	if err == nil {
		s.renew(part, merged)
	}
	return err
}

// renew puts a part in the place of the one that it was made of; s.mu is held.
func (s *Set[E, P]) renew(part *Part[P], merged *Segment[P]) {
	s.replace([]*Part[P]{part}, merged)
	s.changes++ // of the files, for the next snapshot
	if !s.hidden && s.closed == nil {
		s.publish()
	}
}
