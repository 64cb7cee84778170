package quality

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/lab/system"
	"github.com/freshet-dev/freshet/lab/tune"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Config says what to measure.
type Config struct {
	Binary   string     // path of freshet
	Settings string     // configuration file of freshet; "" for the defaults
	Bench    string     // folder with the task set
	Repos    string     // cache of repositories
	Names    []string   // repositories; Default when empty, ["all"] for every one
	Scratch  string     // folder for temporary state; "" for the system's
	Arms     []eval.Arm // DefaultArms when empty
	Way      eval.Way   // how ranks are counted
	// Ablate measures the whole without each stage, without each signal, and the
	// fused engines with each signal alone.
	Ablate bool
	// Query is that of Settings.
	Query config.Query
	// Tune looks for other weights, if it has Rounds; Start and PerFile are those
	// of Query.
	Tune tune.Options
	// Servers hold the passages, where they are given.
	Servers system.Servers
}

// Validate returns an error when parts of a Config contradict each other.
func (c *Config) Validate() error {
	if c.Servers.Given() && c.Settings != "" {
		return document.Errorf(document.InvalidRequest, "--config and the servers would both choose the stores: name one of them")
	}
	return c.Servers.Validate()
}

// DefaultArms are compared with the whole.
var DefaultArms = []eval.Arm{
	{Name: "BM25 alone", Off: []string{"vector", "signals", "pending"}},
	{Name: "vectors alone", Off: []string{"lexical", "signals", "pending"}},
	{Name: "both, fused", Off: []string{"signals", "pending"}},
}

// stages are what Ablate switches off in the program, one at a time.
var stages = []eval.Arm{
	{Name: "without BM25", Off: []string{"lexical"}},
	{Name: "without vectors", Off: []string{"vector"}},
	{Name: "without all signals", Off: []string{"signals"}},
	{Name: "without the spread over files", Off: []string{"diversify"}},
	{Name: "without spelling", Off: []string{"spelling"}},
}

// Result is what was answered, and what that comes to.
type Result struct {
	Tasks   []eval.Task
	Answers []eval.Answer // of the whole, in the order of the tasks
	Report  eval.Report
	// Ablation is the whole with less.
	Ablation []eval.ArmReport
	Tuning   *tune.Result // nil where nothing was tuned

	misses    []eval.Miss
	questions []tune.Question // with Ablate or Tune, in the order of the tasks
	arms      [][]eval.Answer // by arm, in the order of the tasks
}

