package cli

import (
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/watcher"
)

// locate returns the root of the source that a path stands for, and tells the
// person when that is more than what was named.
func (p *Program) locate(path string) (string, error) {
	root, kind, err := watcher.Locate(path)
	if err != nil || kind != contract.SourceWorktree {
		return root, err
	}
	named, err := filepath.Abs(path)
	if err == nil {
		named, err = filepath.EvalSymlinks(named)
	}
	if err != nil || named == root {
		return root, nil // it is there: Locate has just seen it
	}
	if below, err := filepath.Rel(root, named); err == nil {
		p.note(path + " lies in the work tree " + root + ", which is followed as a whole: narrow a search with --path " + quote(filepath.ToSlash(below)))
	}
	return root, nil
}
