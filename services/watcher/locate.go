package watcher

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/services/watcher/internal/beneath"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/mirror"
)

// place is what a path that a user gave stands for.
type place struct {
	root   string // absolute, without symbolic links; "" for an API source
	kind   string
	layout gitrepo.Layout // zero for a plain folder
	mirror *mirror.Mirror // whose folder root is; nil where it is nobody's copy
}

// what names the place to a person: the address that it is the copy of, or its root.
func (p place) what() string { return cmp.Or(p.remote(), p.root) }

// remote is the address that root is the copy of; "" where it is none.
func (p place) remote() string {
	if p.mirror == nil {
		return ""
	}
	return p.mirror.URL
}

// onDisk reports whether the documents are files, in a folder or work tree.
func (p place) onDisk() bool {
	return p.kind == contract.SourceFolder || p.kind == contract.SourceWorktree
}

// takesBranch refuses a branch ("" for none) where the files are followed.
func (p place) takesBranch(branch string) error {
	if branch != "" && p.kind != contract.SourceBare {
		return document.Errorf(document.InvalidRequest, "%s is no bare repository, so its files are followed, not a branch: leave the branch out", p.root)
	}
	return nil
}

// Locate returns the root and the kind of the source that a path stands for: a
// bare repository, the work tree that the path lies in, or the folder itself.
// The error's kind is NotFound, Forbidden or InvalidRequest.
func Locate(path string) (root, kind string, err error) {
	p, err := locate(path)
	return p.root, p.kind, err
}

// placeOf returns what a request to add a source stands for.
func (m *mirrors) placeOf(ctx context.Context, add contract.SourceAdd) (place, error) {
	switch {
	case add.Remote != "" && (add.Root != "" || add.Kind != "" || add.Once):
		return place{}, document.Errorf(document.InvalidRequest, "a source with a remote has no other place and is followed: leave root, kind and once out")
	case add.Remote != "":
		return m.place(ctx, add)
	case add.Kind == contract.SourceAPI && (add.Root != "" || add.Branch != "" || add.Once || len(add.Exclude) > 0):
		return place{}, document.Errorf(document.InvalidRequest, "a source of kind api has a name alone: leave root, branch, once and exclude out")
	case add.Kind == contract.SourceAPI:
		return place{kind: contract.SourceAPI}, nil
	case add.Kind != "":
		return place{}, document.Errorf(document.InvalidRequest, "the kind %q cannot be asked for: leave it out for a folder or repository, or give %q", add.Kind, contract.SourceAPI)
	case add.Root == "":
		return place{}, document.Errorf(document.InvalidRequest, "the request names no root: give the path of a folder or repository, or the remote of one")
	}
	return locate(add.Root)
}

func locate(path string) (place, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return place{}, document.Errorf(document.InvalidRequest, "the path %q cannot be made absolute: %w", path, err)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return place{}, pathError(abs, err)
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return place{}, pathError(abs, err)
	}
	if !info.IsDir() {
		return place{}, document.Errorf(document.InvalidRequest, "%s is not a folder: give the folder that it lies in", abs)
	}
	dir, err := os.Open(resolved)
	if err != nil {
		return place{}, pathError(abs, err)
	}
	_ = dir.Close() // only opened to see that it may be
	layout, found, err := gitrepo.Find(resolved)
	switch {
	case err != nil:
		return place{}, pathError(abs, err)
	case !found:
	case layout.Bare():
		return place{root: resolved, kind: contract.SourceBare, layout: layout}, nil
	case layout.Top == resolved || !ignoredIn(layout.Top, resolved):
		return place{root: layout.Top, kind: contract.SourceWorktree, layout: layout}, nil
	}
	return place{root: resolved, kind: contract.SourceFolder}, nil
}

// ignoredIn reports whether a folder is ignored by the work tree around it:
// then it is a source of its own. A home directory that is a repository of
// dot files and ignores everything else is the common case.
func ignoredIn(top, folder string) bool {
	rel, err := filepath.Rel(top, folder)
	if err != nil {
		return true
	}
	rules := ignore.New(ignore.Options{Git: true, Read: readBelow(top)})
	rel = filepath.ToSlash(rel)
	return rules.Dir(rel).Self().Ignored
}

// maxRuleFile bounds what is read of an ignore file, in bytes.
const maxRuleFile = 4 << 20

// readBelow reads small regular files by their path relative to root, and none
// behind a link.
func readBelow(root string) func(rel string) ([]byte, bool) {
	return func(rel string) ([]byte, bool) {
		b, err := beneath.ReadSmallBelow(root, rel, maxRuleFile)
		return b, err == nil
	}
}

func pathError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document.Errorf(document.NotFound, "%s does not exist: check the path", path)
	case errors.Is(err, fs.ErrPermission):
		return document.Errorf(document.Forbidden, "%s cannot be read: give this user permission to read it", path)
	}
	return document.Errorf(document.InvalidRequest, "%s cannot be read: %w", path, err)
}

// slugFor makes a source name of a root's last element.
func slugFor(p place) document.Source {
	if p.mirror != nil {
		return document.Slug(giturl.Name(p.mirror.URL))
	}
	base := filepath.Base(p.root)
	if p.kind == contract.SourceBare {
		base = strings.TrimSuffix(base, ".git")
	}
	return document.Slug(base)
}
