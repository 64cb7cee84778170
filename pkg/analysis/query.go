package analysis

import "strings"

// Term is a token of a query with its weight in the BM25 sum.
type Term struct {
	Token  string
	Weight float64
}

// Weights of a query's terms. On twelve repositories of the benchmark every
// other weight for whole identifiers or parts between 0.5 and 2 was worse or
// equal; looking for an identifier in the other style as well (read_file for
// readFile) at half weight was worth 0.006 NDCG@10.
const (
	weightTerm       = 1
	weightOtherStyle = 0.5
	// weightStem is that of a stem in another language than English, and
	// weightStemmed that of the word beside it, where the question tells its
	// language. On XQuAD in German, Spanish and Russian stems at a quarter, as
	// that of words with an ending alone, were worse by .013, .009 and .027
	// NDCG@10 than these.
	weightStem    = 1
	weightStemmed = 0.5
)

// Query returns the terms of a query, each token once, in the order of the
// query. What the query says several times counts more, as in BM25. Stop words
// are left out, except in a path and in a query of identifiers; a query of nothing but stop words or punctuation gives no
// terms. A query that does not tell its language may be in any: its words are
// looked for by their stems in all of them, which only passages of that language
// have.
func (a *Analyzer) Query(text string) []Term {
	keepStopWords := false
	if class := Classify(text); class == Path || class == Symbol {
		keepStopWords = !onlyStopWords(text)
	}
	sum := newSum()
	var stems []string // of the present word
	in, told := languagesOf(text)
	s := scanner{text: []byte(text), compounds: true}
	for {
		k, piece, ok := s.next()
		if !ok {
			return sum.total()
		}
		sum.next()
		if !keepStopWords && (k == asciiRun && stopWords[lowerASCII(string(piece))] || told && isTelling(in[0], string(piece))) {
			continue
		}
		word, stems := float64(weightTerm), stems[:0]
		for _, l := range in {
			if token := a.markedPiece(l, k, piece); token != "" {
				stems = append(stems, token)
			}
		}
		if told && len(stems) > 0 {
			word = weightStemmed
		}
		for _, token := range a.tokens(k, string(piece)) {
			sum.add(token, word)
		}
		if k == asciiRun {
			if token := otherStyle(string(piece)); token != "" {
				sum.add(token, weightOtherStyle)
			}
		}
		for _, token := range stems {
			sum.add(token, weightStem)
		}
	}
}

// Within returns the tokens that every passage has whose text holds text from one
// end of a word to another, each once: stop words are among them.
func (a *Analyzer) Within(text string) []string {
	var tokens []string
	known := map[string]bool{}
	s := scanner{text: []byte(text)}
	for {
		k, piece, ok := s.next()
		if !ok {
			return tokens
		}
		for _, token := range a.tokens(k, string(piece)) {
			if !known[token] {
				known[token] = true
				tokens = append(tokens, token)
			}
		}
	}
}

// onlyStopWords reports whether every word of text is a stop word in lower
// case.
func onlyStopWords(text string) bool {
	s := scanner{text: []byte(text)}
	for {
		_, piece, ok := s.next()
		if !ok {
			return true
		}
		if !stopWords[string(piece)] {
			return false
		}
	}
}

// Words returns the word parts of a text or a name as signals compare them:
// lower-cased, single letters and stop words dropped, stemmed as the index
// does, in order and with duplicates. The result is shared and must not be
// changed: names come again with every query that finds their passages.
func (a *Analyzer) Words(text string) []string {
	if len(text) > maxWhole {
		return a.splitWords(text)
	}
	words, ok := a.words.getString(text)
	if !ok {
		words = a.splitWords(text)
		a.words.put(strings.Clone(text), words)
	}
	return words
}

func (a *Analyzer) splitWords(text string) []string {
	var words []string
	s := scanner{text: []byte(text)}
	for {
		k, piece, ok := s.next()
		if !ok {
			return words
		}
		for _, n := range namesOf(k, string(piece)) {
			for _, part := range n.parts {
				if !stopWords[part] && !(len(part) == 1 && isLetter(part[0])) {
					words = append(words, a.stem(part))
				}
			}
		}
	}
}

// IsStopWord reports whether word, in lower case, says how a question is asked
// and not what it is about.
func IsStopWord(word string) bool { return stopWords[strings.ToLower(word)] }
