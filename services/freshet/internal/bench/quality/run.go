package quality

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/services/freshet/internal/eval"
)

// Config says what to measure.
type Config struct {
	Binary   string   // path of freshet
	Settings string   // configuration file of freshet; "" for the defaults
	Bench    string   // folder with the task set
	Repos    string   // cache of repositories
	Names    []string // repositories; Default when empty, ["all"] for every one
	Scratch  string   // folder for temporary state; "" for the system's
	Arms     []Arm    // DefaultArms when empty; the first one is the whole
	Way      eval.Way // how ranks are counted
}

// Arm is one way to search: the stages that it leaves out.
type Arm struct {
	Name string
	Off  []string
}

// DefaultArms are the ways that are compared: the whole first, whose misses and
// delays count.
var DefaultArms = []Arm{
	{"the whole", nil},
	{"BM25 alone", []string{"vector", "signals", "pending"}},
	{"vectors alone", []string{"lexical", "signals", "pending"}},
	{"both, fused", []string{"signals", "pending"}},
}

// Result is what all arms have answered, and what that comes to.
type Result struct {
	Tasks   []eval.Task
	Answers [][]eval.Answer // by arm, in the order of the tasks
	Misses  []eval.Miss     // of the whole
	Reports []eval.Report   // by arm
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
	r := &Result{Answers: make([][]eval.Answer, len(cfg.Arms))}
	var all eval.Indexing
	for _, name := range names {
		begin := time.Now()
		indexed, err := r.repo(ctx, cfg, repos[name], tasks[name])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all.Seconds, all.Documents, all.Passages = all.Seconds+indexed.Seconds, all.Documents+indexed.Documents, all.Passages+indexed.Passages
		_, _ = fmt.Fprintf(progress, "%-18s %3d tasks, %5d passages, %.1f s\n", name, len(tasks[name]), indexed.Passages, time.Since(begin).Seconds())
	}
	for i, arm := range cfg.Arms {
		var misses []eval.Miss
		if i == 0 {
			misses = r.Misses
		}
		report := eval.NewReport(arm.Name, r.Tasks, r.Answers[i], misses, cfg.options(arm))
		report.Latency.Fresh, report.Indexing = true, &all
		r.Reports = append(r.Reports, report)
	}
	return r, nil
}

func (c *Config) options(a Arm) eval.Options { return eval.Options{Off: a.Off, Way: c.Way} }

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
	for i, arm := range cfg.Arms {
		answers, err := eval.Ask(ctx, in.Bus.Conn(), tasks, cfg.options(arm))
		if err != nil {
			return indexed, fmt.Errorf("%s: %w", arm.Name, err)
		}
		for _, a := range answers {
			// Without vectors there would be two arms of the same kind.
			if trouble := slices.Concat(a.Degraded, list(a.Error)); len(trouble) > 0 {
				return indexed, fmt.Errorf("%s: task %s: %s", arm.Name, a.ID, strings.Join(trouble, "; "))
			}
		}
		r.Answers[i] = append(r.Answers[i], answers...)
		if i == 0 {
			misses, err := eval.Misses(ctx, in.Bus.Conn(), tasks, answers, cfg.options(arm))
			if err != nil {
				return indexed, fmt.Errorf("explain the misses: %w", err)
			}
			r.Misses = append(r.Misses, misses...)
		}
	}
	r.Tasks = append(r.Tasks, tasks...)
	return in.Indexing, nil
}

// list is one of one text, or of none.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
