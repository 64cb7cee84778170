//go:build !amd64

package transformer

func tile(out []float32, width int, a []float32, k int, b []float32) {
	tilePlain(out, width, a, k, b)
}

// fast and wide report which instructions of the kernels this processor has.
var fast, wide = false, false
