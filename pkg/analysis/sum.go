package analysis

// repeated is k3 of Okapi BM25 (Robertson and others, TREC-3, 1994): what a
// question says n times counts n·(k3+1)/(k3+n) times.
const repeated = 8

// sum adds up the terms of a query: each token once, with the weights that the
// query's words give it. One word gives a token no more than once.
type sum struct {
	terms []Term
	given []given // in the order of terms
	index map[string]int
	word  int
}

// given is what a word has given to a token.
type given struct {
	word   int // the last that did
	weight float64
	words  int // that did
}

func newSum() *sum { return &sum{index: map[string]int{}} }

// next begins the next word.
func (s *sum) next() { s.word++ }

// add has the present word give a token at least a weight.
func (s *sum) add(token string, weight float64) {
	i, known := s.index[token]
	if !known {
		i = len(s.terms)
		s.index[token] = i
		s.terms, s.given = append(s.terms, Term{Token: token}), append(s.given, given{})
	}
	g := &s.given[i]
	if g.word != s.word {
		*g = given{word: s.word, words: g.words + 1}
	}
	if more := weight - g.weight; more > 0 {
		s.terms[i].Weight += more
		g.weight = weight
	}
}

// total returns the terms in the order in which they came.
func (s *sum) total() []Term {
	for i, g := range s.given {
		s.terms[i].Weight *= (repeated + 1) / (repeated + float64(g.words))
	}
	return s.terms
}
