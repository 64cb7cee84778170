package eval

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Stages that lose a target, beside those of an explanation. An explanation's k
// is told apart into the stages that make the order.
const (
	LostUnknown = "unknown" // no explanation could be had
	LostIndex   = "index"
	LostRecall  = "recall"  // given by neither channel
	LostFusion  = "fusion"  // behind k after the fusion, and the signals did not lift it enough
	LostSignals = "signals" // among the k after the fusion, and behind them after the signals
	LostRerank  = "rerank"  // among the k after the signals, and behind them by a later stage
	lostK       = "k"       // of an explanation
)

// Stages orders them by how far a target came.
var Stages = []string{LostUnknown, LostIndex, "filter", LostRecall, "resolve", "gate", LostFusion, LostSignals, LostRerank, "diversify", "fold"}

// Miss is a task without a relevant hit in the k.
type Miss struct {
	ID     string `json:"id"`
	Query  string `json:"query"`
	Target string `json:"target"` // of several, the one that came furthest
	Stage  string `json:"stage"`
	// Rank is where the target would have been in an answer without end; for
	// one that is left out of it, that after the signals; 0 where it came to no
	// order.
	Rank int    `json:"rank,omitempty"`
	Why  string `json:"why"`
}

// missed reports whether no hit of the first k is relevant.
func missed(t *Task, a *Answer, k int) bool {
	for _, h := range a.Hits[:min(len(a.Hits), k)] {
		if slices.ContainsFunc(t.Relevant, func(g Target) bool { return g.found(h, t.Root) }) {
			return false
		}
	}
	return true
}

