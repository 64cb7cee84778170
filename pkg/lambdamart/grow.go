package lambdamart

import (
	"slices"
	"sort"
)

// steps is how many values of a feature are told apart: finer splits would
// follow single tasks.
const steps = 64

// rows are all candidates of the queries to fit, with their features by column
// and brought to few steps.
type rows struct {
	count   int
	first   []int // of each query
	columns []column
	slope   []float64
	curve   []float64
}

// column is one feature of all rows. A row of step s has a value above
// limits[s-1], and at most limits[s].
type column struct {
	limits []float64
	step   []uint8
}

func newRows(queries []Query) *rows {
	r := &rows{}
	for i := range queries {
		r.first = append(r.first, r.count)
		r.count += len(queries[i].Rows)
	}
	if r.count == 0 {
		return r
	}
	r.slope, r.curve = make([]float64, r.count), make([]float64, r.count)
	features := 0
	for i := range queries {
		for _, row := range queries[i].Rows {
			features = len(row)
		}
	}
	values := make([]float64, 0, r.count)
	for f := range features {
		values = values[:0]
		for i := range queries {
			for _, row := range queries[i].Rows {
				values = append(values, row[f])
			}
		}
		r.columns = append(r.columns, newColumn(values))
	}
	return r
}

func newColumn(values []float64) column {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	c := column{step: make([]uint8, len(values))}
	if len(distinct) <= steps {
		c.limits = distinct[:len(distinct)-1]
	} else {
		for i := 1; i < steps; i++ {
			c.limits = append(c.limits, sorted[i*len(sorted)/steps])
		}
		c.limits = slices.Compact(c.limits)
	}
	for i, v := range values {
		c.step[i] = uint8(sort.SearchFloat64s(c.limits, v))
	}
	return c
}

// sums are those of some rows.
type sums struct {
	slope, curve float64
	rows         int
}

func (s *sums) add(o sums) {
	s.slope, s.curve, s.rows = s.slope+o.slope, s.curve+o.curve, s.rows+o.rows
}

func (s sums) less(o sums) sums { return sums{s.slope - o.slope, s.curve - o.curve, s.rows - o.rows} }

// worth is what a leaf of these rows brings, but for a factor.
func (s sums) worth(ridge float64) float64 { return s.slope * s.slope / (s.curve + ridge) }

// leaf is one of a tree that grows.
type leaf struct {
	rows []int
	sums sums
	best split
	node int // whose child it is, -1 of none
	left bool
}

// split is the best one of a leaf; gain 0 for none.
type split struct {
	gain    float64
	feature int
	step    uint8
}

// grow makes a tree by dividing the leaf that gains most, one after the other.
// It has no node where nothing gains.
func (r *rows) grow(o *Options, features []int) Tree {
	var t Tree
	all := make([]int, r.count)
	for i := range all {
		all[i] = i
	}
	leaves := []leaf{r.leaf(all, o, features, -1, false)}
	for len(leaves) < o.Leaves {
		at := 0
		for i := range leaves {
			if leaves[i].best.gain > leaves[at].best.gain {
				at = i
			}
		}
		l := leaves[at]
		if l.best.gain <= 0 {
			break
		}
		c := &r.columns[l.best.feature]
		var low, high []int
		for _, row := range l.rows {
			if c.step[row] <= l.best.step {
				low = append(low, row)
			} else {
				high = append(high, row)
			}
		}
		node := len(t.Feature)
		t.Feature, t.Split = append(t.Feature, l.best.feature), append(t.Split, c.limits[l.best.step])
		t.Left, t.Right = append(t.Left, ^at), append(t.Right, ^len(leaves))
		if l.node >= 0 {
			if l.left {
				t.Left[l.node] = node
			} else {
				t.Right[l.node] = node
			}
		}
		leaves[at] = r.leaf(low, o, features, node, true)
		leaves = append(leaves, r.leaf(high, o, features, node, false))
	}
	for i := range leaves {
		s := leaves[i].sums
		t.Value = append(t.Value, o.Rate*s.slope/(s.curve+o.Ridge))
	}
	return t
}

// leaf adds up rows and looks for their best split.
func (r *rows) leaf(list []int, o *Options, features []int, node int, left bool) leaf {
	l := leaf{rows: list, node: node, left: left}
	for _, row := range list {
		l.sums.add(sums{r.slope[row], r.curve[row], 1})
	}
	whole := l.sums.worth(o.Ridge)
	for _, f := range features {
		c := &r.columns[f]
		var by [steps]sums
		for _, row := range list {
			s := &by[c.step[row]]
			s.slope += r.slope[row]
			s.curve += r.curve[row]
			s.rows++
		}
		var low sums
		for step := range c.limits {
			low.add(by[step])
			high := l.sums.less(low)
			if low.rows < o.LeastRows || high.rows < o.LeastRows {
				continue
			}
			if gain := low.worth(o.Ridge) + high.worth(o.Ridge) - whole; gain > l.best.gain+1e-9 {
				l.best = split{gain, f, uint8(step)}
			}
		}
	}
	return l
}
