// Package static is the bundled embedder: a bag of tokens with 24,000 rows of
// 256 dimensions that lies inside the binary, or in a folder where somebody has
// trained it further. It needs no network, no key and no accelerator, and gives
// the same vector on every platform, because the sum over tokens is made in
// integers.
package static
