package eval

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// historyBranch is the branch that the copy of a repository is followed at.
const historyBranch = "refs/heads/freshet-eval"

// OfHistory reports whether some task is asked as of a commit.
func OfHistory(tasks []Task) bool {
	return slices.ContainsFunc(tasks, func(t Task) bool { return t.Commit != "" })
}

// history is a bare copy of a repository, which goes to the commits that tasks
// are asked as of. The original is never touched.
type history struct {
	from, repo string
	head       string // commit of the original when it was copied
	at         string
}

// copyHistory copies the repository that a folder is in.
func copyHistory(ctx context.Context, from, into string) (*history, error) {
	name := strings.TrimSuffix(filepath.Base(from), ".git")
	h := &history{from: from, repo: filepath.Join(into, name)}
	if out, err := exec.CommandContext(ctx, "git", "clone", "--quiet", "--bare", "--", from, h.repo).CombinedOutput(); err != nil {
		return nil, document.Errorf(document.NotFound, "the tasks are asked as of commits, and %s is no repository that can be copied (%w): %s", from, err, strings.TrimSpace(string(out)))
	}
	head, err := h.git(ctx, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	h.head = strings.TrimSpace(head)
	if err := h.move(ctx, h.head); err != nil {
		return nil, err
	}
	_, err = h.git(ctx, "symbolic-ref", "HEAD", historyBranch)
	return h, err
}

func (h *history) git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", append([]string{"-C", h.repo}, args...)...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}

// move sets the branch to a commit, which may be older.
func (h *history) move(ctx context.Context, commit string) error {
	if _, err := h.git(ctx, "update-ref", historyBranch, commit); err != nil {
		return document.Errorf(document.NotFound, "the commit %s is not in %s (%w): fetch it there, or make the tasks again", commit, h.from, err)
	}
	h.at = commit
	return nil
}

// InOrder returns the tasks in the order of the history that they are asked as
// of, so that little changes from one to the next; those of no commit come last.
func (in *Instance) InOrder(ctx context.Context, tasks []Task) ([]Task, error) {
	if in.history == nil {
		return tasks, nil
	}
	list, err := in.history.git(ctx, "rev-list", "--topo-order", "--reverse", "--all")
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	for i, id := range strings.Fields(list) {
		at[id] = i - len(list) // below 0, which is that of none
	}
	out := slices.Clone(tasks)
	slices.SortStableFunc(out, func(a, b Task) int { return at[a.Commit] - at[b.Commit] })
	return out, nil
}

// At brings what is indexed to a commit, and to that of the start for "". It
// returns when every index shows it, and holds nothing else: an index drops what
// a document held before up to a second after it shows what it holds now, and
// until then that counts in the statistics that passages are weighed by.
func (in *Instance) At(ctx context.Context, commit string) error {
	h := in.history
	if h == nil && commit == "" {
		return nil
	}
	if h == nil {
		return document.Errorf(document.InvalidRequest, "a task is asked as of the commit %s: name its repository alone with --index", commit)
	}
	if commit == "" {
		commit = h.head
	}
	if h.at == commit {
		return nil
	}
	if err := h.move(ctx, commit); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, indexLimit)
	defer cancel()
	told, err := client.Announce.Ask(ctx, in.Bus.Conn(), contract.Announce{Repository: h.repo})
	if err != nil {
		return fmt.Errorf("announce the commit %s: %w", commit, err)
	}
	if err := settle(ctx, in.Bus, told.Token); err != nil {
		return err
	}
	if _, err := client.Sweep.Ask(ctx, in.Bus.Conn(), client.None); err != nil {
		return fmt.Errorf("have the indexes drop what was before the commit %s: %w", commit, err)
	}
	return nil
}

// settle waits until nothing up to a token is pending. What it asks is no
// question of any task, so that nothing is remembered of these.
func settle(ctx context.Context, b *bus.Bus, token document.Token) error {
	one := 1
	for {
		rep, err := client.Search.Ask(ctx, b.Conn(), contract.SearchRequest{
			Query: "settled", K: &one, Token: token.String(), DeadlineMS: int((30 * time.Second).Milliseconds()), Text: contract.TextNone,
		})
		if err != nil {
			return fmt.Errorf("wait until everything is indexed: %w", err)
		}
		if len(rep.Pending) == 0 {
			return nil
		}
	}
}
