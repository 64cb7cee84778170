package rank

import (
	"path"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
)

// Words is what the signals need of the analyzer: the stemmed word parts of a
// text or name, without stop words. It is safe for concurrent use.
type Words interface {
	Words(text string) []string
}

// Query is a query as the signals see it.
type Query struct {
	Class       analysis.Class
	identifiers map[string]bool // lower case; qualified ones also by their last part
	typed       map[string]bool // the words as typed, lower case
	all         map[string]bool // stemmed parts
	words       map[string]bool // of these, without those that name no file
	paths       []string        // words that look like a path, lower case
	names       []Name          // where the question has nothing else
	uses        bool            // of names are asked for
	asked       asked
	issue       bool         // reported, or what that is about
	held        *cover.Words // tells quickly of most names that they have nothing of the query
	analyzer    Words
}

// vague are words of questions that are too common in file names to mean one.
var vague = set("handle implement file class function method code use find show")

// NewQuery looks at a query's text.
func NewQuery(text string, analyzer Words) *Query {
	q := &Query{Class: analysis.Classify(text), identifiers: map[string]bool{}, typed: map[string]bool{}, all: map[string]bool{}, words: map[string]bool{}, analyzer: analyzer}
	for _, id := range analysis.Identifiers(text) {
		id = strings.ToLower(id)
		q.identifiers[id] = true
		q.identifiers[LastPart(id)] = true
	}
	for _, field := range strings.Fields(strings.ToLower(text)) {
		field = strings.Trim(field, "\"'`,;:!?()[]{}")
		q.typed[field] = true
		if strings.ContainsAny(field, "/.") {
			if p := strings.TrimPrefix(path.Clean(strings.ReplaceAll(field, `\`, "/")), "/"); p != "." && len(p) > 2 {
				q.paths = append(q.paths, p)
			}
		}
	}
	q.names = namesOf(text, q.Class)
	q.asked = whatIsAsked(text, q.Class)
	q.held = cover.New(text, analyzer, func(string) float64 { return 1 })
	vagueStems := map[string]bool{}
	for v := range vague {
		for _, w := range analyzer.Words(v) {
			vagueStems[w] = true
		}
	}
	for _, w := range analyzer.Words(text) {
		q.all[w] = true
		if !vagueStems[w] || q.Class != analysis.Natural {
			q.words[w] = true
		}
	}
	return q
}

// IsAbout makes a query that of an issue, which is about what another query asks
// for. Its many words ask for no kind of file: who reports something mentions tests
// and documentation, and wants the code.
func (q *Query) IsAbout(headline *Query) {
	q.issue, headline.issue = true, true
	q.asked.prose = headline.asked.prose
}

// LastPart returns a name without what qualifies it.
func LastPart(name string) string {
	return name[strings.LastIndexAny(name, ".:>#/")+1:]
}

// definitionKinds are the kinds of passage that define their symbol.
var definitionKinds = map[string]bool{
	document.KindFunction: true, document.KindMethod: true, document.KindClass: true,
	document.KindType: true, document.KindModule: true, document.KindVariable: true,
}

// defines returns how surely a passage defines what the query asks for: 1 for
// a name that the query has as an identifier. symbols are the names that it
// defines, one a line.
func (q *Query) defines(symbols, kind string, w *Weights) float64 {
	if symbols == "" || q.uses || !definitionKinds[kind] {
		return 0
	}
	best := 0.0
	for symbol := range strings.SplitSeq(symbols, "\n") {
		best = max(best, q.definesOne(symbol, w))
	}
	return best
}

func (q *Query) definesOne(symbol string, w *Weights) float64 {
	name := LastPart(symbol)
	parts := q.wordsNear(name)
	none := len(parts) == 0 // a letter, a word such as "is", or a name that was passed over
	if none && len(q.identifiers) == 0 || !none && !slices.ContainsFunc(parts, func(p string) bool { return q.all[p] }) {
		return 0 // most names: cheaper to find out than to compare them
	}
	last := strings.ToLower(name)
	whole := last
	if len(name) < len(symbol) {
		whole = strings.ToLower(symbol)
	}
	switch {
	case q.identifiers[whole]:
		return 1
	case q.identifiers[last]:
		return w.DefinitionMember
	case none:
		return 0
	case q.typed[whole] || q.typed[last]:
		return w.DefinitionWord
	}
	for _, p := range parts {
		if !q.words[p] {
			return 0
		}
	}
	return min(w.DefinitionParts+w.DefinitionPart*float64(len(parts)), 1)
}

// wordsNear returns the words of a name that may have one in common with the
// query, or one that begins alike; none of others.
func (q *Query) wordsNear(name string) []string {
	if !q.held.Near(name) {
		return nil
	}
	return q.analyzer.Words(name)
}

// namesPath returns 1 where the query holds the path or its end.
func (q *Query) namesPath(p *place) float64 {
	for _, want := range q.paths {
		if p.low == want || strings.HasSuffix(p.low, "/"+want) {
			return 1
		}
	}
	return 0
}

// matchStem returns the share of the file name's words that the query has, 1
// where the whole name is a word of it. The name of a file such as mod.rs or
// __init__.py is that of its folder.
func (q *Query) matchStem(p *place, w *Weights) float64 {
	stem := p.stem
	if q.hasTyped(stem) {
		return 1
	}
	if n := len(p.dirs); n > 0 && indexes[strings.ToLower(stem)] {
		if stem = p.dirs[n-1]; q.hasTyped(stem) {
			return 1
		}
	}
	return q.share(q.wordsNear(stem), w.StemNear)
}

// indexes are names of files that stand for their folder.
var indexes = set("index mod lib main init __init__ package")

func (q *Query) hasTyped(name string) bool {
	name = strings.ToLower(name)
	return q.typed[name] && !vague[name]
}

// matchDirs returns the share of the last three folders' words that the query
// has.
func (q *Query) matchDirs(p *place) float64 {
	if !slices.ContainsFunc(p.dirs, q.held.Near) {
		return 0
	}
	return q.share(q.analyzer.Words(strings.Join(p.dirs, " ")), 0)
}

// share returns the share of words that the query has. One that is near a word
// of the query counts as much as near says.
func (q *Query) share(words []string, near float64) float64 {
	if len(words) == 0 {
		return 0
	}
	n := 0.0
	for _, w := range words {
		switch {
		case q.words[w]:
			n++
		case near > 0 && q.near(w):
			n += near
		}
	}
	return n / float64(len(words))
}

// Len is the number of different words of the query that name something.
func (q *Query) Len() int { return len(q.words) }

// Named compares the query's words with those of names: share of the first
// symbol's words that the query has, cover of the query's words that symbols and
// path have. symbols are names, one a line.
func (q *Query) Named(symbols, path string) (share, cover float64) {
	symbol, _, _ := strings.Cut(symbols, "\n")
	share = q.share(q.analyzer.Words(symbol), 0)
	if len(q.words) == 0 {
		return share, 0
	}
	all, places := q.analyzer.Words(symbols), q.analyzer.Words(path)
	n := 0
	for w := range q.words {
		if slices.Contains(all, w) || slices.Contains(places, w) {
			n++
		}
	}
	return share, float64(n) / float64(len(q.words))
}

// Lengths in bytes from which a word is taken for the beginning of another:
// auth and util are short forms; of words of a question only longer ones say
// something of what goes on from them.
const (
	shortForm = 3
	longForm  = 4
)

// near reports whether a word of a file's name is a short form of a word of the
// query (auth, authentication), goes on from one (checker, check), or is made
// of two (urlmap).
func (q *Query) near(word string) bool {
	for w := range q.words {
		switch {
		case len(word) >= shortForm && len(w) > len(word) && strings.HasPrefix(w, word):
			return true
		case len(w) >= longForm && len(word) > len(w) && strings.HasPrefix(word, w):
			return true
		case len(w) >= shortForm && len(word) >= len(w)+shortForm && strings.HasPrefix(word, w) && q.words[word[len(w):]]:
			return true
		}
	}
	return false
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(words) {
		out[w] = true
	}
	return out
}
