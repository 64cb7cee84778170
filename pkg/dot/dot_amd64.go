package dot

import "golang.org/x/sys/cpu"

// kernels lists what this processor can run, fastest first.
func kernels() []Kernel {
	var out []Kernel
	if cpu.X86.HasAVX512VNNI && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VL {
		out = append(out, Kernel{"avx512vnni", dotVNNI})
	}
	if cpu.X86.HasAVX2 {
		out = append(out, Kernel{"avx2", dotAVX2})
	}
	return append(out, Kernel{"plain", dotPlain})
}

func dotAVX2(out []int32, query Question, rows []int8) {
	if dims := len(query.values); len(out) > 0 {
		_ = rows[len(out)*dims-1]
		dotRowsAVX2(&query.values[0], &rows[0], &out[0], dims, len(out))
	}
}

// dotVNNI uses an instruction that multiplies unsigned by signed bytes: the
// rows' values are taken + 128, and 128 · Σ query is taken off the sums.
func dotVNNI(out []int32, query Question, rows []int8) {
	if dims := len(query.values); len(out) > 0 {
		_ = rows[len(out)*dims-1]
		dotRowsVNNI(&query.values[0], &rows[0], &out[0], dims, len(out), 128*query.sum)
	}
}

//go:noescape
func dotRowsAVX2(query, rows *int8, out *int32, dims, count int)

//go:noescape
func dotRowsVNNI(query, rows *int8, out *int32, dims, count int, excess int32)