// Run indexes each repository on its own and asks its tasks in every arm. All
// temporary state is removed at the end.
func Run(ctx context.Context, cfg Config, progress io.Writer) (*Result, error) {
	tasks, err := readTasks(cfg.Bench)
	if err != nil {
		return nil, err
	}
	repos, err := readRepos(cfg.Bench)
	if err != nil {
		return nil, err
	}
	names, err := chosen(cfg.Names, repos)
	if err != nil {
		return nil, err
	}
	if len(cfg.Arms) == 0 {
		cfg.Arms = DefaultArms
	}
	if cfg.Ablate {
		cfg.Arms = append(slices.Clone(cfg.Arms), stages...)
	}
	r := &Result{arms: make([][]eval.Answer, len(cfg.Arms))}
	var all eval.Indexing
	for i, name := range names {
		begin := time.Now()
		indexed, err := r.one(ctx, cfg, i, repos[name], tasks[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all.Seconds, all.Documents, all.Passages = all.Seconds+indexed.Seconds, all.Documents+indexed.Documents, all.Passages+indexed.Passages
		_, _ = fmt.Fprintf(progress, "%-18s %3d tasks, %5d passages, %.1f s\n", name, len(tasks[name]), indexed.Passages, time.Since(begin).Seconds())
	}
	r.Report = eval.NewReport(setName, r.Tasks, r.Answers, r.misses, cfg.options())
	r.Report.Latency.Fresh, r.Report.Indexing = true, &all
	arms, split := eval.CompareArms(r.Tasks, r.Answers, cfg.Arms, r.arms, cfg.options()), len(cfg.Arms)
	if cfg.Ablate {
		split -= len(stages)
	}
	r.Report.Arms, r.Ablation = arms[:split], arms[split:]
	if cfg.Ablate {
		r.ablate(cfg)
	}
	if cfg.Tune.Rounds == 0 {
		return r, nil
	}
	tuning, err := tune.Run(ctx, r.questions, cfg.Tune)
	r.Tuning = &tuning
	return r, err
}

// ablate adds what each signal brings.
func (r *Result) ablate(cfg Config) {
	var arms []eval.Arm
	var answers [][]eval.Answer
	for _, v := range tune.Ablations(cfg.Tune.Start) {
		arms = append(arms, eval.Arm{Name: v.Name})
		answers = append(answers, tune.Replayed(r.questions, &v.Weights, cfg.Tune.PerFile))
	}
	r.Ablation = append(r.Ablation, eval.CompareArms(r.Tasks, r.Answers, arms, answers, cfg.options())...)
}

// setName is that of the published tasks in reports and floors.
const setName = "published"

func (c *Config) options() eval.Options { return eval.Options{Way: c.Way} }

// one asks the tasks of the n-th repository, with the servers if there are any.
func (r *Result) one(ctx context.Context, cfg Config, n int, repo Repo, tasks []eval.Task) (indexed eval.Indexing, err error) {
	if !cfg.Servers.Given() {
		return r.repo(ctx, cfg, repo, tasks)
	}
	f, err := os.CreateTemp(cfg.Scratch, "freshet-servers-*.yaml")
	if err != nil {
		return indexed, fmt.Errorf("write a configuration: %w", err)
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	_, werr := f.Write(cfg.Servers.Config(n, "elasticsearch", "weaviate"))
	if err := errors.Join(werr, f.Close()); err != nil {
		return indexed, fmt.Errorf("write a configuration: %w", err)
	}
	cfg.Settings = f.Name()
	return r.repo(ctx, cfg, repo, tasks)
}

// repo asks the tasks of one repository.
func (r *Result) repo(ctx context.Context, cfg Config, repo Repo, tasks []eval.Task) (indexed eval.Indexing, err error) {
	folder, err := Checkout(ctx, repo, cfg.Repos)
	if err != nil {
		return indexed, err
	}
	in, err := eval.Start(ctx, eval.Corpus{Binary: cfg.Binary, Folders: []string{folder}, Config: cfg.Settings, Scratch: cfg.Scratch})
	if err != nil {
		return indexed, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	nc, o := in.Bus.Conn(), cfg.options()
	answers, err := eval.Ask(ctx, nc, tasks, o)
	if err != nil {
		return indexed, err
	}
	misses, err := eval.Misses(ctx, nc, tasks, answers, o)
	if err != nil {
		return indexed, fmt.Errorf("explain the misses: %w", err)
	}
	arms, err := eval.AskArms(ctx, nc, tasks, cfg.Arms, o)
	if err != nil {
		return indexed, err
	}
	// Without vectors there would be two arms of the same kind.
	if err := complete(append(slices.Clone(arms), answers)); err != nil {
		return indexed, err
	}
	if cfg.Ablate || cfg.Tune.Rounds > 0 {
		questions, err := tune.Recall(ctx, nc, tasks, cfg.Query, func(int, int) {})
		if err != nil {
			return indexed, err
		}
		r.questions = append(r.questions, questions...)
	}
	r.Tasks, r.Answers, r.misses = append(r.Tasks, tasks...), append(r.Answers, answers...), append(r.misses, misses...)
	for i := range arms {
		r.arms[i] = append(r.arms[i], arms[i]...)
	}
	return in.Indexing, nil
}

// complete finds an answer that lacks something.
func complete(arms [][]eval.Answer) error {
	for _, answers := range arms {
		for _, a := range answers {
			if a.Error != "" || len(a.Degraded) > 0 {
				return fmt.Errorf("task %s: the answer is degraded: %s%s", a.ID, a.Error, strings.Join(a.Degraded, "; "))
			}
		}
	}
	return nil
}

// Check returns an error when the whole scores below floor (NDCG@10 over
// files), or not above every arm.
func (r *Result) Check(floor float64) error {
	figure := func(rows []eval.Row) float64 { return rows[0].Figure(eval.NDCGFiles).Value }
	whole := figure(r.Report.Rows)
	if whole < floor {
		return fmt.Errorf("the whole has NDCG@10 %.3f over files, below the floor of %.3f", whole, floor)
	}
	for _, arm := range r.Report.Arms {
		if alone := figure(arm.Rows); whole <= alone {
			return fmt.Errorf("the whole has NDCG@10 %.3f over files, no more than %s with %.3f", whole, arm.Name, alone)
		}
	}
	return nil
}
