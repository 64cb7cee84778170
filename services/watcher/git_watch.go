package watcher

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
	"github.com/freshet-dev/freshet/services/watcher/internal/origin"
	"github.com/freshet-dev/freshet/services/watcher/internal/watch"
)

// gitWatch follows the git directories of a repository: a commit there is
// another tree, and what git ignores are other rules.
type gitWatch struct {
	origin   *origin.Origin
	position *position
	full     *fullRunner
	watches  []*watch.Watch // one for each of the place's directories
}

// metaDirs are the directories of a git directory that hold refs or rules.
var metaDirs = []string{"refs", "info", "logs", "reftable"}

// ensure registers watches for one of the git directories.
func (g *gitWatch) ensure(i int) {
	dir := g.origin.Place.Layout.MetaDirs()[i]
	g.watches[i].Ensure("")
	for _, sub := range metaDirs {
		_ = filepath.WalkDir(filepath.Join(dir, sub), func(path string, e fs.DirEntry, err error) error {
			if e == nil || err != nil {
				return filepath.SkipDir // gone again: its parent's watch tells
			}
			rel := filepath.ToSlash(strings.TrimPrefix(path, dir+string(filepath.Separator)))
			switch {
			case strings.HasPrefix(rel, "logs/"):
				return filepath.SkipDir // logs/HEAD is all that counts there
			case e.IsDir():
				g.watches[i].Ensure(rel)
			}
			return nil
		})
	}
}

// changed handles a batch of changes in a git directory. Only another head
// or other rules lead to a comparison.
func (g *gitWatch) changed(ctx context.Context, i int, batch []watch.Change) {
	refs, rules := false, false
	for _, c := range batch {
		switch {
		case c.Lost || c.Path == "":
			refs, rules = true, true
		case gitrepo.MetaOf(c.Path) == gitrepo.MetaRefs:
			refs = true
		case gitrepo.MetaOf(c.Path) == gitrepo.MetaRules:
			rules = true
		}
	}
	if !refs && !rules {
		return
	}
	g.ensure(i) // a branch's name may have made new directories
	if !rules {
		head, err := g.origin.Repo.Head(ctx, g.origin.Pinned)
		if err == nil && head == g.position.get().head {
			return
		}
	}
	_, err := g.full.ask(ctx, true)
	g.full.makeUp(ctx, err)
}
