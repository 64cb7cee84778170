// Package watcher follows folders and git repositories and writes every change
// of a document to the stream FILES. It is that stream's only writer.
package watcher

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/gitrepo"
)

// Config configures a Service. The zero value of every field but Roots means
// its default.
type Config struct {
	// Roots are the folders and repositories to watch in this run; sources
	// that are registered but not among them are listed as not watched.
	Roots []string
	// Sources are further roots, with the name and branch that they are to
	// have.
	Sources []contract.SourceAdd
	// StateDir is freshet's own state. It is never indexed.
	StateDir string
	// Debounce is how long a file has to be quiet before it is read; default
	// 50 ms. MaxDebounce bounds the wait under steady writes; default 500 ms.
	Debounce, MaxDebounce time.Duration
	// Rescan is the time between full comparisons; default 10 min.
	Rescan time.Duration
	// Poll is the time between looks at directories for which the system has
	// no watch left; default 2 s.
	Poll time.Duration
	// MaxFileBytes is the size above which a file is skipped; default 1 MiB.
	MaxFileBytes int64
	// LimitFiles and LimitBytes are how many documents, and bytes of them, a
	// source may have without being accepted; default 300,000 and 5 GiB.
	LimitFiles int
	LimitBytes int64
	// MaxWatches bounds the directories of one source that are watched; the
	// rest is polled. 0 leaves it to the system.
	MaxWatches int
	// Git is what reads repositories: "git", "go-git", or "auto" (default) for git
	// where it is installed.
	Git string
	// Version is the program's, for discovery.
	Version string
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	set := func(d *time.Duration, v time.Duration) {
		if *d == 0 {
			*d = v
		}
	}
	set(&c.Debounce, 50*time.Millisecond)
	set(&c.MaxDebounce, 500*time.Millisecond)
	set(&c.Rescan, 10*time.Minute)
	set(&c.Poll, 2*time.Second)
	if c.MaxFileBytes == 0 {
		c.MaxFileBytes = 1 << 20
	}
	if c.LimitFiles == 0 {
		c.LimitFiles = 300_000
	}
	if c.LimitBytes == 0 {
		c.LimitBytes = 5 << 30
	}
	if c.Git == "" {
		c.Git = "auto"
	}
	if c.Version == "" {
		c.Version = "0.0.0"
	}
}

// maxFileBytes keeps one content well below what the bus lets through.
const maxFileBytes = 64 << 20

// Validate reports the first value that cannot be. The error is
// InvalidRequest.
func (c *Config) Validate() error {
	for _, d := range []struct {
		name string
		v    time.Duration
	}{{"debounce", c.Debounce}, {"max_debounce", c.MaxDebounce}, {"rescan", c.Rescan}, {"poll", c.Poll}} {
		if d.v <= 0 {
			return document.Errorf(document.InvalidRequest, "watcher: %s is %s: give a time above zero", d.name, d.v)
		}
	}
	if c.MaxDebounce < c.Debounce {
		return document.Errorf(document.InvalidRequest, "watcher: max_debounce (%s) is below debounce (%s): raise it", c.MaxDebounce, c.Debounce)
	}
	if c.MaxFileBytes < 1 || c.MaxFileBytes > maxFileBytes {
		return document.Errorf(document.InvalidRequest, "watcher: max_file_bytes is %d: give 1 to %d", c.MaxFileBytes, int64(maxFileBytes))
	}
	if c.LimitFiles < 1 || c.LimitBytes < 1 {
		return document.Errorf(document.InvalidRequest, "watcher: limits are %d files and %d bytes: give numbers above zero", c.LimitFiles, c.LimitBytes)
	}
	if c.MaxWatches < 0 {
		return document.Errorf(document.InvalidRequest, "watcher: max_watches is %d: give 0 or more", c.MaxWatches)
	}
	switch c.Git {
	case "auto", gitrepo.ReaderGit, gitrepo.ReaderGoGit:
	default:
		return document.Errorf(document.InvalidRequest, "watcher: git is %q: give auto, git or go-git", c.Git)
	}
	return nil
}
