package watcher

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// sourceBudget bounds the bytes of content that one source holds on their way
// to the log.
const sourceBudget = 32 << 20

// reading is what holds for the reading of every source.
type reading struct {
	limit    int64  // the size in bytes above which a file is skipped
	stateDir string // freshet's own, "" for none: nothing in it is read
	log      *slog.Logger
	reads    *atomic.Uint64 // files that were read
}

// readingOf makes it of a configuration. The error is InvalidRequest.
func readingOf(cfg Config, log *slog.Logger) (reading, error) {
	r := reading{limit: int64(cfg.MaxFileSize), log: log, reads: &atomic.Uint64{}}
	if cfg.StateDir == "" {
		return r, nil
	}
	abs, err := filepath.Abs(cfg.StateDir)
	if err != nil {
		return r, document.Errorf(document.InvalidRequest, "the state folder %q cannot be made absolute: %w", cfg.StateDir, err)
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		abs = resolved
	}
	r.stateDir = abs
	return r, nil
}

// origin is where the documents of a source are, and by which rules they are
// read: a folder, a work tree, a bare repository, or nowhere where they are
// given by request. It knows no log. It is safe for concurrent use.
type origin struct {
	*reading
	name   document.Source
	place  place
	pinned string // the branch that was asked for, "" for the default one
	repo   *gitrepo.Repo
	enter  func(raw string) // has a folder watched; nil where nobody watches

	budget *scan.Budget
	memory scan.Memory
	linked scan.Links

	mu      sync.Mutex
	rules   *ignore.Set
	exclude []string // rules that were named with the source
}

func newOrigin(r *reading, name document.Source, p place) *origin {
	return &origin{reading: r, name: name, place: p, budget: scan.NewBudget(sourceBudget)}
}

// open starts the reader of a repository, where it is one; git is the program.
func (o *origin) open(git string) (err error) {
	if o.place.kind != contract.SourceFolder {
		o.repo, err = gitrepo.Open(o.place.layout, git)
	}
	return err
}

// close ends it. No call may be under way.
func (o *origin) close() {
	if o.repo != nil {
		o.repo.Close()
	}
}

// current reads what the source is now: its rules, its head, its tree.
func (o *origin) current(ctx context.Context) (truth, document.View, gitrepo.Head, error) {
	var head gitrepo.Head
	var err error
	if o.repo != nil {
		if head, err = o.repo.Head(ctx, o.pinned); err != nil {
			return nil, "", head, err
		}
	}
	if o.place.kind == contract.SourceBare {
		t, err := readTree(ctx, o, head)
		return t, viewOf(head), head, err
	}
	if err := o.readRules(ctx); err != nil {
		return nil, "", head, err
	}
	return o.disk(), document.Worktree, head, nil
}

func viewOf(h gitrepo.Head) document.View { return document.View(document.EncodePath(h.Branch)) }

// branchThere refuses a branch that was asked for and has no commit.
func (o *origin) branchThere(h gitrepo.Head) error {
	if o.pinned != "" && h.Commit == "" {
		return document.Errorf(document.NotFound, "%s has no branch %q: name one that it has", o.place.root, o.pinned)
	}
	return nil
}

// unfetched is the error of a mirror that holds nothing yet: nothing of the source has
// gone.
func (o *origin) unfetched(head gitrepo.Head) error {
	if o.place.mirror == nil || head.Commit != "" || o.place.mirror.Fetched() {
		return nil
	}
	return document.Errorf(document.Unavailable, "%s was not fetched yet", o.place.mirror.URL)
}

// ancestors returns what a marker says of the commits that a commit includes.
// A history that cannot be read costs no more than that.
func (o *origin) ancestors(ctx context.Context, commit string) string {
	if o.repo == nil {
		return ""
	}
	list, err := o.repo.Ancestors(ctx, commit, markedAncestors)
	if err != nil && ctx.Err() == nil {
		o.log.Warn("the history is not known", "source", o.name, "error", err)
	}
	return strings.Join(list, ",")
}

// readRules has the rules hold that stand in the source now.
func (o *origin) readRules(ctx context.Context) error {
	rules, err := o.loadRules(ctx)
	if err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.rules = rules
	return nil
}

// loadRules reads the ignore rules as they stand now.
func (o *origin) loadRules(ctx context.Context) (*ignore.Set, error) {
	root := o.place.root
	in := ignore.Options{Git: true, LeftOut: o.excluded(), Read: readBelow(root)}
	if rel, err := filepath.Rel(root, o.stateDir); o.stateDir != "" && err == nil && filepath.IsLocal(rel) && rel != "." {
		in.Fixed = []string{filepath.ToSlash(rel)}
	}
	in.Nested = func(rel string) bool {
		dir := filepath.Join(root, filepath.FromSlash(rel))
		if o.repo == nil {
			return gitrepo.IsGitDir(dir)
		}
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		return err == nil || gitrepo.IsGitDir(dir)
	}
	if o.repo == nil {
		return ignore.New(in), nil
	}
	excludes, err := o.repo.Excludes(ctx)
	if err != nil {
		return nil, err
	}
	for _, e := range excludes {
		in.Excludes = append(in.Excludes, ignore.Exclude{Name: e.Name, Content: e.Content})
	}
	plain := ignore.New(in)
	in.Tracked, err = o.repo.TrackedIgnored(ctx, func(path string) bool {
		d := plain.Decide(path, false)
		return d.Ignored && d.Class == ignore.ClassGit
	})
	if err != nil {
		return nil, err
	}
	return ignore.New(in), nil
}

// excluded are the rules that were named with the source.
func (o *origin) excluded() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.exclude
}

func (o *origin) setExcluded(rules []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.exclude = slices.Clone(rules)
}

// disk returns the truth of the files on disk by the current rules.
func (o *origin) disk() onDisk {
	o.mu.Lock()
	defer o.mu.Unlock()
	return onDisk{Disk: o.scanner(o.rules), enter: o.enter}
}

// scanner examines the files on disk by some rules.
func (o *origin) scanner(rules *ignore.Set) *scan.Disk {
	return &scan.Disk{
		Root: o.place.root, Rules: rules, Limit: o.limit, Budget: o.budget, Memory: &o.memory,
		Systems: &scan.Systems{}, Linked: &o.linked, Reads: o.reads,
	}
}

// rootInfo returns what the root is; nil where it cannot be read.
func (o *origin) rootInfo() (fs.FileInfo, error) {
	if o.place.onDisk() {
		if err := o.disk().reachable(); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(o.place.root)
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "the repository %s cannot be read: mount or restore it, or remove the source: %w", o.place.root, err)
	}
	return info, nil
}

// holds returns the path of an absolute path below the root.
func (o *origin) holds(abs string) (raw string, ok bool) {
	if o.place.kind == contract.SourceAPI {
		return "", false
	}
	rel, err := filepath.Rel(o.place.root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}

// covers reports whether a directory is part of what the source indexes.
func (o *origin) covers(abs string) bool {
	raw, ok := o.holds(abs)
	if !ok {
		return false
	}
	o.mu.Lock()
	rules := o.rules
	o.mu.Unlock()
	return raw == "" || rules != nil && !rules.Dir(raw).Self().Ignored
}
