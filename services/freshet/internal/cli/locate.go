package cli

import (
	"github.com/freshet-dev/freshet/pkg/command"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/giturl"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// locate returns the root of the source that a path stands for, and tells the
// person when that is more than what was named.
func locate(p *command.Program, path string) (string, error) {
	if giturl.Is(path) {
		return "", document.Errorf(document.InvalidRequest, "%s is on another machine, and only followed: use `freshet source add` or `freshet up`", path)
	}
	root, kind, err := survey.Locate(path)
	if err == nil && kind == contract.SourceWorktree {
		p.NoteWhole(path, root)
	}
	return root, err
}
