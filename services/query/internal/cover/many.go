package cover

// Many looks for the words of many queries in one pass over a text. It belongs to
// one goroutine.
type Many struct {
	all  Words // knows how the words of all queries begin
	at   map[string][]held
	seen map[string][]held // runs that were taken apart
}

// held is a word of a query, as a bit of its set.
type held struct {
	query int
	set   Set
}

// mostRuns bounds the runs of which it is remembered what they hold.
const mostRuns = 1 << 16

// NewMany returns a Many for queries whose words are made by one analyzer.
func NewMany(queries []*Words, analyzer Analyzer) *Many {
	m := &Many{all: Words{analyzer: analyzer}, at: map[string][]held{}, seen: map[string][]held{}}
	for query, w := range queries {
		for word, i := range w.at {
			m.at[word] = append(m.at[word], held{query, 1 << i})
			m.all.watchFor(word)
		}
	}
	return m
}

// In adds to each query's set the words of it that a text holds.
func (m *Many) In(text []byte, sets []Set) {
	m.all.runs(text, func(run []byte, _ int) {
		for _, h := range m.of(run) {
			sets[h.query] |= h.set
		}
	})
}

func (m *Many) of(run []byte) []held {
	if list, known := m.seen[string(run)]; known {
		return list
	}
	var list []held
	for _, word := range m.all.analyzer.Words(string(run)) {
		list = append(list, m.at[word]...)
	}
	if len(m.seen) >= mostRuns {
		clear(m.seen)
	}
	m.seen[string(run)] = list
	return list
}
