package train

import (
	"math"
	"sync"

	"github.com/freshet-dev/freshet/pkg/embed/static"
)

const dims = static.Dims

// sum writes the weighted sum of a bag's rows to out.
func sum(out, rows []float32, b static.Bag) {
	clear(out)
	for i, id := range b.IDs {
		add(out, b.Weights[i], rows[int(id)*dims:int(id)*dims+dims])
	}
}

// add adds w × row to out; both have the same length, a multiple of four.
func add(out []float32, w float32, row []float32) {
	row = row[:len(out)]
	for i := 0; i+4 <= len(out); i += 4 {
		out[i] += w * row[i]
		out[i+1] += w * row[i+1]
		out[i+2] += w * row[i+2]
		out[i+3] += w * row[i+3]
	}
}

// dot multiplies vectors of the same length, a multiple of four.
func dot(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	for i := 0; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return (s0 + s1) + (s2 + s3)
}

// unit writes x in unit length to out and returns the length that x had; a zero
// vector stays one.
func unit(out, x []float32) float32 {
	n := float32(math.Sqrt(float64(dot(x, x))))
	if n == 0 {
		clear(out)
		return 0
	}
	inverse := 1 / n
	for i := range out {
		out[i] = x[i] * inverse
	}
	return n
}

// lanes is the number of goroutines that compute. What each computes does not
// depend on it, so neither does a result.
const lanes = 2

// each calls f for parts of 0 to n, at once; every index is in one part.
func each(n int, f func(from, to int)) {
	var group sync.WaitGroup
	for lane := range lanes {
		from, to := lane*n/lanes, (lane+1)*n/lanes
		group.Go(func() { f(from, to) })
	}
	group.Wait()
}
