package transformer

import "math"

// addTo adds a row to each row of m.
func addTo(m, row []float32) {
	for len(m) >= len(row) {
		for i, v := range row {
			m[i] += v
		}
		m = m[len(row):]
	}
}

// normalise makes each row of m, of a length, one of mean 0 and variance 1, times weight
// plus bias (Ba et al., "Layer Normalization", 2016).
func normalise(m []float32, length int, weight, bias []float32, epsilon float64) {
	for ; len(m) >= length; m = m[length:] {
		row := m[:length]
		var sum, squares float64
		for _, v := range row {
			sum += float64(v)
		}
		mean := sum / float64(length)
		for _, v := range row {
			d := float64(v) - mean
			squares += d * d
		}
		scale := float32(1 / math.Sqrt(squares/float64(length)+epsilon))
		for i, v := range row {
			row[i] = (v-float32(mean))*scale*weight[i] + bias[i]
		}
	}
}

// gelu is x · Φ(x), with the distribution function of the normal distribution
// (Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016).
func gelu(x float32) float32 { return x * (0.5 + 0.5*erf(x*(1/math.Sqrt2))) }

// erf is the error function, as an odd rational function on [-4, 4], beyond which it is
// ±1 in float32: the minimax approximation of the library Eigen
// (Eigen/src/Core/MathFunctionsImpl.h). It is off by less than 1e-6.
func erf(x float32) float32 {
	x = min(max(x, -4), 4)
	s := x * x
	p := float32(-2.72614225801306e-10)
	for _, c := range [...]float32{2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05, -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02} {
		p = p*s + c
	}
	q := float32(-1.45660718464996e-05)
	for _, c := range [...]float32{-2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03, -1.42647390514189e-02} {
		q = q*s + c
	}
	return x * p / q
}

// softmax makes the first n values of each of rows rows of m, which are width long, a
// distribution, and the others zero.
func softmax(m []float32, rows, n, width int) {
	for r := range rows {
		row := m[r*width:][:width]
		exponentials(row, largestOf(row[:n]))
		part := 1 / sumOf(row[:n])
		for i := range row[:n] {
			row[i] *= part
		}
		clear(row[n:])
	}
}

// largestOf and sumOf go in four strands, since each step of one has to wait for the one
// before it.
func largestOf(row []float32) float32 {
	a, b, c, d := row[0], row[0], row[0], row[0]
	for ; len(row) >= 4; row = row[4:] {
		if row[0] > a {
			a = row[0]
		}
		if row[1] > b {
			b = row[1]
		}
		if row[2] > c {
			c = row[2]
		}
		if row[3] > d {
			d = row[3]
		}
	}
	for _, v := range row {
		a = max(a, v)
	}
	return max(a, b, c, d)
}

func sumOf(row []float32) float32 {
	var a, b, c, d float32
	for ; len(row) >= 4; row = row[4:] {
		a, b, c, d = a+row[0], b+row[1], c+row[2], d+row[3]
	}
	for _, v := range row {
		a += v
	}
	return a + b + c + d
}

// exp is e^x for x ≤ 0: 2^n · e^r with |r| ≤ ln 2 / 2, the second by a polynomial of the
// sixth degree (Cephes, expf). It is off by less than 2e-7 of its value.
func exp(x float32) float32 {
	if x < -87 {
		return 0
	}
	n := (x*math.Log2E + whole) - whole
	r := x - n*0.693359375 + n*2.12194440e-4
	p := float32(1.9875691500e-4)
	p = p*r + 1.3981999507e-3
	p = p*r + 8.3334519073e-3
	p = p*r + 4.1665795894e-2
	p = p*r + 1.6666665459e-1
	p = p*r + 5.0000001201e-1
	p = p*r*r + r + 1
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

func exponentialsPlain(m []float32, largest float32) {
	for i, v := range m {
		m[i] = exp(v - largest)
	}
}

func gelusPlain(m []float32) {
	for i, v := range m {
		m[i] = gelu(v)
	}
}
