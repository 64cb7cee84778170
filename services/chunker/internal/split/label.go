package split

import (
	"bytes"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
)

// labelBytes is about the length of a label line: longer ones would outweigh
// the text of a small passage.
const labelBytes = 200

// scanner finds the calls in a passage without a parser: an identifier
// followed by "(". Strings and comments are skipped as far as they end on
// their line. It belongs to one goroutine.
type scanner struct {
	hash  bool // "#" begins a comment
	slash bool // "//" begins a comment
	quote bool // '…' is a string, not a character or a lifetime
	calls []called
	seen  map[string]int
}

type called struct {
	name  string
	count int
}

func newScanner(lang string) *scanner {
	l := language.Get(lang)
	return &scanner{seen: map[string]int{}, hash: l.LineComment == "#", slash: l.LineComment == "//", quote: l.Quoted}
}

// notCalls are words before "(" that call nothing, in any language.
var notCalls = map[string]bool{
	"if": true, "for": true, "while": true, "switch": true, "return": true, "func": true, "function": true,
	"catch": true, "sizeof": true, "def": true, "fn": true, "and": true, "or": true, "not": true, "in": true,
	"elif": true, "match": true, "case": true, "import": true, "from": true, "class": true, "struct": true,
	"with": true, "except": true, "lambda": true, "await": true, "async": true, "go": true, "defer": true,
	"select": true, "synchronized": true, "throw": true, "raise": true, "new": true, "delete": true, "typeof": true,
	"else": true, "do": true, "try": true, "when": true, "until": true, "unless": true, "assert": true,
	"alignof": true, "decltype": true, "static_assert": true, "map": true, "chan": true, "interface": true,
	"var": true, "const": true, "let": true, "type": true, "is": true, "as": true, "yield": true, "impl": true,
	"len": true, "append": true, "make": true, "self": true, "super": true, "this": true, "pub": true, "macro": true,
	"print": true, "str": true, "int": true, "string": true, "byte": true, "cap": true, "int64": true, "uint64": true,
	"int32": true, "uint32": true, "uint8": true, "uint": true, "error": true, "bool": true, "void": true,
}

// label makes the label line of a passage: "KIND NAME, … | calls … | raises …".
func (s *scanner) label(span document.Span, items []Item, text []byte) string {
	var b strings.Builder
	b.WriteString(span.Kind)
	names := 0
	name := func(n string) {
		if n == "" || b.Len()+len(n) > labelBytes {
			return
		}
		if names++; names > 1 {
			b.WriteByte(',')
		}
		b.WriteByte(' ')
		b.WriteString(n)
	}
	name(span.Symbol)
	for _, item := range items {
		if item.Symbol != span.Symbol {
			name(item.Symbol)
		}
		for _, n := range item.Names {
			name(n)
		}
	}
	calls, raises := s.scan(text)
	s.list(&b, " | calls ", calls, func(n string) bool { return defines(items, n) })
	s.list(&b, " | raises ", raises, func(string) bool { return false })
	return valid(b.String())
}

// list appends names as far as they fit.
func (s *scanner) list(b *strings.Builder, title string, names []called, leaveOut func(string) bool) {
	n := 0
	for _, c := range names {
		if n == 12 || leaveOut(c.name) {
			continue
		}
		sep := ", "
		if n == 0 {
			sep = title
		}
		if b.Len()+len(sep)+len(c.name) > labelBytes {
			continue
		}
		b.WriteString(sep)
		b.WriteString(c.name)
		n++
	}
}

// defines reports whether name is the last part of a symbol of items: a
// definition looks like a call of itself.
func defines(items []Item, name string) bool {
	is := func(symbol string) bool {
		return symbol == name || strings.HasSuffix(symbol, name) && symbol[len(symbol)-len(name)-1] == '.'
	}
	for _, item := range items {
		if is(item.Symbol) || slices.ContainsFunc(item.Names, is) {
			return true
		}
	}
	return false
}

// scan returns the names called, most frequent first and then in order, and
// the names raised or thrown. The first slice is valid until the next scan.
func (s *scanner) scan(b []byte) (calls, raises []called) {
	s.calls = s.calls[:0]
	clear(s.seen)
	raising := 0 // words left in which a raised name may come
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case isWord(c):
			n := wordLen(b[i:])
			word := b[i : i+n]
			i += n
			if n > 64 || c >= '0' && c <= '9' {
				continue
			}
			if raising > 0 && string(word) != "new" {
				if c >= 'A' && c <= 'Z' && !slices.ContainsFunc(raises, func(r called) bool { return r.name == string(word) }) && len(raises) < 8 {
					raises = append(raises, called{name: string(word)})
				}
				raising = 0
				continue
			}
			if string(word) == "raise" || string(word) == "throw" {
				raising = 1
				continue
			}
			if i < len(b) && b[i] == '(' && n > 1 && !notCalls[string(word)] {
				s.count(word)
			}
		case c == '"' || c == '\'' && s.quote:
			i += stringLen(b[i:], c)
		case c == '/' && s.slash && i+1 < len(b) && b[i+1] == '/', c == '#' && s.hash:
			end := bytes.IndexByte(b[i:], '\n')
			if end < 0 {
				end = len(b) - i
			}
			i += end
		default:
			if c != ' ' && c != '\t' {
				raising = 0
			}
			i++
		}
	}
	slices.SortStableFunc(s.calls, func(a, b called) int { return b.count - a.count })
	return s.calls, raises
}

func (s *scanner) count(word []byte) {
	if i, ok := s.seen[string(word)]; ok {
		s.calls[i].count++
		return
	}
	if len(s.calls) < 256 {
		name := string(word)
		s.seen[name] = len(s.calls)
		s.calls = append(s.calls, called{name: name, count: 1})
	}
}

// stringLen is the length of the string literal that b begins with, or 1
// where it does not end on its line.
func stringLen(b []byte, quote byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			return 1
		}
	}
	return 1
}
