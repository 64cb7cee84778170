//go:build !race

package split

// discarded is how much more is allocated under the race detector.
const discarded = 1
