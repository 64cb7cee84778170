package query

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// withhold takes out of an answer what rests on documents that whoever asks may not
// see: scores, which are made of the statistics of everything that is indexed, and the
// numbers of the stages.
func (q *search) withhold() {
	if q.sight == nil {
		return
	}
	q.reply.Trace, q.reply.Evidence = nil, nil
	for i := range q.reply.Hits {
		h := &q.reply.Hits[i]
		h.Score, h.Channels, h.Signals, h.Evidence = 0, nil, nil, nil
	}
}

// mayNarrow refuses what would tell scores that are not shown.
func (q *search) mayNarrow() error {
	if q.sight != nil && q.req.MinScore > 0 {
		return document.Errorf(document.InvalidRequest, "min_score is of no use to whoever sees only a part of what is indexed, and no scores: use min_confidence")
	}
	return nil
}

// withhold takes out of an explanation what is known of a passage by comparison with
// documents that whoever asks may not see: ranks, scores, and how often words stand.
func (q *searched) withhold() {
	if q.x.sight == nil {
		return
	}
	q.out.Trace, q.out.Depth = []contract.TraceStage{}, 0
	for i := range q.out.Terms {
		q.out.Terms[i].With, q.out.Terms[i].Weight = 0, 0
	}
	for _, w := range q.states {
		if w.Lost == lostRecall {
			w.Why = "others answer the question better"
			if len(w.Lacks) > 0 {
				w.Why += " (it lacks " + strings.Join(w.Lacks, ", ") + ")"
			}
		}
		w.Channels, w.Signals = map[string]contract.PassageRank{}, nil
		w.Fused, w.Ranked, w.Reranked, w.Score = 0, 0, 0, 0
	}
}
