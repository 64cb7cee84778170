package chunker

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Config configures the service.
type Config struct {
	// Chunker is what the configuration says, and has to be valid; what was left out is an error of New.
	config.Chunker
	// Build is what the chunks are for: it names the generations.
	Build contract.Build
	// Collections are those that a path may have been in before: when it
	// changes its collection, its chunks in the former one are withdrawn.
	Collections []document.Collection
	// ParserCommand starts a parser child. Empty: this executable with the
	// argument cutter.ChildArgument.
	ParserCommand []string
}

// FromConfig takes what the service needs out of the configuration of all.
// b is the build that the chunks are for.
func FromConfig(c config.Config, b contract.Build) Config {
	return Config{Chunker: c.Chunker, Build: b, Collections: b.Collections()}
}

func (c *Config) check() error {
	if c.Build.Embedder == "" {
		return document.Errorf(document.InvalidRequest, "chunker: no embedder identity: configure the embedder that the chunks are for")
	}
	return nil
}

// Generation is the generation of a collection in this configuration.
func (c *Config) Generation(collection document.Collection) document.Generation {
	return c.Build.Generation(collection)
}
