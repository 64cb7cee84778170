//go:build !linux

package siege

// children are not known here, so none of them is frozen.
func children(int) []int { return nil }
