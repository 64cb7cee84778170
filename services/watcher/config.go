// Package watcher follows folders and git repositories and writes every change
// of a document to the stream FILES. It is that stream's only writer.
package watcher

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Config configures a Service.
type Config struct {
	// Watcher and Limits are what the configuration says, and have to be valid; what was left out is an error of New.
	config.Watcher
	Limits config.Limits
	// Roots are the folders and repositories to watch in this run; sources
	// that are registered but not among them are listed as not watched.
	Roots []string
	// Exclude is what the roots leave out: lines of a .gitignore at each root.
	Exclude []string
	// Sources are further roots, with the name and branch that they are to
	// have.
	Sources []contract.SourceAdd
	// Strategies are of the chunker: they say which documents are cut otherwise.
	Strategies []config.Strategy
	// Collections are those that documents may belong to.
	Collections config.Collections
	// StateDir is freshet's own state. It is never indexed.
	StateDir string
	// Version is the program's, for discovery; semantic.
	Version string
}

// FromConfig takes what the service needs out of the configuration of all.
func FromConfig(c config.Config) Config {
	out := Config{Watcher: c.Watcher, Limits: c.Limits, Strategies: c.Chunker.Strategies, Collections: c.Collections}
	for _, s := range c.Sources {
		out.Sources = append(out.Sources, contract.SourceAdd{Root: s.Root, Remote: s.Remote, Source: document.Source(s.Name), Branch: s.Branch, Exclude: exactly(s.Exclude)})
	}
	return out
}

// exactly is a list that replaces what is registered, also where it is empty.
func exactly(exclude []string) []string {
	if exclude == nil {
		return []string{}
	}
	return exclude
}

// check says what is missing of a configuration that was made in code.
func (c *Config) check() error {
	if err := config.Filled("watcher", c.Watcher); err != nil {
		return err
	}
	return config.Filled("limits", c.Limits)
}
