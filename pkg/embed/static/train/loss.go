package train

import "math"

// level is a length of vectors at which a loss is taken, and what it counts.
type level struct {
	dims   int
	weight float64
}

// levels are those with which the bundled model was trained: so its first half
// works alone, too.
var levels = []level{{dims, 1}, {dims / 2, .3}}

// side is one side of a batch: n sums of rows, and the gradient on them.
type side struct {
	sums  []float32 // n × dims
	grads []float32
	units []float32 // of the level at hand, n × its dims
	norms []float32
	pulls []float32 // gradient on units
}

func (s *side) resize(n int) {
	s.sums, s.grads = sized(s.sums, n*dims), sized(s.grads, n*dims)
	s.units, s.pulls = sized(s.units, n*dims), sized(s.pulls, n*dims)
	s.norms = sized(s.norms, n)
	clear(s.grads)
}

func sized(v []float32, n int) []float32 {
	if cap(v) < n {
		return make([]float32, n)
	}
	return v[:n]
}

// normalise fills units and norms for the first d values of each sum.
func (s *side) normalise(d int) {
	each(len(s.norms), func(from, to int) {
		for i := from; i < to; i++ {
			s.norms[i] = unit(s.units[i*d:(i+1)*d], s.sums[i*dims:i*dims+d])
		}
	})
}

// settle takes the gradient on the units through the normalisation and adds it
// to that on the sums.
func (s *side) settle(d int) {
	each(len(s.norms), func(from, to int) {
		for i := from; i < to; i++ {
			if s.norms[i] == 0 {
				continue
			}
			u, g := s.units[i*d:(i+1)*d], s.pulls[i*d:(i+1)*d]
			along := dot(u, g)
			inverse := 1 / s.norms[i]
			into := s.grads[i*dims : i*dims+d]
			for k := range into {
				into[k] += (g[k] - along*u[k]) * inverse
			}
		}
	})
}

// contrast computes the loss of a batch and the gradients on both sides. The
// right passage of question i is passage i; there may be more passages than
// questions. void names pairs that are neither right nor wrong.
type contrast struct {
	questions, passages side
	temperature         float64
	scores              []float32 // cosines / temperature, then the gradient on them
	void                func(question, passage int) bool
}

// run returns the mean loss of the questions, both ways and at all levels.
func (c *contrast) run(n, m int) float64 {
	c.scores = sized(c.scores, n*m)
	total := 0.0
	for _, l := range levels {
		c.questions.normalise(l.dims)
		c.passages.normalise(l.dims)
		c.compare(n, m, l.dims)
		total += l.weight * c.softmax(n, m, float32(l.weight))
		c.back(n, m, l.dims)
		c.questions.settle(l.dims)
		c.passages.settle(l.dims)
	}
	return total
}

// far stands for the score of a void pair: it takes no part in a softmax.
const far = -1e9

func (c *contrast) compare(n, m, d int) {
	inverse := float32(1 / c.temperature)
	each(n, func(from, to int) {
		for i := from; i < to; i++ {
			q := c.questions.units[i*d : (i+1)*d]
			for j := range m {
				s := float32(far)
				if i == j || !c.void(i, j) {
					s = inverse * dot(q, c.passages.units[j*d:(j+1)*d])
				}
				c.scores[i*m+j] = s
			}
		}
	})
}

// softmax replaces the scores by the gradient of the loss on cosines, weighted,
// and returns the loss. A question has to choose its passage among all, and a
// passage its question among all; each way counts half.
func (c *contrast) softmax(n, m int, weight float32) float64 {
	// Both ways need the scores, so the columns' part is kept until the rows'
	// part replaces them.
	losses := make([]float64, 2*n)
	columns := make([]float32, n*n)
	each(n, func(from, to int) {
		line := make([]float64, n)
		for j := from; j < to; j++ {
			for i := range n {
				line[i] = float64(c.scores[i*m+j])
			}
			losses[n+j] = chosen(line, j)
			for i := range n {
				columns[i*n+j] = float32(line[i])
			}
		}
	})
	share := weight / float32(2*n) * float32(1/c.temperature)
	each(n, func(from, to int) {
		line := make([]float64, m)
		for i := from; i < to; i++ {
			row := c.scores[i*m : (i+1)*m]
			for j, s := range row {
				line[j] = float64(s)
			}
			losses[i] = chosen(line, i)
			for j := range row {
				row[j] = float32(line[j]) * share
				if j < n {
					row[j] += columns[i*n+j] * share
				}
			}
		}
	})
	total := 0.0
	for _, l := range losses {
		total += l
	}
	return total / float64(2*n)
}

// chosen replaces scores by their softmax less 1 at the right place, which is the
// gradient of the loss that it returns.
func chosen(scores []float64, right int) float64 {
	most := scores[0]
	for _, s := range scores {
		most = max(most, s)
	}
	sum, at := 0.0, scores[right]
	for i, s := range scores {
		scores[i] = math.Exp(s - most)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
	scores[right]--
	return math.Log(sum) + most - at
}

// back takes the gradient on the cosines to both sides' units.
func (c *contrast) back(n, m, d int) {
	each(n, func(from, to int) {
		for i := from; i < to; i++ {
			g := c.questions.pulls[i*d : (i+1)*d]
			clear(g)
			for j := range m {
				if w := c.scores[i*m+j]; w != 0 {
					add(g, w, c.passages.units[j*d:(j+1)*d])
				}
			}
		}
	})
	each(m, func(from, to int) {
		for j := from; j < to; j++ {
			g := c.passages.pulls[j*d : (j+1)*d]
			clear(g)
			for i := range n {
				if w := c.scores[i*m+j]; w != 0 {
					add(g, w, c.questions.units[i*d:(i+1)*d])
				}
			}
		}
	})
}
