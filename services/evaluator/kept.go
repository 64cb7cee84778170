package evaluator

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func isEvaluation(key string) bool { return strings.HasPrefix(key, contract.EvaluationKey("")) }

func (s *Service) listEvaluations(ctx context.Context, in contract.EvaluationListRequest) (contract.EvaluationList, error) {
	out := contract.EvaluationList{Evaluations: []contract.Evaluation{}}
	all, err := s.evaluations(ctx)
	if err != nil {
		return out, typed(err)
	}
	if in.ID != "" {
		i := slices.IndexFunc(all, func(e contract.Evaluation) bool { return e.ID == in.ID })
		if i < 0 {
			return out, document.Errorf(document.NotFound, "there is no evaluation %q: list those that there are", document.Shorten(in.ID))
		}
		out.Evaluations = append(out.Evaluations, all[i])
		return out, nil
	}
	for _, e := range all[:min(len(all), contract.MostEvaluations)] {
		e.Questions = nil
		out.Evaluations = append(out.Evaluations, e)
	}
	return out, nil
}

// evaluations are those that are kept, the newest first.
func (s *Service) evaluations(ctx context.Context) ([]contract.Evaluation, error) {
	entries, err := s.bucket().All(ctx, contract.EvaluationKey("*"))
	if err != nil {
		return nil, err
	}
	var out []contract.Evaluation
	for _, e := range entries {
		var one contract.Evaluation
		if err := json.Unmarshal(e.Value, &one); err != nil || contract.EvaluationKey(one.ID) != e.Key {
			s.log.Warn("an evaluation cannot be read", "key", e.Key, "error", err)
			continue
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b contract.Evaluation) int { return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.ID, b.ID)) })
	return out, nil
}

func (s *Service) removeEvaluation(ctx context.Context, in contract.EvaluationRemove) (contract.EvaluationList, error) {
	if err := s.forget(ctx, contract.EvaluationKey(in.ID), "evaluation", in.ID); err != nil {
		return contract.EvaluationList{}, typed(err)
	}
	return s.listEvaluations(ctx, contract.EvaluationListRequest{})
}
