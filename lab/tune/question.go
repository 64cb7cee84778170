package tune

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/replay"
)

// answerLimit is far above the default deadline: such a search reads many
// documents.
const answerLimit = time.Minute

// Question is a task with what a search recalls for it.
type Question struct {
	Task eval.Task
	// Hits are the candidates that Replay puts into order.
	Hits   []eval.Hit
	Replay *replay.Replay
}

// Recall asks the instance for the candidates of every task that has an
// answer. c is the configuration that it runs with; its over-fetch and
// priorities count.
func Recall(ctx context.Context, nc *nats.Conn, tasks []eval.Task, c config.Query, progress func(done, total int)) ([]Question, error) {
	analyzer := analysis.New()
	priorities, err := replay.NewPriorities(c.Priorities)
	if err != nil {
		return nil, err
	}
	var out []Question
	for i := range tasks {
		t := &tasks[i]
		progress(i, len(tasks))
		if t.Unanswerable {
			continue
		}
		reply, err := recall(ctx, nc, t, c.MaxK)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		if !atRest(&reply) {
			return nil, document.Errorf(document.Unavailable, "the answer to task %s is not what it is at rest (%v, %d documents being indexed): tune when `freshet status` says that nothing is missing or waits", t.ID, reply.Degraded, len(reply.Pending))
		}
		q := Question{Task: *t, Replay: replay.New(t.Query, reply.Hits, c.Overfetch, analyzer, priorities)}
		for _, h := range reply.Hits {
			q.Hits = append(q.Hits, eval.Hit{
				Source: h.Source, Path: h.Path.Raw(), StartLine: h.StartLine, EndLine: h.EndLine, Headings: h.Headings,
			})
		}
		out = append(out, q)
	}
	return out, nil
}

// atRest reports whether an answer is what it always is. That of a question without
// a word that the index keeps says each time that vectors alone gave it.
func atRest(reply *contract.SearchReply) bool {
	said := 0
	if slices.ContainsFunc(reply.Trace, func(s contract.TraceStage) bool { return s.Stage == "analyse" && s.Out == 0 }) {
		said = 1
	}
	return len(reply.Degraded) <= said && len(reply.Pending) == 0
}

func recall(ctx context.Context, nc *nats.Conn, t *eval.Task, k int) (contract.SearchReply, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit+time.Second)
	defer cancel()
	in := contract.SearchRequest{
		Query: t.Query, K: &k, Text: contract.TextNone, DeadlineMS: int(answerLimit.Milliseconds()),
		Off: []string{"signals", "diversify", "learned", "rerank", "confidence", "fold"},
	}
	if t.Source != "" {
		in.Filter.Sources = []document.Source{t.Source}
	}
	return client.Search.Ask(ctx, nc, in)
}

// Answer is what a search with these weights would give, and with a learned
// reranker, where m is not nil.
func (q *Question) Answer(w *config.Ranking, perFile replay.PerFile, m *replay.Reranker) []eval.Hit {
	places := q.Replay.First(w, perFile, m)
	hits := make([]eval.Hit, len(places))
	for i, p := range places {
		hits[i] = q.Hits[p]
	}
	return hits
}
