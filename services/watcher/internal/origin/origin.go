// Package origin reads what a source is: where its documents are, by which rules they are
// read, and what is there now. It knows no log.
package origin

import (
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// sourceBudget bounds the bytes of content that one source holds on their way
// to the log.
const sourceBudget = 32 << 20

// Reading is what holds for the reading of every source.
type Reading struct {
	Limit    int64  // the size in bytes above which a file is skipped
	StateDir string // freshet's own, "" for none: nothing in it is read
	Log      *slog.Logger
	Reads    *atomic.Uint64 // files that were read
	// Collections says which collection a path belongs to.
	Collections classify.Collections
}

// NewReading takes the limit, freshet's own folder, "" for none, and the collections of
// documents. The error is InvalidRequest.
func NewReading(limit int64, stateDir string, collections classify.Collections, log *slog.Logger) (Reading, error) {
	r := Reading{Limit: limit, Log: log, Reads: &atomic.Uint64{}, Collections: collections}
	if stateDir == "" {
		return r, nil
	}
	abs, err := filepath.Abs(stateDir)
	if err != nil {
		return r, document.Errorf(document.InvalidRequest, "the state folder %q cannot be made absolute: %w", stateDir, err)
	}
	if resolved, err := filepath.EvalSymlinks(abs); err == nil {
		abs = resolved
	}
	r.StateDir = abs
	return r, nil
}

// Origin is where the documents of a source are, and by which rules they are
// read: a folder, a work tree, a bare repository, or nowhere where they are
// given by request. It knows no log. It is safe for concurrent use.
type Origin struct {
	*Reading
	Name   document.Source
	Place  Place
	Pinned string // the branch that was asked for, "" for the default one
	Repo   *gitrepo.Repo
	Enter  func(raw string) // has a folder watched; nil where nobody watches

	Budget *scan.Budget
	Memory scan.Memory
	Linked scan.Links

	mu      sync.Mutex
	rules   *ignore.Set
	exclude []string // rules that were named with the source
}

// New makes one that is not opened yet, and has no rules of its own; r is shared by all
// sources.
func New(r *Reading, name document.Source, p Place) *Origin {
	return &Origin{Reading: r, Name: name, Place: p, Budget: scan.NewBudget(sourceBudget)}
}

// Open starts the reader of a repository, where it is one; git is the program.
func (o *Origin) Open(git string) (err error) {
	if o.Place.Kind != contract.SourceFolder {
		o.Repo, err = gitrepo.Open(o.Place.Layout, git)
	}
	return err
}

// Close ends it. No call may be under way.
func (o *Origin) Close() {
	if o.Repo != nil {
		o.Repo.Close()
	}
}

// Current reads what the source is now: its rules, its head, its tree.
func (o *Origin) Current(ctx context.Context) (Truth, document.View, gitrepo.Head, error) {
	var head gitrepo.Head
	var err error
	if o.Repo != nil {
		if head, err = o.Repo.Head(ctx, o.Pinned); err != nil {
			return nil, "", head, err
		}
	}
	if o.Place.Kind == contract.SourceBare {
		t, err := ReadTree(ctx, o, head)
		return t, ViewOf(head), head, err
	}
	if err := o.ReadRules(ctx); err != nil {
		return nil, "", head, err
	}
	return o.Disk(), document.Worktree, head, nil
}

// ViewOf is the view that a branch is followed in.
func ViewOf(h gitrepo.Head) document.View { return document.View(document.EncodePath(h.Branch)) }

// BranchThere refuses a branch that was asked for and has no commit.
func (o *Origin) BranchThere(h gitrepo.Head) error {
	if o.Pinned != "" && h.Commit == "" {
		return document.Errorf(document.NotFound, "%s has no branch %q: name one that it has", o.Place.Root, o.Pinned)
	}
	return nil
}

// Unfetched is the error of a mirror that holds nothing yet: nothing of the source has
// gone.
func (o *Origin) Unfetched(head gitrepo.Head) error {
	if o.Place.Mirror == nil || head.Commit != "" || o.Place.Mirror.Fetched() {
		return nil
	}
	return document.Errorf(document.Unavailable, "%s was not fetched yet", o.Place.Mirror.URL)
}

// Ancestors returns up to n of the commits that a commit includes, with commas
// between them. A history that cannot be read costs no more than that.
func (o *Origin) Ancestors(ctx context.Context, commit string, n int) string {
	if o.Repo == nil {
		return ""
	}
	list, err := o.Repo.Ancestors(ctx, commit, n)
	if err != nil && ctx.Err() == nil {
		o.Log.Warn("the history is not known", "source", o.Name, "error", err)
	}
	return strings.Join(list, ",")
}

// Disk returns the truth of the files on disk by the current rules.
func (o *Origin) Disk() OnDisk {
	o.mu.Lock()
	defer o.mu.Unlock()
	return OnDisk{Disk: o.Scanner(o.rules), Enter: o.Enter}
}

// Collection is the one that a path of the source belongs to.
func (o *Origin) Collection(p document.Path) document.Collection { return o.Collections.Of(o.Name, p) }

// Scanner examines the files on disk by some rules.
func (o *Origin) Scanner(rules *ignore.Set) *scan.Disk {
	return &scan.Disk{
		Root: o.Place.Root, Rules: rules, Limit: o.Limit, Budget: o.Budget, Memory: &o.Memory,
		Systems: &scan.Systems{}, Linked: &o.Linked, Reads: o.Reads, Collection: o.Collection,
	}
}

// RootInfo returns what the root is; nil where it cannot be read.
func (o *Origin) RootInfo() (fs.FileInfo, error) {
	if o.Place.OnDisk() {
		if err := o.Disk().Reachable(); err != nil {
			return nil, err
		}
	}
	info, err := os.Stat(o.Place.Root)
	if err != nil {
		return nil, document.Errorf(document.Unavailable, "the repository %s cannot be read: mount or restore it, or remove the source: %w", o.Place.Root, err)
	}
	return info, nil
}

// Holds returns the path of an absolute path below the root.
func (o *Origin) Holds(abs string) (raw string, ok bool) {
	if o.Place.Kind == contract.SourceAPI {
		return "", false
	}
	rel, err := filepath.Rel(o.Place.Root, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	if rel == "." {
		return "", true
	}
	return filepath.ToSlash(rel), true
}

// Covers reports whether a directory is part of what the source indexes.
func (o *Origin) Covers(abs string) bool {
	raw, ok := o.Holds(abs)
	if !ok {
		return false
	}
	o.mu.Lock()
	rules := o.rules
	o.mu.Unlock()
	return raw == "" || rules != nil && !rules.Dir(raw).Self().Ignored
}
