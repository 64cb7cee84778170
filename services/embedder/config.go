package embedder

import (
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Config configures the service.
type Config struct {
	// Embedder is what the configuration says, and has to be valid; what was left out is an error of New.
	config.Embedder
	// Outgoing says what of a text may go to a server.
	Outgoing config.Outgoing
	// Generations are those that this embedder's identity is part of.
	Generations []document.Generation
}

// FromConfig takes what the service needs out of the configuration of all.
// embedder is the identity of the embedder that it works with.
func FromConfig(c config.Config, embedder string) Config {
	return Config{Embedder: c.Embedder, Outgoing: c.Outgoing, Generations: c.Generations(embedder)}
}
