package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/secrets"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/request"
	"github.com/freshet-dev/freshet/services/query/internal/rerank"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// rerankBytes bounds what of a passage a reranker is sent: models of this kind
// read some 512 tokens.
const rerankBytes = 4000

// reranks reports whether the order of the signals is looked at once more.
func reranks(q *search) bool { return q.service.reranker != nil && !q.req.Off(request.OffRerank) }

// hasReranker reports whether one is configured.
func hasReranker(q *search) bool { return q.service.reranker != nil }

// countRated is how many passages a reranker sees.
func countRated(q *search) int {
	return min(len(q.resolved.Shown), q.service.cfg.Rerank.Passages)
}

// rerankBest is the stage that puts the best of what may be shown into a better
// order. It sees the texts as they will be shown, and nothing that the log does
// not hold. Whatever goes wrong leaves the order as it was, and is named.
func rerankBest(ctx context.Context, q *search) (report, error) {
	best := q.resolved.Shown[:countRated(q)]
	r := report{in: len(best), out: len(best)}
	if len(best) < 2 {
		return r, nil
	}
	scores, err := rate(ctx, q, best)
	if err != nil {
		q.degrade("rerank: %s; the order is the one before it", strings.TrimRight(err.Error(), "."))
		q.service.log.Warn("not reranked", "error", err)
		r.note = "failed"
		return r, nil
	}
	moved := blend(best, scores, q.service.cfg.Rerank.Weight)
	slices.SortStableFunc(best, func(a, b resolve.Shown) int { return rank.ExactFirst(&a.Candidate, &b.Candidate) })
	r.note = fmt.Sprintf("%s, %d moved", q.service.cfg.Rerank.Kind, moved)
	return r, nil
}

// rate asks the reranker, within its deadline and that of the answer.
func rate(ctx context.Context, q *search, best []resolve.Shown) ([]float64, error) {
	within, cancel := context.WithTimeout(ctx, q.service.cfg.Rerank.Deadline)
	defer cancel()
	within, stop := context.WithDeadline(within, q.deadline.Add(-q.reserve()/2))
	defer stop()
	passages := make([]string, len(best))
	for i := range best {
		passages[i] = toRate(q.service.guard, &best[i])
	}
	scores, err := q.service.reranker.Rate(within, q.service.guard.Text(q.req.Text), passages)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("%s did not answer in time (query.rerank.deadline is %s)", q.service.cfg.Rerank.Kind, q.service.cfg.Rerank.Deadline)
	case errors.Is(err, context.Canceled):
		return nil, errors.New("the service is stopping")
	}
	return scores, err
}

// toRate is a passage as a reranker reads it: where it stands, then its text, without the
// secrets in it.
func toRate(guard *secrets.Guard, s *resolve.Shown) string {
	head := string(s.Head.Path)
	if s.Span.Symbol != "" {
		head += " " + s.Span.Symbol
	}
	if len(s.Span.Headings) > 0 {
		head += " " + strings.Join(s.Span.Headings, " > ")
	}
	// Before it is cut: half a key is not known as one.
	text := guard.Text(head+"\n"+string(s.Text), s.Head.Source)
	if end := len(head) + 1 + rerankBytes; len(text) > end {
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	return excerpt.Valid([]byte(text))
}

// blend puts passages into the order that the reranker's scores and the order
// before it make together, and returns how many changed place. The scores that
// decide the order stay what they were, and go with the places: they are on the
// scale of the whole list, of which the reranker saw a part.
func blend(best []resolve.Shown, scores []float64, weight float64) (moved int) {
	before := slices.Clone(best)
	for place, from := range rerank.Blend(scores, weight) {
		best[place] = before[from]
		c := &best[place].Candidate
		c.Reranked = candidate.Reranked{Rank: place + 1, Before: from + 1, Score: scores[from]}
		c.Final = before[place].Candidate.Final
		if place != from {
			moved++
		}
	}
	return moved
}
