package cli

import (
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/terminal"
	"github.com/freshet-dev/freshet/services/watcher"
)

// locate returns the root of the source that a path stands for, and tells the
// person when that is more than what was named.
func locate(p *command.Program, path string) (string, error) {
	root, kind, err := watcher.Locate(path)
	if err != nil || kind != contract.SourceWorktree {
		return root, err
	}
	// Locate has just seen the path; should it be gone by now, there is only
	// no note.
	if named := named.Resolve(path); named != "" && named != root {
		noteNarrowing(p, path, root, named)
	}
	return root, nil
}

func noteNarrowing(p *command.Program, path, root, named string) {
	if below, err := filepath.Rel(root, named); err == nil {
		p.Note(path + " lies in the work tree " + root + ", which is followed as a whole: narrow a search with --path " + terminal.ShellWord(filepath.ToSlash(below)))
	}
}
