package embed

import "context"

// Fallible is an Embedder that may be unable to make vectors, whatever the text.
type Fallible interface {
	Embedder
	// Probe returns nil where it can make vectors.
	Probe(ctx context.Context) error
	// Trouble says in one sentence what keeps passages waiting; "" while nothing does.
	Trouble() string
}

// Remote is an Embedder that asks somebody else's server: it may be away, and
// what it does is counted. Its Probe asks for a vector of a fixed text.
type Remote interface {
	Fallible
	// Canaries embeds texts that are always the same, so that a model which was
	// exchanged can be noticed.
	Canaries(ctx context.Context) ([]Vector, error)
	// Usage is what was asked of the server since the start.
	Usage() Usage
}

// Usage is what a server was asked for. What was answered out of memory is Reused.
type Usage struct {
	Requests, Retries, Texts, Reused, Refused uint64
	// Tokens are those that the server says it has read, else as freshet counts them.
	Tokens uint64
}
