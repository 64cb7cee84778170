package origin

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
	"github.com/freshet-dev/freshet/services/watcher/internal/mirror"
)

// Place is what a path that a user gave stands for.
type Place struct {
	Root   string // absolute, without symbolic links; "" for an API source
	Kind   string
	Layout gitrepo.Layout // zero for a plain folder
	Mirror *mirror.Mirror // whose folder root is; nil where it is nobody's copy
}

// What names the place to a person: the address that it is the copy of, or its root.
func (p Place) What() string { return cmp.Or(p.Remote(), p.Root) }

// Remote is the address that root is the copy of; "" where it is none.
func (p Place) Remote() string {
	if p.Mirror == nil {
		return ""
	}
	return p.Mirror.URL
}

// OnDisk reports whether the documents are files, in a folder or work tree.
func (p Place) OnDisk() bool {
	return p.Kind == contract.SourceFolder || p.Kind == contract.SourceWorktree
}

// TakesBranch refuses a branch ("" for none) where the files are followed.
func (p Place) TakesBranch(branch string) error {
	if branch != "" && p.Kind != contract.SourceBare {
		return document.Errorf(document.InvalidRequest, "%s is no bare repository, so its files are followed, not a branch: leave the branch out", p.Root)
	}
	return nil
}

// Locate returns what a path stands for: a bare repository, the work tree that the path
// lies in, or the folder itself. The error's kind is NotFound, Forbidden or InvalidRequest.
func Locate(path string) (Place, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return Place{}, document.Errorf(document.InvalidRequest, "the path %q cannot be made absolute: %w", path, err)
	}
	resolved, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return Place{}, pathError(abs, err)
	}
	info, err := os.Stat(resolved)
	if err != nil {
		return Place{}, pathError(abs, err)
	}
	if !info.IsDir() {
		return Place{}, document.Errorf(document.InvalidRequest, "%s is not a folder: give the folder that it lies in", abs)
	}
	dir, err := os.Open(resolved)
	if err != nil {
		return Place{}, pathError(abs, err)
	}
	_ = dir.Close() // only opened to see that it may be
	layout, found, err := gitrepo.Find(resolved)
	switch {
	case err != nil:
		return Place{}, pathError(abs, err)
	case !found:
	case layout.Bare():
		return Place{Root: resolved, Kind: contract.SourceBare, Layout: layout}, nil
	case layout.Top == resolved || !ignoredIn(layout.Top, resolved):
		return Place{Root: layout.Top, Kind: contract.SourceWorktree, Layout: layout}, nil
	}
	return Place{Root: resolved, Kind: contract.SourceFolder}, nil
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

func pathError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return document.Errorf(document.NotFound, "%s does not exist: check the path", path)
	case errors.Is(err, fs.ErrPermission):
		return document.Errorf(document.Forbidden, "%s cannot be read: give this user permission to read it", path)
	}
	return document.Errorf(document.InvalidRequest, "%s cannot be read: %w", path, err)
}

// Slug makes a source name of the root's last element.
func (p Place) Slug() document.Source {
	if p.Mirror != nil {
		return document.Slug(giturl.Name(p.Mirror.URL))
	}
	base := filepath.Base(p.Root)
	if p.Kind == contract.SourceBare {
		base = strings.TrimSuffix(base, ".git")
	}
	return document.Slug(base)
}
