package speed

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Config says what to measure.
type Config struct {
	Binary  string // path of freshet
	Dir     string // tree to index; "" means Go's own source
	Scratch string // folder for temporary state; "" means the system's
	// TreeFiles is the size of the tree in which edits are made.
	TreeFiles int
	Edits     int // edits, idle and again during a bulk load
	Pushed    int // files changed by the push
	Queries   int // queries of each measurement

	file string // configuration of the program; "" means the defaults
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() error {
	if c.TreeFiles == 0 {
		c.TreeFiles = 5000
	}
	if c.Edits == 0 {
		c.Edits = 200
	}
	if c.Pushed == 0 {
		c.Pushed = 100
	}
	if c.Queries == 0 {
		c.Queries = 500
	}
	if c.Dir == "" {
		out, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return document.Errorf(document.InvalidRequest, "cannot find Go's own source (%w): name a tree with --dir", err)
		}
		c.Dir = filepath.Join(strings.TrimSpace(string(out)), "src")
	}
	return nil
}

// Validate checks the configuration and makes its paths absolute.
func (c *Config) Validate() error {
	for _, v := range []struct {
		name      string
		n, lo, hi int
	}{
		{"tree-files", c.TreeFiles, 1, 1_000_000},
		{"edits", c.Edits, 1, 10_000},
		{"pushed", c.Pushed, 1, 10_000},
		{"queries", c.Queries, 1, 100_000},
	} {
		if v.n < v.lo || v.n > v.hi {
			return document.Errorf(document.InvalidRequest, "--%s is %d: use %d to %d", v.name, v.n, v.lo, v.hi)
		}
	}
	for _, path := range []*string{&c.Binary, &c.Dir} {
		abs, err := filepath.Abs(*path)
		if err != nil {
			return document.Errorf(document.InvalidRequest, "the path %s has no absolute form: %w", *path, err)
		}
		if _, err := os.Stat(abs); err != nil {
			return document.Errorf(document.NotFound, "cannot look at %s: %w", abs, err)
		}
		*path = abs
	}
	return nil
}
