package evaluator

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// configured is the name of the first arm.
const configured = "as configured"

// evaluate asks the golden questions in every way, tells how far it is, and keeps what
// was found.
func (s *Service) evaluate(ctx context.Context, in contract.EvaluateRequest, send func(contract.EvaluationPart) error) error {
	if err := checkArms(in.Arms); err != nil {
		return err
	}
	if !s.busy.TryLock() {
		return document.Errorf(document.Conflict, "another evaluation is under way: wait until it has ended")
	}
	defer s.busy.Unlock()
	questions, err := s.golden(ctx)
	if err != nil {
		return typed(err)
	}
	if len(questions) == 0 {
		return document.Errorf(document.NotFound, "no golden question is kept: add some, each with the place that answers it")
	}
	found, err := s.measure(ctx, in, questions, send)
	if err != nil {
		return typed(err)
	}
	if err := s.keep(ctx, found); err != nil {
		return typed(err)
	}
	total := len(questions) * (1 + len(in.Arms))
	return send(contract.EvaluationPart{Done: total, Total: total, Evaluation: &found})
}

func checkArms(arms []contract.EvaluationArm) error {
	for i, a := range arms {
		switch {
		case a.Name == "" || a.Name == configured:
			return document.Errorf(document.InvalidRequest, "arms[%d].name is %q: give each way to ask a name of its own", i, a.Name)
		case slices.ContainsFunc(arms[:i], func(other contract.EvaluationArm) bool { return other.Name == a.Name }):
			return document.Errorf(document.InvalidRequest, "two ways to ask have the name %q: give each one of its own", a.Name)
		}
	}
	return nil
}

func (s *Service) measure(ctx context.Context, in contract.EvaluateRequest, questions []contract.GoldenQuestion, send func(contract.EvaluationPart) error) (contract.Evaluation, error) {
	now := s.bus.Now().UTC()
	out := contract.Evaluation{ID: strconv.FormatInt(now.UnixMicro(), 36), Time: now, By: rpc.Asker(ctx).Name, Note: in.Note, Version: s.version}
	tasks := eval.OfGolden(questions)
	arms := append([]contract.EvaluationArm{{Name: configured}}, in.Arms...)
	answers := make([][]eval.Answer, len(arms))
	for i, arm := range arms {
		o := optionsOf(arm)
		o.Progress = func(_ string, done, _ int) {
			// A caller who has left ends ctx, by which the asking ends.
			_ = send(contract.EvaluationPart{Done: i*len(tasks) + done, Total: len(arms) * len(tasks)})
		}
		var err error
		if answers[i], err = eval.Ask(ctx, s.bus.Conn(), tasks, o); err != nil {
			return out, fmt.Errorf("%s: %w", arm.Name, err)
		}
	}
	for i, q := range questions {
		if tasks[i].Unanswerable {
			out.Unanswerable++
		} else {
			out.Answerable++
		}
		e := contract.EvaluatedQuestion{Source: q.Source, ID: q.ID, Ranks: make([]int, len(arms))}
		for j := range arms {
			e.Ranks[j] = rankOf(&tasks[i], &answers[j][i])
		}
		out.Questions = append(out.Questions, e)
	}
	for i, arm := range arms {
		var first []eval.Answer
		if i > 0 {
			first = answers[0]
		}
		out.Arms = append(out.Arms, figuresOf(arm, tasks, answers[i], first))
	}
	return out, nil
}

func optionsOf(arm contract.EvaluationArm) eval.Options {
	return eval.Options{Off: arm.Off, Ranking: arm.Ranking, MinConfidence: arm.MinConfidence}
}

// rankOf is where the first right file stands, 0 for not among the first ten. Of an
// unanswerable question 1 says that it was refused.
func rankOf(t *eval.Task, a *eval.Answer) int {
	switch reciprocal := eval.Score(t, a.Hits, eval.OverFiles, 0)[eval.MRR]; {
	case t.Unanswerable && a.Error == "" && a.Abstains():
		return 1
	case reciprocal > 0:
		return int(math.Round(1 / reciprocal))
	}
	return 0
}

// keep writes what was found, and lets go of the oldest where there are too many.
func (s *Service) keep(ctx context.Context, found contract.Evaluation) error {
	raw, err := json.Marshal(found)
	if err != nil {
		return fmt.Errorf("encode an evaluation: %w", err)
	}
	if _, err := s.bucket().Put(ctx, contract.EvaluationKey(found.ID), raw); err != nil {
		return err
	}
	kept, err := s.evaluations(ctx)
	if err != nil {
		return err
	}
	for _, old := range kept[min(len(kept), contract.MostEvaluations):] {
		if err := s.bucket().Forget(ctx, contract.EvaluationKey(old.ID)); err != nil {
			return err
		}
	}
	return nil
}
