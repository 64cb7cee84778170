// Package embedder is the service that turns passages into vectors (CHUNKS to
// VECTORS), and the only place that holds a model: queries get their vectors
// from it by request/reply.
package embedder
