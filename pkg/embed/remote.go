package embed

import "context"

// Remote is an Embedder that asks somebody else's server: it may be away, and
// what it does is counted.
type Remote interface {
	Embedder
	// Probe asks for a vector of a fixed text, and returns nil where the server
	// answers as it has to.
	Probe(ctx context.Context) error
	// Canaries embeds texts that are always the same, so that a model which was
	// exchanged can be noticed.
	Canaries(ctx context.Context) ([]Vector, error)
	// Trouble says in one sentence what keeps passages waiting; "" while nothing does.
	Trouble() string
	// Usage is what was asked of the server since the start.
	Usage() Usage
}

// Usage is what a server was asked for. What was answered out of memory is Reused.
type Usage struct {
	Requests, Retries, Texts, Reused, Refused uint64
	// Tokens are those that the server says it has read, else as freshet counts them.
	Tokens uint64
}
