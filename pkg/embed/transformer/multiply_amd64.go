package transformer

import "golang.org/x/sys/cpu"

// fast reports whether this processor has the instructions of the kernels, and wide
// whether it has registers for a whole row of a panel. Both add in the same order.
var (
	fast = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	wide = cpu.X86.HasAVX512F
)

func tile(out []float32, width int, a []float32, k int, b []float32) {
	if !fast {
		tilePlain(out, width, a, k, b)
		return
	}
	_, _, _ = out[(tileRows-1)*width+panel-1], a[tileRows*k-1], b[k*panel-1]
	if wide {
		tileAVX512(&out[0], width, &a[0], k, &b[0])
		return
	}
	const half = tileRows / 2
	tileAVX2(&out[0], width, &a[0], k, &b[0])
	tileAVX2(&out[half*width], width, &a[half*k], k, &b[0])
}

//go:noescape
func tileAVX512(out *float32, width int, a *float32, k int, b *float32)

//go:noescape
func tileAVX2(out *float32, width int, a *float32, k int, b *float32)
