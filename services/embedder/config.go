package embedder

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Config configures the service.
type Config struct {
	// Embedder is what the configuration says of all collections, and has to be valid; what
	// was left out is an error of New.
	config.Embedder
	// Of is what it says of each collection; one that is missing is as all are.
	Of map[document.Collection]config.Embedder
	// Outgoing says what of a text may go to a server.
	Outgoing config.Outgoing
	// Build is what the vectors are for, Generations those of it that this embedder
	// makes.
	Build       contract.BuildID
	Generations []document.Generation
	// Shared are those that do not wait for Begin: what answers is made of them, too.
	Shared []document.Generation
}

// FromConfig takes what the service needs out of the configuration of all.
// b is the build that the vectors are for.
func FromConfig(c config.Config, b contract.Build) Config {
	out := Config{Embedder: c.Embedder, Of: map[document.Collection]config.Embedder{}, Outgoing: c.Outgoing, Build: b.ID(), Generations: b.Generations()}
	for _, name := range c.Collections.Names() {
		out.Of[name] = c.EmbedderOf(name)
	}
	return out
}
