package command

import (
	"os"
	"os/exec"
	"path/filepath"

	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Callable returns how this program is called from the current folder: by its
// name where PATH leads to it, else by its path, so that an example can be
// copied as it stands.
func Callable() string {
	const name = "freshet"
	self, err := os.Executable()
	if err != nil {
		return name
	}
	if found, err := exec.LookPath(name); err == nil && sameFile(found, self) {
		return name
	}
	if folder, err := os.Getwd(); err == nil {
		// A bare name would be looked for in PATH.
		if rel, err := filepath.Rel(folder, self); err == nil && filepath.IsLocal(rel) && filepath.Dir(rel) != "." {
			return terminal.ShellWord(rel)
		}
	}
	return terminal.ShellWord(self)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
