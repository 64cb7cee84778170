package rollout

import (
	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

// Configured is the build that a configuration makes in a space. What is known of the
// embedder is filled in already (embed/open.Resolve).
func Configured(c config.Config, space embed.Space) contract.Build {
	return contract.NewBuild(c.Chunker.Cut(), analysis.New().Signature(), c.Embedder.Embedding(space.Identity, space.Dims))
}

// Resolved fills in what is known of the embedder of a configuration, and says which
// build it makes.
func Resolved(c config.Config) (config.Config, contract.Build, error) {
	vectors, err := open.Resolve(c.Embedder)
	if err != nil {
		return c, contract.Build{}, err
	}
	c.Embedder = vectors
	space, err := open.Space(vectors)
	return c, Configured(c, space), err
}

// As is the configuration with which another build is made beside the one that is
// configured.
func As(c config.Config, b contract.Build) config.Config {
	c.Chunker.Target, c.Chunker.Max, c.Chunker.Prose, c.Chunker.Overlap = b.Target, b.Max, b.Prose, b.Overlap
	c.Chunker.Parsers = 1 // it follows what changes, and nothing else
	c.Embedder = c.Embedder.AsBuilt(b.Embedding)
	return c
}
