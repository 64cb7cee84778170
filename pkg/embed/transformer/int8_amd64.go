package transformer

import "golang.org/x/sys/cpu"

// fastBytes reports whether this processor multiplies bytes.
var fastBytes = cpu.X86.HasAVX512F && cpu.X86.HasAVX512VNNI

func tileBytes(out []float32, width int, a []int8, k int, b []uint8, starts []int32, rows, columns, bias []float32) {
	_, _, _ = out[(tileRows-1)*width+panel-1], a[tileRows*k-1], b[k*panel-1]
	_, _, _, _ = starts[tileRows-1], rows[tileRows-1], columns[panel-1], bias[panel-1]
	tileVNNI(&out[0], width, &a[0], k, &b[0], &starts[0], &rows[0], &columns[0], &bias[0])
}

//go:noescape
func tileVNNI(out *float32, width int, a *int8, k int, b *uint8, starts *int32, rows, columns, bias *float32)
