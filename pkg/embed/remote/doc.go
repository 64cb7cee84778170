// Package remote has vectors made by somebody else's server over HTTP: batches,
// limits, retries, and what is wrong with an answer. Each format in which servers
// are asked is one file behind the interface wire.
package remote
