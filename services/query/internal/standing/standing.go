// Package standing holds new passages against questions that are kept: the words of
// all questions are looked for in one pass over a text, and all their vectors are
// multiplied with that of the passage at once.
package standing

import (
	"math"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/confidence"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/dot"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/near"
)

// Question is a kept question as passages are held against it.
type Question struct {
	Words *cover.Words // weighed as the index weighs them now
	// Near is what passages of a collection are held against; zero: nothing.
	Near  map[document.Collection]near.Query
	Class analysis.Class
	Least float64 // relevance of a passage that answers it
}

// Passage is what is held against the questions.
type Passage struct {
	Text []byte
	// Names are the path, and what the passage defines and stands under.
	Names      []byte
	Vector     embed.Vector // zero: it has none
	Collection document.Collection
}

// Answer is a question that a passage answers.
type Answer struct {
	Question  int // its place in the set
	Relevance float64
	// Sum is what the relevance is made of: it orders passages of one relevance.
	Sum float64
}

// Set are questions that passages are held against. It belongs to one goroutine.
type Set struct {
	questions []Question
	model     *confidence.Model
	weigh     weights
	base      []float64 // sum of what a question says by itself
	least     []float64 // sum from which a passage answers it
	many      *cover.Many

	kernel dot.Kernel
	rows   map[document.Collection]*rows

	texts, names []cover.Set
}

// rows are the vectors of questions for one collection, one after the other.
type rows struct {
	dims     int
	values   []int8
	queries  []near.Query
	row      []int // of each question, -1 without
	products []int32
}

// add adds the next question.
func (r *rows) add(q near.Query) {
	if q.Vector.IsZero() || r.dims != 0 && len(q.Vector.Data) != r.dims {
		r.row = append(r.row, -1)
		return
	}
	r.dims = len(q.Vector.Data)
	r.row = append(r.row, len(r.queries))
	r.values, r.queries, r.products = append(r.values, q.Vector.Data...), append(r.queries, q), append(r.products, 0)
}

// hold multiplies a vector with all; false where it is of another length, or none.
func (r *rows) hold(kernel dot.Kernel, v embed.Vector) bool {
	if r.dims == 0 || len(v.Data) != r.dims {
		return false
	}
	kernel.Dot(r.products, dot.NewQuestion(v.Data), r.values)
	return true
}

// cosine is that of a question with the vector that was held, whose scale is given.
func (r *rows) cosine(question int, scale float32) (cosine float64, ok bool) {
	row := r.row[question]
	if row < 0 {
		return 0, false
	}
	q := &r.queries[row]
	return q.Scale.Of(float64(r.products[row]) * float64(q.Vector.Scale) * float64(scale)), true
}

// weights are those of the model, by name.
type weights struct{ cover, text, name, cosine, prose float64 }

// NewSet returns questions to hold passages against. The words of all are made by
// analyzer.
func NewSet(questions []Question, relevance *confidence.Calibration, analyzer cover.Analyzer) *Set {
	s := &Set{
		questions: questions, model: &relevance.Passage, kernel: dot.Best(),
		texts: make([]cover.Set, len(questions)), names: make([]cover.Set, len(questions)), rows: map[document.Collection]*rows{},
	}
	for i := range questions {
		for c := range questions[i].Near {
			s.rows[c] = &rows{}
		}
	}
	of := func(name string) float64 {
		return s.model.Sum(map[string]float64{name: 1}) - s.model.Bias
	}
	s.weigh = weights{of("cover"), of("text"), of("name"), of("cosine"), of("prose")}
	all := make([]*cover.Words, len(questions))
	for i := range questions {
		q := &questions[i]
		all[i] = q.Words
		base := s.model.Bias
		switch q.Class {
		case analysis.Symbol:
			base += of(confidence.Symbol)
		case analysis.Path:
			base += of(confidence.Path)
		}
		s.base, s.least = append(s.base, base), append(s.least, least(s.model, q.Least))
		for c, rows := range s.rows {
			rows.add(q.Near[c])
		}
	}
	s.many = cover.NewMany(all, analyzer)
	return s
}

// widest is a sum that no evidence comes to.
const widest = 1 << 10

// least returns the smallest sum that has a probability, which never falls with it.
func least(m *confidence.Model, p float64) float64 {
	if m.At(widest) < p {
		return math.Inf(1)
	}
	low, high := float64(-widest), float64(widest)
	for range 64 {
		if middle := (low + high) / 2; m.At(middle) >= p {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// Most is the highest relevance that a passage can have.
func Most(relevance *confidence.Calibration) float64 { return relevance.Passage.At(widest) }

// Answers returns the questions that a passage answers.
func (s *Set) Answers(p *Passage) (answers []Answer) {
	clear(s.texts)
	clear(s.names)
	s.many.In(p.Text, s.texts)
	s.many.In(p.Names, s.names)
	prose := 0.0
	if p.Collection.Prose() {
		prose = s.weigh.prose
	}
	vectors := s.rows[p.Collection]
	held := vectors != nil && vectors.hold(s.kernel, p.Vector)
	for i := range s.questions {
		text, name := s.texts[i], s.names[i]
		if text == 0 {
			continue // all that speaks for it is where it stands, as for its neighbours
		}
		sum := s.base[i] + prose
		if held {
			if cosine, ok := vectors.cosine(i, p.Vector.Scale); ok {
				sum += s.weigh.cosine * min(max(cosine, 0), 1)
			}
		}
		words := s.questions[i].Words
		sum += s.weigh.cover*words.Share(text|name) + s.weigh.text*words.Share(text) + s.weigh.name*words.Share(name)
		if sum >= s.least[i] {
			answers = append(answers, Answer{i, s.model.At(sum), sum})
		}
	}
	return answers
}