// Misses explains every miss of answers, which are those of tasks. An
// explanation that fails costs that explanation.
func Misses(ctx context.Context, nc *nats.Conn, tasks []Task, answers []Answer, o Options) ([]Miss, error) {
	o.SetDefaults()
	var lost []int
	for i := range tasks {
		if !tasks[i].Unanswerable && missed(&tasks[i], &answers[i], o.K) {
			lost = append(lost, i)
		}
	}
	out := []Miss{}
	if len(lost) == 0 {
		return out, nil
	}
	x := explainer{nc: nc, o: &o}
	var err error
	if x.watched, err = watchedSources(ctx, nc); err != nil {
		return nil, err
	}
	for done, i := range lost {
		o.Progress("explaining misses", done, len(lost))
		m := Miss{ID: tasks[i].ID, Query: tasks[i].Query, Target: tasks[i].Relevant[0].String(), Stage: LostUnknown, Why: answers[i].Error}
		if m.Why == "" {
			if err := o.reach(ctx, &tasks[i]); err != nil {
				return nil, fmt.Errorf("task %s: %w", tasks[i].ID, err)
			}
			m = x.explain(ctx, &tasks[i])
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out = append(out, m)
	}
	return out, nil
}

func watchedSources(ctx context.Context, nc *nats.Conn) ([]document.Source, error) {
	list, err := client.Sources.Ask(ctx, nc, client.None)
	if err != nil {
		return nil, err
	}
	var out []document.Source
	for _, s := range list.Sources {
		if s.Watched {
			out = append(out, s.Source)
		}
	}
	return out, nil
}

// explainer asks what has become of the targets that were missed.
type explainer struct {
	nc      *nats.Conn
	o       *Options
	watched []document.Source
}

// explained is how many targets of a task are looked at; the furthest of many
// files is rarely another one.
const explained = 5

// explain returns the way of the target that came furthest.
func (x *explainer) explain(ctx context.Context, t *Task) Miss {
	best := Miss{Stage: LostUnknown}
	for i, g := range t.Relevant[:min(len(t.Relevant), explained)] {
		m := x.target(ctx, t, g)
		m.ID, m.Query, m.Target = t.ID, t.Query, g.String()
		if i == 0 || further(m, best) {
			best = m
		}
	}
	return best
}

// further reports whether a came further than b.
func further(a, b Miss) bool {
	if d := slices.Index(Stages, a.Stage) - slices.Index(Stages, b.Stage); d != 0 {
		return d > 0
	}
	return a.Rank > 0 && (b.Rank == 0 || a.Rank < b.Rank)
}

// target asks about one target, in each source that it may be of.
func (x *explainer) target(ctx context.Context, t *Task, g Target) Miss {
	req := x.o.request(t, x.o.K)
	sources := req.Filter.Sources
	if len(sources) == 0 {
		sources = x.watched
	}
	out := Miss{Stage: LostUnknown, Why: "no source is watched"}
	for _, source := range sources {
		for _, path := range g.paths(t.Root) {
			e, err := client.ExplainQuery.Ask(ctx, x.nc,
				contract.ExplainQuery{Source: source, Path: document.EncodePath(path), Search: &req})
			switch {
			case err != nil:
				out = Miss{Stage: LostUnknown, Why: err.Error()}
			case e.Search == nil:
				out = Miss{Stage: LostUnknown, Why: e.Summary}
			case e.Verdict == contract.VerdictMissing:
				out = Miss{Stage: LostIndex, Why: x.missing(ctx, source, path, e.Summary)}
			default:
				return x.lost(&e, g)
			}
		}
	}
	return out
}

// missing says why the log does not know a path, as the watcher has it.
func (x *explainer) missing(ctx context.Context, source document.Source, path, summary string) string {
	f, err := client.ExplainFile.Ask(ctx, x.nc,
		contract.ExplainFile{Source: source, Path: string(document.EncodePath(path))})
	if err != nil {
		return summary // the log's own word
	}
	return string(f.Verdict) + ": " + f.Summary
}

// lost reads the stage from an explanation.
func (x *explainer) lost(e *contract.Explanation, g Target) Miss {
	s := e.Search
	switch {
	case len(s.Passages) > 0:
	case s.Stage == LostIndex:
		return Miss{Stage: s.Stage, Why: string(e.Verdict) + ": " + e.Summary}
	default:
		return Miss{Stage: s.Stage, Why: s.Summary}
	}
	headings := map[document.ChunkID][]string{}
	cut := false // into a passage of the target
	for _, c := range e.Chunks {
		headings[c.ID] = c.Headings
		cut = cut || g.holds(c.StartLine, c.EndLine, c.Headings)
	}
	// The passages come with the one that came furthest first.
	i := slices.IndexFunc(s.Passages, func(p contract.PassageState) bool { return g.holds(p.StartLine, p.EndLine, headings[p.ID]) })
	switch {
	case i < 0 && cut: // of a long document only some are told
		return Miss{Stage: LostRecall, Why: fmt.Sprintf("%d passages of its document came further", len(s.Passages))}
	case i < 0:
		return Miss{Stage: LostIndex, Why: fmt.Sprintf("no passage of the document overlaps %s; its best one: %s", g, s.Summary)}
	}
	p := &s.Passages[i]
	m := Miss{Stage: p.Lost, Rank: cmp.Or(p.Ranked, p.Fused), Why: p.Why}
	switch {
	case p.Lost == "":
		// A search that is repeated may see a newer log, or have more time.
		m.Stage, m.Why = LostUnknown, fmt.Sprintf("it is hit %d when it is asked again", p.Final)
	case p.Lost != lostK:
	case p.Ranked <= x.o.K:
		m.Stage = LostRerank
	case p.Fused <= x.o.K:
		m.Stage = LostSignals
	default:
		m.Stage = LostFusion
	}
	if p.Lost == lostK {
		m.Rank = p.Final
		m.Why = fmt.Sprintf("rank %d after the fusion, %d after the signals, %d in the answer; %d were asked for", p.Fused, p.Ranked, p.Final, x.o.K)
	}
	return m
}

// paths are those under which the target may be known: relative to its source,
// or to the repository of which Root is indexed.
func (t Target) paths(root string) []string {
	if rest, below := cutFolder(t.Path, root); below {
		return []string{rest, t.Path}
	}
	return []string{t.Path}
}
