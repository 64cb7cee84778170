package mine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Walk is a clone of a repository that is taken from one commit to the next, and
// followed by an instance. It belongs to one goroutine.
type Walk struct {
	folder string
	tasks  map[string][]Task // by commit
	order  []string          // of the commits, the oldest first
}

// OpenWalk clones a repository into a new folder within scratch ("" is the
// system's) and checks out the oldest commit that tasks ask at: then an instance
// can be started on Folder. Tasks without a commit are left aside. Close removes
// the clone.
func OpenWalk(ctx context.Context, repo, scratch string, tasks []Task) (w *Walk, err error) {
	repo, err = filepath.Abs(repo)
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "the path %s has no absolute form (%w): give it in full", repo, err)
	}
	w = &Walk{tasks: map[string][]Task{}}
	for _, t := range tasks {
		if t.Commit != "" {
			w.tasks[t.Commit] = append(w.tasks[t.Commit], t)
		}
	}
	if len(w.tasks) == 0 {
		return nil, document.Errorf(document.InvalidRequest, "no task names a commit: make some with `freshet eval make` of a git repository")
	}
	if w.folder, err = os.MkdirTemp(scratch, "freshet-walk-"); err != nil {
		return nil, fmt.Errorf("make a folder for the clone: %w", err)
	}
	folder := w.folder
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(folder))
		}
	}()
	if _, err = git(ctx, repo, "clone", "--quiet", "--no-checkout", "--", repo, filepath.Join(w.folder, "clone")); err != nil {
		return nil, err
	}
	if w.order, err = w.sorted(ctx); err != nil {
		return nil, err
	}
	return w, w.checkout(ctx, w.order[0])
}

// Folder is the work tree that an instance has to watch.
func (w *Walk) Folder() string { return filepath.Join(w.folder, "clone") }

// Close removes the clone. No instance may watch it any more.
func (w *Walk) Close() error {
	if err := os.RemoveAll(w.folder); err != nil {
		return fmt.Errorf("remove the clone: %w", err)
	}
	return nil
}

// sorted orders the commits by history: parents before children, so that little
// changes from one to the next.
func (w *Walk) sorted(ctx context.Context) ([]string, error) {
	text, err := git(ctx, w.Folder(), "rev-list", "--reverse", "--topo-order", "HEAD")
	if err != nil {
		return nil, err
	}
	var out []string
	for _, id := range strings.Fields(text) {
		if w.tasks[id] != nil {
			out = append(out, id)
		}
	}
	for id := range w.tasks {
		if !slices.Contains(out, id) {
			return nil, document.Errorf(document.NotFound, "the history has no commit %s, at which a task asks: make the tasks anew, or bring the history with `git fetch --unshallow`", id)
		}
	}
	return out, nil
}

func (w *Walk) checkout(ctx context.Context, commit string) error {
	_, err := git(ctx, w.Folder(), "checkout", "--quiet", "--force", "--detach", commit)
	return err
}

// Time for the watcher to look at a work tree, and for one answer. They only keep
// a run from hanging where nobody answers.
const (
	lookLimit   = 10 * time.Minute
	settleLimit = 30 * time.Second
)

// Run checks out each commit in turn, waits until the instance on nc shows exactly
// that state, and calls ask with the tasks of the commit. The first error ends it.
// ask is called len of done..total times.
func (w *Walk) Run(ctx context.Context, nc *nats.Conn, progress func(done, total int), ask func(ctx context.Context, tasks []Task) error) error {
	for i, id := range w.order {
		if progress != nil {
			progress(i, len(w.order))
		}
		if err := w.checkout(ctx, id); err != nil {
			return err
		}
		if err := w.settle(ctx, nc); err != nil {
			return fmt.Errorf("wait for commit %s: %w", id, err)
		}
		if err := ask(ctx, w.tasks[id]); err != nil {
			return fmt.Errorf("ask at commit %s: %w", id, err)
		}
	}
	return nil
}

// settle has the watcher look at the work tree, and waits with the token of what
// it saw until nothing of it is pending.
func (w *Walk) settle(ctx context.Context, nc *nats.Conn) error {
	limited, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	folder, err := filepath.EvalSymlinks(w.Folder())
	if err != nil {
		return fmt.Errorf("look at the clone: %w", err)
	}
	seen, err := bus.Call[contract.Announce, contract.AnnounceReply](limited, nc, contract.SubjectAnnounce, contract.Announce{Paths: []string{folder}})
	if err != nil {
		return err
	}
	k := 1
	for {
		// The answer comes when the token is settled, or at its deadline with
		// what is pending.
		rep, err := bus.Call[contract.SearchRequest, contract.SearchReply](limited, nc, contract.SubjectSearch, contract.SearchRequest{
			Query: "settled", K: &k, Token: seen.Token.String(), DeadlineMS: int(settleLimit.Milliseconds()), Text: contract.TextNone,
		})
		if err != nil {
			return err
		}
		if len(rep.Pending) == 0 {
			return nil
		}
	}
}
