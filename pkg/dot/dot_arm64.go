package dot

import "golang.org/x/sys/cpu"

// kernels lists what this processor can run, fastest first.
func kernels() []Kernel {
	var out []Kernel
	if cpu.ARM64.HasASIMDDP {
		out = append(out, Kernel{"sdot", dotSDOT})
	}
	return append(out, Kernel{"plain", dotPlain})
}

func dotSDOT(out []int32, query Question, rows []int8) {
	if dims := len(query.values); len(out) > 0 {
		_ = rows[len(out)*dims-1]
		dotRowsSDOT(&query.values[0], &rows[0], &out[0], dims, len(out))
	}
}

//go:noescape
func dotRowsSDOT(query, rows *int8, out *int32, dims, count int)
