package query

import (
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
