package calibrate

import (
	"maps"
	"math"
	"slices"

	"github.com/freshet-dev/freshet/pkg/confidence"
)

const (
	// ridge keeps weights of evidence that says the same from running apart; in
	// samples, on evidence of unit variance.
	ridge = 10
	// steps of Newton's method; it settles in six or seven.
	steps = 25
)

// logistic fits a logistic regression on the evidence named by Newton's method.
func logistic(samples []Sample, names []string) confidence.Model {
	mean, scale := moments(samples, names)
	rows := make([][]float64, len(samples))
	for i, s := range samples {
		rows[i] = make([]float64, len(names)+1)
		rows[i][0] = 1
		for j, n := range names {
			rows[i][j+1] = (s.Evidence[n] - mean[j]) / scale[j]
		}
	}
	w := make([]float64, len(names)+1)
	for range steps {
		gradient, hessian := make([]float64, len(w)), square(len(w))
		for j := 1; j < len(w); j++ {
			gradient[j], hessian[j][j] = -ridge*w[j], ridge
		}
		for i, row := range rows {
			p := confidence.Logistic(dot(w, row))
			miss := -p
			if samples[i].Right {
				miss = 1 - p
			}
			for a, x := range row {
				gradient[a] += miss * x
				for b := range a + 1 {
					hessian[a][b] += p * (1 - p) * x * row[b]
				}
			}
		}
		step := solve(hessian, gradient)
		far := 0.0
		for j := range w {
			w[j] += step[j]
			far = max(far, math.Abs(step[j]))
		}
		if far < 1e-9 {
			break
		}
	}
	m := confidence.Model{Bias: w[0]}
	for j, n := range names {
		m.Weights = append(m.Weights, confidence.Weight{Name: n, By: w[j+1] / scale[j]})
		m.Bias -= w[j+1] * mean[j] / scale[j]
	}
	return m
}

// namesOf are the kinds of evidence that differ between samples, in order.
func namesOf(samples []Sample) []string {
	all := map[string]bool{}
	for _, s := range samples {
		for n := range s.Evidence {
			all[n] = true
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(n string) bool {
		return !slices.ContainsFunc(samples, func(s Sample) bool { return s.Evidence[n] != samples[0].Evidence[n] })
	})
}

func moments(samples []Sample, names []string) (mean, scale []float64) {
	mean, scale = make([]float64, len(names)), make([]float64, len(names))
	for j, name := range names {
		for _, s := range samples {
			mean[j] += s.Evidence[name] / float64(len(samples))
		}
		for _, s := range samples {
			scale[j] += (s.Evidence[name] - mean[j]) * (s.Evidence[name] - mean[j]) / float64(len(samples))
		}
		scale[j] = math.Sqrt(scale[j])
	}
	return mean, scale
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

func square(n int) [][]float64 {
	out := make([][]float64, n)
	for i := range out {
		out[i] = make([]float64, n)
	}
	return out
}

// solve returns x of a·x = b for a symmetric positive definite a, of which the
// lower half is given, by Cholesky's decomposition in place.
func solve(a [][]float64, b []float64) []float64 {
	n := len(b)
	for i := range n {
		for j := range i + 1 {
			sum := a[i][j]
			for k := range j {
				sum -= a[i][k] * a[j][k]
			}
			if i == j {
				a[i][i] = math.Sqrt(max(sum, 1e-12))
			} else {
				a[i][j] = sum / a[j][j]
			}
		}
	}
	x := slices.Clone(b)
	for i := range n {
		for k := range i {
			x[i] -= a[i][k] * x[k]
		}
		x[i] /= a[i][i]
	}
	for i := n - 1; i >= 0; i-- {
		for k := i + 1; k < n; k++ {
			x[i] -= a[k][i] * x[k]
		}
		x[i] /= a[i][i]
	}
	return x
}
