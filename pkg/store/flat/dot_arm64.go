package flat

import "golang.org/x/sys/cpu"

// kernels lists what this processor can run, fastest first.
func kernels() []kernel {
	var out []kernel
	if cpu.ARM64.HasASIMDDP {
		out = append(out, kernel{"sdot", dotSDOT})
	}
	return append(out, kernel{"plain", dotPlain})
}

func dotSDOT(out []int32, query question, rows []int8) {
	if dims := len(query.values); len(out) > 0 {
		_ = rows[len(out)*dims-1]
		dotRowsSDOT(&query.values[0], &rows[0], &out[0], dims, len(out))
	}
}

//go:noescape
func dotRowsSDOT(query, rows *int8, out *int32, dims, count int)
