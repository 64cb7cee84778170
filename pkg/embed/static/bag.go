package static

// Bag is a text as a model sees it: its distinct tokens in the order in which
// they first stand, each with its weight in the sum.
type Bag struct {
	IDs     []int32
	Weights []float32 // tf^0.75
}

// Bag returns the tokens of a text. It is empty where none is known.
func (e *Embedder) Bag(text string) Bag {
	s := e.scratch.Get().(*scratch)
	defer e.scratch.Put(s)
	s.text = prepare(s.text, text)
	s.ids = e.tokens.append(s.ids[:0], s.text)
	s.count()
	b := Bag{IDs: make([]int32, len(s.seen)), Weights: make([]float32, len(s.seen))}
	copy(b.IDs, s.seen)
	for i, id := range s.seen {
		b.Weights[i] = float32(damp(float64(s.counts[id])))
		s.counts[id] = 0
	}
	return b
}

// count fills seen and counts with what ids has. The caller makes counts zero
// again.
func (s *scratch) count() {
	s.seen = s.seen[:0]
	for _, id := range s.ids {
		if s.counts[id] == 0 {
			s.seen = append(s.seen, id)
		}
		s.counts[id]++
	}
}
