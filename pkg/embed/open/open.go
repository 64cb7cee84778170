// Package open opens the embedder that the configuration chooses: the one place
// that knows which there are. Whoever needs an embedder, or only what it is
// called and how long its vectors are, asks here.
package open

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/embed/remote"
	"github.com/freshet-dev/freshet/pkg/embed/static"
	"github.com/freshet-dev/freshet/pkg/embed/transformer"
)

// Embedder opens the embedder of a configuration. The error names what is
// configured and the fix: NotFound where there is no such model,
// VersionMismatch for one of another version of freshet, InvalidRequest for a
// damaged one.
func Embedder(c config.Embedder) (embed.Counter, error) {
	if c.Remote() {
		e, err := remote.New(c)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	if transformer.Is(c.Model) {
		e, err := transformer.Open(c.Model)
		if err != nil {
			return nil, err
		}
		return e, nil
	}
	e, err := static.Open(c.Model)
	if err != nil {
		return nil, err // and no interface around nothing
	}
	return e, nil
}

// Space tells what the embedder of a configuration makes, without the time and
// the memory that it takes to make it work. Errors are those of Embedder.
func Space(c config.Embedder) (embed.Space, error) {
	if c.Remote() {
		return remote.SpaceOf(c)
	}
	if transformer.Is(c.Model) {
		return transformer.SpaceOf(c.Model)
	}
	identity, err := static.IdentityOf(c.Model)
	if err != nil {
		return embed.Space{}, err
	}
	return embed.Space{Identity: identity, Dims: static.Dims}, nil
}

// Resolve fills in what is known of the embedder and was not written: what a build
// is noted with. Errors are those of Embedder.
func Resolve(c config.Embedder) (config.Embedder, error) {
	if c.Remote() {
		return remote.Resolve(c)
	}
	return c, nil
}
