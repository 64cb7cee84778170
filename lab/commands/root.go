package commands

import (
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// rootOf returns the root of the source that a path stands for, and tells the
// person when that is more than what was named.
func rootOf(p *command.Program, path string) (string, error) {
	root, kind, err := survey.Locate(path)
	if err == nil && kind == contract.SourceWorktree {
		p.NoteWhole(path, root)
	}
	return root, err
}
