package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/freshet-dev/freshet/services/watcher/internal/beneath"
)

// ExcludeFile is a list of ignore rules outside the tree.
type ExcludeFile struct {
	Name    string // absolute path
	Content string
}

// maxRules bounds what is read of a list of rules, in bytes.
const maxRules = 4 << 20

// Excludes returns the user's global excludes and info/exclude, in rising
// precedence. Files that are not there, or are no files, are left out.
func (r *Repo) Excludes(ctx context.Context) ([]ExcludeFile, error) {
	global, err := r.excludesFile(ctx)
	if err != nil {
		return nil, fmt.Errorf("read core.excludesFile of %s: %w", r.Dir(), err)
	}
	if global == "" {
		global = defaultExcludes()
	}
	var out []ExcludeFile
	for _, name := range []string{global, filepath.Join(r.CommonDir, "info", "exclude")} {
		if name == "" {
			continue
		}
		b, err := beneath.ReadSmall(name, maxRules)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, beneath.ErrNoSmallFile) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read ignore rules: %w", err)
		}
		out = append(out, ExcludeFile{name, string(b)})
	}
	return out, nil
}

// defaultExcludes is where git looks when core.excludesFile is not set.
func defaultExcludes() string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", "ignore")
	}
	if home, err := os.UserHomeDir(); err == nil {
		return filepath.Join(home, ".config", "git", "ignore")
	}
	return ""
}
