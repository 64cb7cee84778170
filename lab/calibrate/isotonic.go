package calibrate

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

// leastBlock is how many samples a level of the curve stands on: fewer would be
// noise that looks like knowledge.
const leastBlock = 25

// scored is a sample with the sum that a model gave it.
type scored struct {
	sum   float64
	right bool
}

// isotonic fits the function of the sum that never falls and is nearest to what
// came out: by pooling neighbours that stand the wrong way round (Ayer and
// others 1955).
func isotonic(all []scored) []confidence.Point {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b scored) int {
		switch {
		case a.sum < b.sum:
			return -1
		case a.sum > b.sum:
			return 1
		}
		return 0
	})
	type block struct{ n, sum, right float64 }
	var blocks []block
	rate := func(b block) float64 { return (b.right + .5) / (b.n + 1) } // never 0, never 1
	for i := 0; i < len(all); {
		var b block
		// Samples of one sum must not be told apart.
		for ; i < len(all) && (b.n < leastBlock || all[i].sum == all[i-1].sum); i++ {
			b.n, b.sum = b.n+1, b.sum+all[i].sum
			if all[i].right {
				b.right++
			}
		}
		if len(all)-i < leastBlock {
			for ; i < len(all); i++ {
				b.n, b.sum = b.n+1, b.sum+all[i].sum
				if all[i].right {
					b.right++
				}
			}
		}
		blocks = append(blocks, b)
		for n := len(blocks); n > 1 && rate(blocks[n-2]) >= rate(blocks[n-1]); n-- {
			last := blocks[n-1]
			blocks = blocks[:n-1]
			blocks[n-2] = block{blocks[n-2].n + last.n, blocks[n-2].sum + last.sum, blocks[n-2].right + last.right}
		}
	}
	var out []confidence.Point
	for _, b := range blocks {
		out = append(out, confidence.Point{At: b.sum / b.n, P: rate(b)})
	}
	return out
}
