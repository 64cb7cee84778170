package indexer

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Erase has the files of the stores written anew without what was removed, as
// far as they are freshet's own. A server does that when it likes.
func (s *Service) Erase(ctx context.Context) (contract.EraseReply, error) {
	s.former.using.RLock()
	defer s.former.using.RUnlock()
	var total contract.EraseReply
	for _, side := range s.open() {
		r, err := side.erase(ctx)
		total.Items += r.Items
		total.Left = append(total.Left, r.Left...)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (s *holder) erase(ctx context.Context) (contract.EraseReply, error) {
	own, ok := s.store.(store.Expunger)
	if !ok {
		return contract.EraseReply{Left: []string{contract.StoreKey(s.generation, s.sink)}}, nil
	}
	n, err := own.Expunge(ctx)
	if err != nil {
		return contract.EraseReply{}, fmt.Errorf("write the %s store of %s anew: %w", s.sink, s.generation, err)
	}
	return contract.EraseReply{Items: n}, nil
}
