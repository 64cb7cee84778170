package rollout

import (
	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

// Configured is the build that a configuration makes; spaces are those of its embedders.
// What is known of them is filled in already (Resolved).
func Configured(c config.Config, spaces func(document.Collection) embed.Space) contract.Build {
	embedding := func(name document.Collection) contract.Embedding {
		s := spaces(name)
		return c.EmbedderOf(name).Embedding(s.Identity, s.Dims)
	}
	return contract.NewBuild(c.Chunker.Cut(), analysis.New().Signature(), contract.Embedding{}, c.Collections.Further()...).EmbeddedBy(embedding)
}

// Resolved fills in what is known of the embedders of a configuration, and says which
// build it makes.
func Resolved(c config.Config) (config.Config, contract.Build, error) {
	c, err := open.Known(c)
	if err != nil {
		return c, contract.Build{}, err
	}
	spaces := map[document.Collection]embed.Space{}
	for _, name := range c.Collections.Names() {
		if spaces[name], err = open.Space(c.EmbedderOf(name)); err != nil {
			return c, contract.Build{}, err
		}
	}
	return c, Configured(c, func(name document.Collection) embed.Space { return spaces[name] }), nil
}

// As is the configuration with which another build is made beside the one that is
// configured.
func As(c config.Config, b contract.Build) config.Config {
	c.Chunker.Target, c.Chunker.Max, c.Chunker.Prose, c.Chunker.Overlap = b.Target, b.Max, b.Prose, b.Overlap
	c.Chunker.Parsers = 1 // it follows what changes, and nothing else
	return c.WithCollections(b.Collections()).AsBuilt(func(name document.Collection) contract.Embedding { return b.Of(name).Embedding })
}

// Embedders are those that made another build, to go on making it: of those that are open,
// where it is made by the same. nil where one is not there any more.
func Embedders(c config.Config, b contract.Build, opened ...open.Set) open.Set {
	as, out := As(c, b), open.Set{}
	for _, name := range b.Collections() {
		identity := b.Of(name).Embedder
		if out[name] = by(identity, append(opened, out)); out[name] != nil {
			continue
		}
		own, err := open.Embedder(as.EmbedderOf(name))
		if err != nil || own.Identity() != identity {
			return nil
		}
		out[name] = own
	}
	return out
}

// by is the first embedder of an identity; nil where there is none.
func by(identity string, sets []open.Set) embed.Embedder {
	for _, set := range sets {
		if e := set.By(identity); e != nil {
			return e
		}
	}
	return nil
}
