package chunker

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// Config configures the service.
type Config struct {
	// Embedder is the identity of the embedder that the chunks are for; it is
	// part of the generation.
	Embedder string
	// Collections are those that a path may have been in before: when it
	// changes its collection, its chunks in the former one are withdrawn.
	Collections []document.Collection
	// Target is the size in bytes up to which small neighbours of code are
	// merged, Max that above which a definition is split.
	Target, Max int
	// Prose is the longest passage of prose and Overlap what it repeats of the
	// one before it, both in characters.
	Prose, Overlap int

	// ParserCommand starts a parser child. Empty: this executable with the
	// argument ParserArgument.
	ParserCommand []string
	// Parsers is the number of parser children.
	Parsers int
	// ParserTimeout is the time limit of one document; ParserTimeoutPerMiB is
	// added for each MiB of it.
	ParserTimeout, ParserTimeoutPerMiB time.Duration
	// ParserMemory is the limit of a child's resident memory in bytes.
	ParserMemory int64

	// Workers handle batches at the same time.
	Workers int
	// Batch is the most documents in one batch.
	Batch int
	// Lease is the deadline of one batch.
	Lease time.Duration
}

// SetDefaults fills in what is zero.
func (c *Config) SetDefaults() {
	if len(c.Collections) == 0 {
		c.Collections = document.Collections
	}
	o := c.options()
	o.SetDefaults()
	c.Target, c.Max, c.Prose, c.Overlap = o.Target, o.Max, o.Prose, o.Overlap
	if c.Parsers == 0 {
		c.Parsers = 2
	}
	if c.ParserTimeout == 0 {
		c.ParserTimeout = 5 * time.Second
	}
	if c.ParserTimeoutPerMiB == 0 {
		c.ParserTimeoutPerMiB = 5 * time.Second
	}
	if c.ParserMemory == 0 {
		c.ParserMemory = 512 << 20
	}
	if c.Workers == 0 {
		c.Workers = 2
	}
	if c.Batch == 0 {
		c.Batch = 16
	}
	if c.Lease == 0 {
		c.Lease = time.Minute
	}
}

// Validate names the first setting that cannot work.
func (c *Config) Validate() error {
	o := c.options()
	if err := o.Validate(); err != nil {
		return err
	}
	switch {
	case c.Embedder == "":
		return document.Errorf(document.InvalidRequest, "chunker: no embedder identity: configure the embedder that the chunks are for")
	case c.Parsers < 1 || c.Parsers > 256:
		return document.Errorf(document.InvalidRequest, "chunker.parsers is %d: use 1 to 256", c.Parsers)
	case c.ParserTimeout < time.Millisecond || c.ParserTimeoutPerMiB < 0:
		return document.Errorf(document.InvalidRequest, "chunker.parser_timeout is %s: use at least 1ms", c.ParserTimeout)
	case c.ParserMemory < 32<<20:
		return document.Errorf(document.InvalidRequest, "chunker.parser_memory is %d bytes: use at least 32 MiB", c.ParserMemory)
	case c.Workers < 1 || c.Workers > 64:
		return document.Errorf(document.InvalidRequest, "chunker.workers is %d: use 1 to 64", c.Workers)
	case c.Batch < 1 || c.Batch > 1024:
		return document.Errorf(document.InvalidRequest, "chunker.batch is %d: use 1 to 1024", c.Batch)
	case c.Lease < time.Second:
		return document.Errorf(document.InvalidRequest, "chunker.lease is %s: use at least 1s", c.Lease)
	}
	return nil
}

func (c *Config) options() split.Options {
	return split.Options{Target: c.Target, Max: c.Max, Prose: c.Prose, Overlap: c.Overlap}
}

// Signature names the version of the splitters and their parameters.
func (c *Config) Signature() string { return c.options().Signature() }

// Generation is the generation of a collection in this configuration.
func (c *Config) Generation(collection document.Collection) document.Generation {
	return contract.Generation(collection, c.Signature(), c.Embedder)
}
