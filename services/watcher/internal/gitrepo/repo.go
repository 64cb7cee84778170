package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Readers of objects.
const (
	ReaderGit   = "git"
	ReaderGoGit = "go-git"
)

// Head is what a branch names.
type Head struct {
	Branch string // short name; "HEAD" when detached
	Commit string // "" when the branch has no commit (yet, or any more)
}

// Modes of tree entries.
const (
	ModeFile   = 0o100000
	ModeLink   = 0o120000
	ModeModule = 0o160000
	modeMask   = 0o170000
)

// Entry is one path of a commit's tree.
type Entry struct {
	Mode uint32
	Blob string // object id
	Path string // raw bytes, relative, slashes forward
}

// Type returns ModeFile, ModeLink or ModeModule.
func (e Entry) Type() uint32 { return e.Mode & modeMask }

// objects reads one repository.
type objects interface {
	// head resolves a branch, or HEAD for "".
	head(ctx context.Context, branch string) (Head, error)
	// tree lists every entry of a commit that is no tree.
	tree(ctx context.Context, commit string) ([]Entry, error)
	// ancestors lists at most n commits that a commit includes besides itself,
	// newest first.
	ancestors(ctx context.Context, commit string, n int) ([]string, error)
	size(ctx context.Context, blob string) (int64, error)
	blob(ctx context.Context, blob string) ([]byte, error)
	// excludesFile returns core.excludesFile, "" where it is not set.
	excludesFile(ctx context.Context) (string, error)
	// trackedIgnored lists the paths in the index that are ignored.
	trackedIgnored(ctx context.Context, ignored func(path string) bool) ([]string, error)
	close()
}

// Repo is an open repository. It is safe for concurrent use.
type Repo struct {
	Layout
	reader string
	objects
}

// Open opens a repository with the given reader; "auto" takes git where it is
// installed.
func Open(l Layout, reader string) (*Repo, error) {
	git, err := exec.LookPath("git")
	switch reader {
	case "auto":
		if err == nil {
			return &Repo{l, ReaderGit, newCommand(git, l)}, nil
		}
	case ReaderGit:
		if err != nil {
			return nil, document.Errorf(document.Unavailable, "git is not installed: install it, or read repositories with go-git")
		}
		return &Repo{l, ReaderGit, newCommand(git, l)}, nil
	case ReaderGoGit:
	default:
		return nil, document.Errorf(document.InvalidRequest, "repositories cannot be read by %q: use auto, git or go-git", reader)
	}
	lib, err := newLibrary(l)
	if err != nil {
		return nil, err
	}
	return &Repo{l, ReaderGoGit, lib}, nil
}

// Reader returns what reads objects: ReaderGit or ReaderGoGit.
func (r *Repo) Reader() string { return r.reader }

// Close ends the reader's processes. No call may be under way.
func (r *Repo) Close() { r.close() }

// Head resolves a branch, or for "" whatever HEAD names.
func (r *Repo) Head(ctx context.Context, branch string) (Head, error) {
	h, err := r.head(ctx, branch)
	if err != nil {
		return h, fmt.Errorf("resolve the head of %s: %w", r.Dir(), err)
	}
	return h, nil
}

// Tree lists what a commit holds; the empty commit holds nothing.
func (r *Repo) Tree(ctx context.Context, commit string) ([]Entry, error) {
	if commit == "" {
		return nil, nil
	}
	entries, err := r.tree(ctx, commit)
	if err != nil {
		return nil, fmt.Errorf("list %s of %s: %w", commit, r.Dir(), err)
	}
	return entries, nil
}

// Ancestors lists the newest commits that a commit includes besides itself, at
// most n; the empty commit includes none.
func (r *Repo) Ancestors(ctx context.Context, commit string, n int) ([]string, error) {
	if commit == "" {
		return nil, nil
	}
	list, err := r.ancestors(ctx, commit, n)
	if err != nil {
		return nil, fmt.Errorf("list the commits before %s of %s: %w", commit, r.Dir(), err)
	}
	return list, nil
}

// ErrBadObject is in the error of a blob that cannot be read, missing or
// damaged, in a repository that can.
var ErrBadObject = errors.New("the object is damaged or missing")

// Size returns the size of a blob in bytes.
func (r *Repo) Size(ctx context.Context, blob string) (n int64, err error) {
	err = r.read(ctx, blob, func() error {
		n, err = r.size(ctx, blob)
		return err
	})
	return n, err
}

// Blob returns the content of a blob, which becomes the caller's.
func (r *Repo) Blob(ctx context.Context, blob string) (content []byte, err error) {
	err = r.read(ctx, blob, func() error {
		content, err = r.blob(ctx, blob)
		return err
	})
	return content, err
}

// read reads a blob, and tells whether it is the blob or the repository that
// cannot be read. It tries twice: the process that reads may have been ended.
func (r *Repo) read(ctx context.Context, blob string, try func() error) error {
	err := try()
	if err != nil && ctx.Err() == nil {
		err = try()
	}
	if err == nil {
		return nil
	}
	if ctx.Err() == nil && r.opens(ctx) {
		err = fmt.Errorf("%w: %w", ErrBadObject, err)
	}
	return fmt.Errorf("read blob %s of %s: %w", blob, r.Dir(), err)
}

// opens reports whether the repository is there: its head, and its objects,
// which go-git does not miss before it needs one.
func (r *Repo) opens(ctx context.Context) bool {
	if _, err := os.ReadDir(filepath.Join(r.CommonDir, "objects")); err != nil {
		return false
	}
	h, err := r.head(ctx, "")
	return err == nil && h.Branch != ""
}

// TrackedIgnored lists the paths in the index that git's own rules would
// ignore. ignored applies those rules.
func (r *Repo) TrackedIgnored(ctx context.Context, ignored func(path string) bool) ([]string, error) {
	if r.Bare() {
		return nil, nil
	}
	paths, err := r.trackedIgnored(ctx, ignored)
	if err != nil {
		return nil, fmt.Errorf("read the index of %s: %w", r.Dir(), err)
	}
	return paths, nil
}
