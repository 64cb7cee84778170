package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// row is what stands beside each other on a page, or in a column of it: one run for a
// line of text, several for a row of a table.
type row struct {
	runs []run
	// column is the number of the column on the page, so that no paragraph goes on
	// beside another.
	column int
	edge   float64 // the right one of the column
}

func (r *row) left() float64  { return r.runs[0].left }
func (r *row) right() float64 { return r.runs[len(r.runs)-1].right }
func (r *row) size() float64  { return r.runs[0].size }
func (r *row) top() float64 {
	return fold(r.runs, math.Inf(-1), func(x float64, r *run) float64 { return max(x, r.top) })
}
func (r *row) bottom() float64 {
	return fold(r.runs, math.Inf(1), func(x float64, r *run) float64 { return min(x, r.bottom) })
}

func fold(runs []run, x float64, next func(float64, *run) float64) float64 {
	for i := range runs {
		x = next(x, &runs[i])
	}
	return x
}

// order returns the rows of a page as people read them: columns one after the other,
// where there are any, and what stands across them between.
func order(runs []run) []row {
	o := orderer{}
	o.add(lines(runs), 0)
	return o.rows
}

// lines joins the runs that makers have drawn word by word.
func lines(runs []run) []run {
	var out []run
	for i := range runs {
		next := runs[i]
		if n := len(out); n > 0 {
			last := &out[n-1]
			gap, em := next.left-last.right, max(last.size, next.size)
			near := .9 * em
			if marked(last.text) {
				near = 3 * em // the text of an item stands away from its mark
			}
			if beside(last, &next) && gap < near && gap > -.5*em {
				switch {
				case last.mono && next.mono:
					last.text += strings.Repeat(" ", max(0, int(gap/(.6*em)+.5)))
				case gap > .12*em || marked(last.text):
					last.text += " "
				}
				if len(next.text) > len(last.text) { // the longer tells what the line is
					last.size, last.bold = next.size, next.bold
				}
				last.mono = last.mono && next.mono
				last.text += next.text
				last.right, last.top, last.bottom = max(last.right, next.right), max(last.top, next.top), min(last.bottom, next.bottom)
				continue
			}
		}
		out = append(out, next)
	}
	return out
}

// beside reports whether two runs stand on one line.
func beside(a, b *run) bool {
	overlap := min(a.top, b.top) - max(a.bottom, b.bottom)
	return overlap > .5*min(a.height(), b.height())
}

type orderer struct {
	rows   []row
	column int
}

// depth is how often a page is divided into columns at most.
const depth = 4

func (o *orderer) add(runs []run, deep int) {
	if deep < depth {
		if at, ok := gutter(runs); ok {
			o.divided(runs, at, deep)
			return
		}
	}
	o.column++
	slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(b.top+b.bottom, a.top+a.bottom) })
	edge := fold(runs, math.Inf(-1), func(x float64, r *run) float64 { return max(x, r.right) })
	for len(runs) > 0 {
		next := row{column: o.column, edge: edge}
		rest := runs[:0:0]
		for i := range runs {
			if i > 0 && !beside(&runs[0], &runs[i]) {
				if runs[i].top < runs[0].bottom {
					rest = append(rest, runs[i:]...)
					break
				}
				rest = append(rest, runs[i])
				continue
			}
			next.runs = append(next.runs, runs[i])
		}
		slices.SortStableFunc(next.runs, func(a, b run) int { return cmp.Compare(a.left, b.left) })
		o.rows = append(o.rows, next)
		runs = rest
	}
}

// divided adds what stands left and right of a gutter, between what goes across it.
func (o *orderer) divided(runs []run, at float64, deep int) {
	var across, sides []run
	for i := range runs {
		if runs[i].left < at-1 && runs[i].right > at+1 {
			across = append(across, runs[i])
		} else {
			sides = append(sides, runs[i])
		}
	}
	slices.SortStableFunc(across, func(a, b run) int { return cmp.Compare(b.top, a.top) })
	for i := 0; ; i++ {
		border := math.Inf(-1)
		if i < len(across) {
			border = (across[i].top + across[i].bottom) / 2
		}
		var left, right, rest []run
		for k := range sides {
			switch middle := (sides[k].top + sides[k].bottom) / 2; {
			case middle < border:
				rest = append(rest, sides[k])
			case sides[k].left < at-1:
				left = append(left, sides[k])
			default:
				right = append(right, sides[k])
			}
		}
		for _, side := range [][]run{left, right} {
			if len(side) > 0 {
				o.add(side, deep+1)
			}
		}
		sides = rest
		if i == len(across) {
			return
		}
		// What goes across in one piece is one column.
		from := i
		for i+1 < len(across) && !between(sides, (across[i].top+across[i].bottom)/2, (across[i+1].top+across[i+1].bottom)/2) {
			i++
		}
		o.add(slices.Clone(across[from:i+1]), depth)
	}
}

func between(runs []run, high, low float64) bool {
	return slices.ContainsFunc(runs, func(r run) bool { m := (r.top + r.bottom) / 2; return m < high && m > low })
}

// wide is how many ems a run of prose has at least, and tall how many of them a column
// has: cells of tables have fewer, and are read along their rows.
const wide, tall = 9, 4

// gutter finds where a page is divided into two columns of prose: an x at which several
// wide runs begin, and left of which as many end.
func gutter(runs []run) (float64, bool) {
	starts := map[int]int{}
	for i := range runs {
		if prose(&runs[i]) {
			starts[int(math.Round(runs[i].left))]++
		}
	}
	best, most := 0., 0
	for x := range starts {
		at := float64(x) - 2
		var left, right []run
		for i := range runs {
			switch r := &runs[i]; {
			case !prose(r):
			case r.left >= at:
				right = append(right, *r)
			case r.right <= at:
				left = append(left, *r)
			}
		}
		if len(left) < tall || len(right) < tall {
			continue
		}
		lo, hi := span(left)
		low, high := span(right)
		if shared := min(hi, high) - max(lo, low); shared < .3*min(hi-lo, high-low) {
			continue
		}
		// The more prose stands on both sides, the better; of those alike the leftmost.
		if n := min(len(left), len(right)); n > most || n == most && at < best {
			best, most = at, n
		}
	}
	return best, most > 0
}

func prose(r *run) bool { return r.right-r.left >= wide*r.size }

func span(runs []run) (low, high float64) {
	return fold(runs, math.Inf(1), func(x float64, r *run) float64 { return min(x, r.bottom) }),
		fold(runs, math.Inf(-1), func(x float64, r *run) float64 { return max(x, r.top) })
}
