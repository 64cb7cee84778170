//go:build !amd64

package transformer

func tile(out []float32, width int, a []float32, k int, b []float32) {
	tilePlain(out, width, a, k, b)
}

// fast reports whether this processor has the instructions of the kernels.
var fast = false
