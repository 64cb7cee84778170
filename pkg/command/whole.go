package command

import (
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/named"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// NoteWhole tells a person who named a path in a work tree that the tree is
// followed as a whole. Should the path be gone by now, there is only no note.
func (p *Program) NoteWhole(path, root string) {
	at := named.Resolve(path)
	if at == "" || at == root {
		return
	}
	if below, err := filepath.Rel(root, at); err == nil {
		p.Note(path + " lies in the work tree " + root + ", which is followed as a whole: narrow a search with --path " + terminal.ShellWord(filepath.ToSlash(below)))
	}
}
