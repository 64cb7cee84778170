package embedder

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Config configures the service.
type Config struct {
	// Embedder is what the configuration says, and has to be valid; what was left out is an error of New.
	config.Embedder
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
	return Config{Embedder: c.Embedder, Outgoing: c.Outgoing, Build: b.ID(), Generations: b.Generations()}
}
