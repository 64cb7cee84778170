package query

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// Config configures the service.
type Config struct {
	// Query is what the configuration says, and has to be valid; what was left out is an error of New.
	config.Query
	// Outgoing says what of a text may go to a reranker or a language model.
	Outgoing config.Outgoing
	// Version is what the service tells of itself; semantic.
	Version string
	// EndsIdle is after how long without a question the process ends, as the status
	// tells; 0 never.
	EndsIdle time.Duration
}

// FromConfig takes what the service needs out of the configuration of all.
func FromConfig(c config.Config) Config {
	out := Config{Query: c.Query, Outgoing: c.Outgoing}
	for _, name := range c.Collections.Names() {
		if out.EmbedDeadline == 0 && c.EmbedderOf(name).Remote() {
			out.EmbedDeadline = remoteEmbed
		}
	}
	return out
}

// The time for a query's vector where none is configured: of a model in the process
// that embeds, and of one at somebody else's, which has half of the deadline.
const (
	localEmbed  = 250 * time.Millisecond
	remoteEmbed = time.Second
)

func (c *Config) perFile() resolve.PerFile {
	return resolve.PerFile{Code: c.PerFile, Docs: c.PerFileDocs}
}
