package calibrate

import (
	"context"
	"fmt"
	"path"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// depth is how many hits an answer is asked for: as many as are asked for by
	// default, and as the evidence looks at.
	depth = 10
	// answerLimit is far above the default deadline, so that a busy machine
	// costs time and changes nothing.
	answerLimit = 30 * time.Second
)

// mostDegraded is the share of answers that may be left out for being degraded:
// a question of nothing but dropped words is, a missing index is another thing.
const mostDegraded = .05

// Ask asks every task, and returns a sample for each answer and for each hit.
// Degraded answers are left out; too many of them are an error.
func Ask(ctx context.Context, nc *nats.Conn, tasks []eval.Task, progress func(done, total int)) (answers, hits []Sample, err error) {
	tasks = thinned(tasks)
	degraded := 0
	for i := range tasks {
		t := &tasks[i]
		progress(i, len(tasks))
		reply, err := ask(ctx, nc, t)
		if err != nil {
			return nil, nil, fmt.Errorf("task %s: %w", t.ID, err)
		}
		if len(reply.Degraded) > 0 || len(reply.Pending) > 0 {
			if degraded++; float64(degraded) > mostDegraded*float64(len(tasks)) {
				return nil, nil, document.Errorf(document.Unavailable, "%d answers are not what they are at rest, the last one with %v and %d documents being indexed: calibrate when `freshet status` says that nothing is missing or waits", degraded, reply.Degraded, len(reply.Pending))
			}
			continue
		}
		if reply.Evidence == nil {
			return nil, nil, document.Errorf(document.VersionMismatch, "the running instance gives no evidence: it is of another version than this program")
		}
		answer := Sample{Group: groupOf(t), Evidence: reply.Evidence, Unanswerable: t.Unanswerable, Task: kindOf(t), Nothing: reply.NothingRelevant}
		if reply.Confidence != nil {
			answer.Stated = *reply.Confidence
		}
		for _, h := range reply.Hits {
			hit := Sample{Group: answer.Group, Evidence: h.Evidence, Right: right(t, &h), Task: answer.Task, Stated: h.Confidence}
			answer.Right = answer.Right || hit.Right
			hits = append(hits, hit)
		}
		answers = append(answers, answer)
	}
	return answers, hits, nil
}

// thinned leaves out tasks without an answer, evenly, until they are one in
// three: what is fitted is a probability among questions like these, and most
// questions that people ask have an answer.
func thinned(tasks []eval.Task) []eval.Task {
	none := 0
	for i := range tasks {
		if tasks[i].Unanswerable {
			none++
		}
	}
	keep := (len(tasks) - none) / 2
	if none <= keep {
		return tasks
	}
	out := make([]eval.Task, 0, len(tasks)-none+keep)
	seen := 0
	for i := range tasks {
		if tasks[i].Unanswerable {
			seen++
			if seen*keep/none == (seen-1)*keep/none {
				continue
			}
		}
		out = append(out, tasks[i])
	}
	return out
}

// Foreign returns the questions of another corpus as tasks that nothing answers
// here. Those that are made of documents that were taken out have near relatives
// that stay; these have none, and people ask both kinds. They are asked of one
// source, or of all where that is empty.
func Foreign(tasks []eval.Task, source document.Source) []eval.Task {
	out := make([]eval.Task, 0, len(tasks))
	for _, t := range tasks {
		t.ID = fmt.Sprintf("foreign %s %s", source, t.ID)
		t.Relevant, t.N, t.Source, t.Unanswerable = nil, 0, source, true
		out = append(out, t)
	}
	return out
}

func ask(ctx context.Context, nc *nats.Conn, t *eval.Task) (contract.SearchReply, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit+time.Second)
	defer cancel()
	k := depth
	in := contract.SearchRequest{Query: t.Query, K: &k, Text: contract.TextNone, Explain: true, DeadlineMS: int(answerLimit.Milliseconds())}
	if t.Source != "" {
		in.Filter.Sources = []document.Source{t.Source}
	}
	return client.Search.Ask(ctx, nc, in)
}

// right reports whether a hit alone answers a task.
func right(t *eval.Task, h *contract.Hit) bool {
	if t.Unanswerable {
		return false
	}
	one := []eval.Hit{eval.HitOf(h)}
	return eval.Score(t, one, eval.OverChunks, 1)[eval.Hit1] > 0
}

// kindOf is what a task is counted under; "" where it does not say how it came to be.
func kindOf(t *eval.Task) string {
	switch {
	case !t.Unanswerable:
		return t.Kind
	case t.Kind == "":
		return "no answer"
	}
	return "no answer: " + t.Kind
}

// groupOf keeps the tasks of one folder together: they have words and passages
// in common.
func groupOf(t *eval.Task) string {
	if len(t.Relevant) == 0 {
		return t.Group + " " + t.ID
	}
	return t.Group + " " + path.Dir(t.Relevant[0].Path)
}
