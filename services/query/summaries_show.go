package query

import (
	"context"
	"encoding/json"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// addSummaries adds to hits what a language model says of their passages. It is of the
// passages as they were cut, so one of which only a part still stands gets none. Hits are
// no worse without: what cannot be read is left out.
func addSummaries(ctx context.Context, q *search) {
	if q.service.cfg.Answer.Summaries == 0 || q.req.Show == contract.TextNone {
		return
	}
	of := make([]string, len(q.reply.Hits))
	var subjects []string
	for i := range q.resolved.Shown {
		s := &q.resolved.Shown[i]
		if s.Pending {
			continue
		}
		of[i] = contract.KeyAddress(contract.BucketSummaries, contract.SummariesKey(s.Head.Source, s.Head.Doc))
		subjects = append(subjects, of[i])
	}
	if len(subjects) == 0 {
		return
	}
	records, err := q.service.bus.GetLast(ctx, contract.KeyStream(contract.BucketSummaries), subjects...)
	if err != nil {
		q.service.log.Debug("hits are shown without summaries", "error", err)
		return
	}
	said := map[document.ChunkID]string{}
	for _, m := range records {
		raw, err := m.Body(ctx)
		var record contract.Summaries
		if err != nil || json.Unmarshal(raw, &record) != nil {
			continue
		}
		for _, p := range record.Passages {
			said[p.ID] = p.Text
		}
	}
	for i := range q.reply.Hits {
		if of[i] != "" {
			q.reply.Hits[i].Summary = said[q.reply.Hits[i].ID]
		}
	}
}

// summaries is how far the summaries are made; nil where none are to be.
func (s *Service) summaries(ctx context.Context) (*contract.SummariesState, error) {
	if s.summarizing.model == nil {
		return nil, nil
	}
	raw, _, err := s.bus.Bucket(contract.BucketMeta).Get(ctx, contract.KeySummaries)
	if err != nil || raw == nil {
		return nil, err
	}
	state := &contract.SummariesState{}
	if json.Unmarshal(raw, state) != nil {
		state = nil // the next one is written soon
	}
	return state, nil
}
