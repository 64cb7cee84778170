package watcher

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// FromConfig takes the service's settings out of the configuration of all.
func FromConfig(c config.Config) Config {
	w := c.Watcher
	out := Config{
		Debounce: w.Debounce, MaxDebounce: w.MaxDebounce, Rescan: w.Rescan, Poll: w.Poll,
		MaxFileBytes: int64(w.MaxFileSize), MaxWatches: w.MaxWatches, Git: w.Git,
		LimitFiles: c.Limits.Files, LimitBytes: int64(c.Limits.Bytes),
	}
	for _, s := range c.Sources {
		out.Sources = append(out.Sources, contract.SourceAdd{Root: s.Root, Source: document.Source(s.Name), Branch: s.Branch})
	}
	return out
}
