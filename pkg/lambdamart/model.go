package lambdamart

import (
	"fmt"
	"math"
)

// Model rates the candidates of one query: a larger score stands above. It is
// safe for concurrent use once it was checked.
type Model struct {
	// Base is the index of the feature that says how good a candidate was
	// before. It counts Scale times, and the trees correct it: without trees the
	// order is that of the feature.
	Base  int
	Scale float64
	Trees []Tree
}

// Tree is a regression tree in flat form. The inner node i, of which 0 is the
// first, sends a row to Left[i] where its feature Feature[i] is at most
// Split[i], else to Right[i]. A child below 0 is the leaf of that number's
// complement, with its value in Value.
type Tree struct {
	Feature []int
	Split   []float64
	Left    []int
	Right   []int
	Value   []float64
}

// Score returns the score of one row of features, which compares within its
// query.
func (m *Model) Score(row []float64) float64 {
	sum := m.Scale * row[m.Base]
	for i := range m.Trees {
		sum += m.Trees[i].at(row)
	}
	return sum
}

func (t *Tree) at(row []float64) float64 {
	n := 0
	for n >= 0 {
		if row[t.Feature[n]] <= t.Split[n] {
			n = t.Left[n]
		} else {
			n = t.Right[n]
		}
	}
	return t.Value[^n]
}

// Check returns an error for a model that Score cannot work with on rows of so
// many features, such as one that was read from elsewhere.
func (m *Model) Check(features int) error {
	if m.Base < 0 || m.Base >= features || !finite(m.Scale) {
		return fmt.Errorf("the base is feature %d times %v, of %d features", m.Base, m.Scale, features)
	}
	for i := range m.Trees {
		if err := m.Trees[i].check(features); err != nil {
			return fmt.Errorf("tree %d: %w", i, err)
		}
	}
	return nil
}

func (t *Tree) check(features int) error {
	n := len(t.Feature)
	if n == 0 || len(t.Split) != n || len(t.Left) != n || len(t.Right) != n || len(t.Value) != n+1 {
		return fmt.Errorf("it has %d nodes, %d splits, %d and %d children, %d leaves", n, len(t.Split), len(t.Left), len(t.Right), len(t.Value))
	}
	for i := range n {
		if f := t.Feature[i]; f < 0 || f >= features {
			return fmt.Errorf("node %d asks for feature %d of %d", i, f, features)
		}
		if !finite(t.Split[i]) {
			return fmt.Errorf("node %d splits at %v", i, t.Split[i])
		}
		for _, child := range []int{t.Left[i], t.Right[i]} {
			// Only onwards, so that every way down ends.
			if child >= 0 && (child <= i || child >= n) || child < 0 && ^child > n {
				return fmt.Errorf("node %d leads to %d", i, child)
			}
		}
	}
	for i, v := range t.Value {
		if !finite(v) {
			return fmt.Errorf("leaf %d is %v", i, v)
		}
	}
	return nil
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
