package train

import (
	"math"

	"github.com/freshet-dev/freshet/pkg/embed/static"
)

// table is the rows while they are trained.
type table struct {
	rows, start []float32
	grads       []float32 // of one step, zero between steps
	touched     []int32   // rows with a gradient in this step
	marked      []bool
	// squares is the sum of the mean squares of each row's gradients (Adagrad,
	// one number a row).
	squares []float64
	// first is what squares begins with: the mean of the first step, so that a
	// token that was hardly seen is hardly moved.
	first float64
	scale float64 // a typical value of the rows
}

func newTable(start []float32) *table {
	t := &table{
		rows: append([]float32(nil), start...), start: start, grads: make([]float32, len(start)),
		marked: make([]bool, len(start)/dims), squares: make([]float64, len(start)/dims),
	}
	var sum float64
	for _, x := range start {
		sum += float64(x) * float64(x)
	}
	t.scale = math.Sqrt(sum / float64(max(len(start), 1)))
	return t
}

// scatter adds the gradients on sums to the rows of their bags.
func (t *table) scatter(bags []static.Bag, grads []float32) {
	for _, b := range bags {
		for _, id := range b.IDs {
			if !t.marked[id] {
				t.marked[id] = true
				t.touched = append(t.touched, id)
			}
		}
	}
	// Divided by place within the rows, so that no two write the same value and
	// the order of additions is always that of the bags.
	each(dims/4, func(from, to int) {
		from, to = 4*from, 4*to
		for k, b := range bags {
			g := grads[k*dims+from : k*dims+to]
			for i, id := range b.IDs {
				at := int(id) * dims
				add(t.grads[at+from:at+to], b.Weights[i], g)
			}
		}
	})
}

// step moves every row with a gradient, and a share of its way back to the
// start.
func (t *table) step(rate, pull float64) {
	squares := make([]float64, len(t.touched))
	each(len(t.touched), func(from, to int) {
		for k := from; k < to; k++ {
			at := int(t.touched[k]) * dims
			g := t.grads[at : at+dims]
			squares[k] = float64(dot(g, g)) / dims
		}
	})
	if t.first == 0 {
		for _, s := range squares {
			t.first += s / float64(len(squares))
		}
	}
	each(len(t.touched), func(from, to int) {
		for k := from; k < to; k++ {
			id := t.touched[k]
			t.squares[id] += squares[k]
			t.marked[id] = false
			at := int(id) * dims
			row, start, g := t.rows[at:at+dims], t.start[at:at+dims], t.grads[at:at+dims]
			long := float32(0)
			if s := t.squares[id] + t.first; s > 0 {
				long = float32(rate * t.scale / math.Sqrt(s))
			}
			back := float32(pull)
			for i := range row {
				row[i] -= long*g[i] + back*(row[i]-start[i])
			}
			clear(g)
		}
	})
	t.touched = t.touched[:0]
}
