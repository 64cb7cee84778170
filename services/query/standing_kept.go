package query

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/standing"
)

// prepare makes the set of what is kept now, with the weights that words have now.
func (t *teller) prepare(ctx context.Context, answers *engine) error {
	t.mu.Lock()
	changed, records := t.changed, maps.Clone(t.kept)
	t.changed = false
	t.mu.Unlock()
	if changed || t.by != answers {
		if err := t.read(ctx, answers, records); err != nil {
			t.mu.Lock()
			t.changed = true
			t.mu.Unlock()
			return err
		}
		t.weighed = time.Time{}
	}
	if time.Since(t.weighed) < standingWeights {
		return nil
	}
	questions := make([]standing.Question, len(t.asked))
	for i, k := range t.asked {
		var err error
		if questions[i], err = k.search.weigh(ctx, k.record.Question.MinRelevance); err != nil {
			return err
		}
	}
	t.set, t.weighed = standing.NewSet(questions, answers.calibration, answers.analyzer), time.Now()
	return nil
}

// read reads the questions that are kept. One that cannot be read any more was kept by
// a program of another version; it is told in the log, and asks for nothing.
func (t *teller) read(ctx context.Context, answers *engine, records map[string]contract.Standing) error {
	known := map[string]*kept{}
	if t.by == answers {
		for _, k := range t.asked {
			known[k.id] = k
		}
	}
	t.asked, t.by = nil, nil
	for _, id := range slices.Sorted(maps.Keys(records)) {
		k := known[id]
		if k == nil {
			q, err := answers.prepareStanding(ctx, records[id].Question)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				t.service.log.Warn("a kept question cannot be read", "id", id, "error", err)
				continue
			}
			k = &kept{id: id, record: records[id], search: q}
		}
		t.asked = append(t.asked, k)
	}
	t.by = answers
	return nil
}
