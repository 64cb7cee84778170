package quality

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/freshet/internal/bench/system"
)

// Default names the repositories for daily work: eight languages, quickly
// indexed.
var Default = []string{"aiohttp", "alamofire", "gin", "gson", "libuv", "serde", "sinatra", "zod"}

// Config says what to measure.
type Config struct {
	Binary  string   // path of freshet
	Bench   string   // folder with the task set
	Repos   string   // cache of repositories
	Names   []string // repositories; Default when empty, ["all"] for every one
	Scratch string   // folder for temporary state; "" means the system's
}

// Arm is one way to search: the stages that it leaves out.
type Arm struct {
	Name string
	Off  []string
}

// Arms are the ways that are compared.
var Arms = []Arm{
	{"BM25 alone", []string{"vector", "signals", "pending"}},
	{"vectors alone", []string{"lexical", "signals", "pending"}},
	{"both, fused", []string{"signals", "pending"}},
	{"the whole", nil},
}

// Answer is how one arm answered one task.
type Answer struct {
	ID       string   `json:"id"`
	Repo     string   `json:"repo"`
	Category string   `json:"category"`
	Arm      string   `json:"arm"`
	Files    []string `json:"files"` // ranked, one a passage, relative to the repository
	// OverFiles and OverChunks are NDCG@10 with a file counted once, and over
	// the list as given.
	OverFiles  float64 `json:"ndcg10_files"`
	OverChunks float64 `json:"ndcg10_chunks"`
	MS         float64 `json:"ms"`
}

// Run indexes each repository on its own and asks its tasks in every arm. All
// temporary state is removed at the end.
func Run(ctx context.Context, cfg Config, progress io.Writer) (answers []Answer, err error) {
	tasks, err := ReadTasks(cfg.Bench)
	if err != nil {
		return nil, err
	}
	repos, err := ReadRepos(cfg.Bench)
	if err != nil {
		return nil, err
	}
	names, err := chosen(cfg.Names, repos)
	if err != nil {
		return nil, err
	}
	scratch, err := os.MkdirTemp(cfg.Scratch, "freshet-quality-")
	if err != nil {
		return nil, fmt.Errorf("make a folder for temporary state: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	for _, name := range names {
		begin := time.Now()
		got, err := runRepo(ctx, cfg, repos[name], tasks[name], filepath.Join(scratch, name))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		answers = append(answers, got...)
		_, _ = fmt.Fprintf(progress, "%-18s %3d tasks, %.1f s\n", name, len(tasks[name]), time.Since(begin).Seconds())
	}
	return answers, nil
}

// chosen returns the names to measure, sorted.
func chosen(names []string, repos map[string]Repo) ([]string, error) {
	switch {
	case len(names) == 0:
		names = Default
	case slices.Equal(names, []string{"all"}):
		names = nil
		for name := range repos {
			names = append(names, name)
		}
	}
	for _, name := range names {
		if _, ok := repos[name]; !ok {
			return nil, document.Errorf(document.NotFound, "the task set has no repository %q: see %s", name, reposFile)
		}
	}
	out := slices.Clone(names)
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Longest time to index one repository and to answer one question.
const (
	indexLimit  = 10 * time.Minute
	answerLimit = 30 * time.Second
)

func runRepo(ctx context.Context, cfg Config, repo Repo, tasks []Task, data string) (answers []Answer, err error) {
	folder, err := Checkout(ctx, repo, cfg.Repos)
	if err != nil {
		return nil, err
	}
	p, err := system.Start(ctx, system.Options{Binary: cfg.Binary, Data: data, Paths: []string{folder}})
	if err != nil {
		return nil, err
	}
	defer func() { _, serr := p.Stop(); err = errors.Join(err, serr) }()
	limited, cancel := context.WithTimeout(ctx, indexLimit)
	defer cancel()
	url, _, err := p.Ready(limited)
	if err != nil {
		return nil, err
	}
	b, err := bus.Connect(ctx, url)
	if err != nil {
		return nil, fmt.Errorf("connect to the program: %w", err)
	}
	defer b.Close()
	prefix, err := prefixOf(ctx, b, folder, repo)
	if err != nil {
		return nil, err
	}
	for _, task := range tasks {
		for _, arm := range Arms {
			a, err := answer(ctx, b, task, arm, prefix)
			if err != nil {
				return nil, fmt.Errorf("task %s, %s: %w", task.ID, arm.Name, err)
			}
			answers = append(answers, a)
		}
	}
	return answers, nil
}

// prefixOf checks that exactly the folder is indexed, and returns what makes
// its paths relative to the repository.
func prefixOf(ctx context.Context, b *bus.Bus, folder string, repo Repo) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	list, err := bus.Call[struct{}, contract.SourceList](ctx, b.Conn(), contract.SubjectSourcesList, struct{}{})
	if err != nil {
		return "", err
	}
	want, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", fmt.Errorf("look at the repository: %w", err)
	}
	if len(list.Sources) != 1 {
		return "", fmt.Errorf("%d sources are watched instead of %s alone", len(list.Sources), want)
	}
	// A folder inside a git repository is followed as that whole repository;
	// then other files than those of the task set would compete.
	if got := list.Sources[0].Root; got != want && got != folder {
		return "", document.Errorf(document.InvalidRequest, "%s lies within the repository %s, which is indexed instead: keep the repositories of the benchmark outside", folder, got)
	}
	return strings.Trim(repo.Root, "/"), nil
}

func answer(ctx context.Context, b *bus.Bus, task Task, arm Arm, prefix string) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	k := depth
	begin := time.Now()
	rep, err := bus.Call[contract.SearchRequest, contract.SearchReply](ctx, b.Conn(), contract.SubjectSearch, contract.SearchRequest{
		Query: task.Query, K: &k, Text: contract.TextNone, Off: arm.Off,
		DeadlineMS: int(answerLimit.Milliseconds()),
	})
	if err != nil {
		return Answer{}, err
	}
	// Without vectors there would be two arms of the same kind.
	if len(rep.Degraded) > 0 {
		return Answer{}, fmt.Errorf("the answer is degraded: %s", strings.Join(rep.Degraded, "; "))
	}
	out := Answer{
		ID: task.ID, Repo: task.Repo, Category: task.Category, Arm: arm.Name, Files: []string{},
		MS: float64(time.Since(begin).Microseconds()) / 1000,
	}
	for _, h := range rep.Hits {
		out.Files = append(out.Files, rooted(h.Path.Raw(), prefix))
	}
	out.OverFiles, out.OverChunks = NDCG(out.Files, task, true), NDCG(out.Files, task, false)
	return out, nil
}
