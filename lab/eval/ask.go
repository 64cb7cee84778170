package eval

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// answerLimit bounds one answer. It is far above the default, so that a busy
// machine costs time and no figure.
const answerLimit = 30 * time.Second

// Options say how tasks are asked and scored.
type Options struct {
	// K is the k of recall, and of what counts as a miss; 0 stands for 10.
	// Answers are asked for at least 10 hits.
	K int
	// Way is how ranks are counted; "" stands for OverFiles.
	Way Way
	// Source is the only one asked by tasks that name none; "" for all.
	Source document.Source
	// Off are the stages that are left out, as in a search request.
	Off []string
	// Ranking are weights of the order, in place of those that are configured.
	Ranking map[string]string
	// MinConfidence is that below which an answer lists nothing.
	MinConfidence float64
	// At brings the corpus to the commit of a task, "" for none; nil where that
	// cannot be done.
	At func(ctx context.Context, commit string) error
	// Progress is told how many tasks of how many are done; nil for nobody.
	Progress func(doing string, done, total int)
}

// SetDefaults fills in what is zero.
func (o *Options) SetDefaults() {
	if o.K == 0 {
		o.K = depth
	}
	if o.Way == "" {
		o.Way = OverFiles
	}
	if o.Progress == nil {
		o.Progress = func(string, int, int) {}
	}
}

// reach brings the corpus to where a task is asked.
func (o *Options) reach(ctx context.Context, t *Task) error {
	if o.At != nil {
		return o.At(ctx, t.Commit)
	}
	if t.Commit != "" {
		return document.Errorf(document.InvalidRequest, "it is asked as of the commit %s, to which a running instance cannot be brought: name the repository with --index", t.Commit)
	}
	return nil
}

// request is the search of a task for at most k hits.
func (o *Options) request(t *Task, k int) contract.SearchRequest {
	req := contract.SearchRequest{Query: t.Query, K: &k, Off: o.Off, Ranking: o.Ranking, MinConfidence: o.MinConfidence, DeadlineMS: int(answerLimit.Milliseconds())}
	switch {
	case t.Source != "":
		req.Filter.Sources = []document.Source{t.Source}
	case o.Source != "":
		req.Filter.Sources = []document.Source{o.Source}
	}
	return req
}

// Ask asks every task once, one after the other, and returns the answers in the
// order of the tasks. A task that cannot be answered has an answer with the
// reason; an instance that does not answer at all is an error.
func Ask(ctx context.Context, nc *nats.Conn, tasks []Task, o Options) ([]Answer, error) {
	o.SetDefaults()
	answers := make([]Answer, 0, len(tasks))
	for i := range tasks {
		o.Progress("asking", i, len(tasks))
		if err := o.reach(ctx, &tasks[i]); err != nil {
			return nil, fmt.Errorf("task %s: %w", tasks[i].ID, err)
		}
		a, err := ask(ctx, nc, &tasks[i], &o)
		if err != nil {
			return nil, fmt.Errorf("task %s: %w", tasks[i].ID, err)
		}
		a.First = i == 0
		answers = append(answers, a)
	}
	return answers, allRefused(answers)
}

// allRefused is an error where no task was answered: then the options are wrong,
// and not a task.
func allRefused(answers []Answer) error {
	for _, a := range answers {
		if a.Error == "" {
			return nil
		}
	}
	return document.Errorf(document.InvalidRequest, "no task was answered: %s", answers[0].Error)
}

func ask(ctx context.Context, nc *nats.Conn, t *Task, o *Options) (Answer, error) {
	out := Answer{ID: t.ID, Query: t.Query, Hits: []Hit{}}
	limited, cancel := context.WithTimeout(ctx, answerLimit+time.Second)
	defer cancel()
	begin := time.Now()
	rep, err := client.Search.Ask(limited, nc, o.request(t, max(o.K, depth)))
	out.MS = milliseconds(time.Since(begin))
	switch document.KindOf(err) {
	case "":
	case document.InvalidRequest, document.Deadline, document.TooLarge:
		if ctx.Err() != nil {
			return out, ctx.Err()
		}
		out.Error = err.Error()
		return out, nil
	default:
		return out, err
	}
	out.Confidence, out.Nothing = rep.Confidence, rep.NothingRelevant
	out.Class, out.ServiceMS, out.Degraded, out.Pending = rep.Class, rep.TookMS, rep.Degraded, len(rep.Pending)
	for _, h := range rep.Hits {
		out.Hits = append(out.Hits, HitOf(&h))
	}
	return out, nil
}

// milliseconds has a resolution of a microsecond.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
