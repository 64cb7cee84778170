// Package indexer is the service that keeps the two sinks in step with the
// log: CHUNKS into the lexical store, VECTORS into the vector store, and what
// each shows into INDEXED. It writes only the difference to INDEXED.
package indexer
