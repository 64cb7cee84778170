//go:build race

package split

// discarded is how much more is allocated under the race detector: it drops part of
// what is put into a pool, such as what regular expressions work with.
const discarded = 10
