package mcpserver

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/named"
)

// project returns the root of what may be indexed for an agent that works in a
// folder: the git work tree that it is in, else the folder itself where it lies
// below one of roots. The home folder, what is above it, and / are never that. The
// error is Forbidden.
func project(folder string, roots []string) (string, error) {
	folder = named.OnDisk(folder)
	if root := workTree(folder); root != "" && !tooMuch(root) {
		return root, nil
	}
	for _, root := range roots {
		if root = named.OnDisk(root); below(folder, root) && !tooMuch(folder) {
			return folder, nil
		}
	}
	return "", document.Errorf(document.Forbidden, "the folder %s is in no git work tree and below no folder of agents.roots, so nothing of it is indexed by itself", folder)
}

// workTree is the root of the git work tree that a folder is in; "" for none.
func workTree(folder string) string {
	for {
		if _, err := os.Lstat(filepath.Join(folder, ".git")); err == nil {
			return folder
		}
		up := filepath.Dir(folder)
		if up == folder {
			return ""
		}
		folder = up
	}
}

// tooMuch tells the folders that no agent may have indexed. Where the home folder
// is not known, nothing may be.
func tooMuch(folder string) bool {
	home, err := os.UserHomeDir()
	return err != nil || below(named.OnDisk(home), folder) || filepath.Dir(folder) == folder
}

// below reports whether a folder is another, or lies in it.
func below(folder, other string) bool {
	rel, err := filepath.Rel(other, folder)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
