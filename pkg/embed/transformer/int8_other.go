//go:build !amd64

package transformer

// fastBytes reports whether this processor multiplies bytes.
var fastBytes = false

func tileBytes([]float32, int, []int8, int, []uint8, []int32, []float32, []float32, []float32) {
	panic("this processor does not multiply bytes")
}
