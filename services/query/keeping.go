package query

import (
	"encoding/json"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// keeping is how answers are ordered and withheld: as it is configured, or as the log
// keeps it over that. It is safe for concurrent use.
type keeping struct {
	followed[keptState]
	configured config.Ranking
	weigh      func(config.Ranking) // is told weights that come into force
}

// keptState is what holds at one revision.
type keptState struct {
	weights       config.Ranking
	minConfidence float64
	kept          *contract.KeptRanking // nil: it is as configured
}

func newKeeping(configured config.Ranking, weigh func(config.Ranking)) *keeping {
	return &keeping{followed: newFollowed[keptState](), configured: configured, weigh: weigh}
}

// take reads what the log keeps now. What cannot be used leaves it as configured.
func (k *keeping) take(raw []byte, revision uint64) {
	next := &keptState{weights: k.configured}
	if len(raw) > 0 {
		next.kept = &contract.KeptRanking{}
		if err := next.use(raw); err != nil {
			next.kept.Trouble, next.kept.Actions = err.Error(), document.Acts(document.DoRankingRemove)
		}
	}
	k.weigh(next.weights)
	k.set(next, revision)
}

func (s *keptState) use(raw []byte) error {
	if err := json.Unmarshal(raw, s.kept); err != nil {
		return document.Errorf(document.InvalidRequest, "what is kept is not understood: %w", err)
	}
	if !(s.kept.MinConfidence >= 0 && s.kept.MinConfidence <= 1) {
		return document.Errorf(document.InvalidRequest, "min_confidence is %v: choose 0 to 1", s.kept.MinConfidence)
	}
	weights, err := s.weights.With(s.kept.Ranking)
	if err != nil {
		return err
	}
	s.weights, s.minConfidence = weights, s.kept.MinConfidence
	return nil
}

// holds is what holds now.
func (k *keeping) holds() keptState {
	if now := k.now(); now != nil {
		return *now
	}
	return keptState{weights: k.configured}
}
