package catalog

import "strings"

// What a token is.
const (
	word   = iota // an identifier or a word of the language, as it is written
	quoted        // an identifier in quotes, without them
	text          // a text, without its quotes
	number        // digits and dots
	sign          // anything else, one character
	note          // a comment, without its marks
)

type token struct {
	kind int
	text string
	// fresh says that a line begins between the token before and this one.
	fresh bool
}

// lex cuts statements into tokens. What has no end reaches to that of the text.
func lex(sql string) (out []token) {
	fresh := true
	add := func(kind int, s string) { out, fresh = append(out, token{kind, s, fresh}), false }
	until := func(from int, end string) (inner string, next int) {
		if n := strings.Index(sql[from:], end); n >= 0 {
			return sql[from : from+n], from + n + len(end)
		}
		return sql[from:], len(sql)
	}
	for i := 0; i < len(sql); {
		c := sql[i]
		switch {
		case c == '\n':
			fresh = true
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case strings.HasPrefix(sql[i:], "--"):
			inner, _ := until(i+2, "\n")
			add(note, strings.TrimSpace(inner))
			i += 2 + len(inner)
		case strings.HasPrefix(sql[i:], "/*"):
			inner, next := until(i+2, "*/")
			add(note, strings.Join(strings.Fields(inner), " "))
			i = next
		case c == '\'':
			s, next := inQuotes(sql, i, '\'')
			add(text, s)
			i = next
		case c == '"' || c == '`':
			s, next := inQuotes(sql, i, c)
			add(quoted, s)
			i = next
		case c == '[' && i+1 < len(sql) && letter(sql[i+1]):
			s, next := until(i+1, "]")
			add(quoted, s)
			i = next
		case c == '$' && dollar(sql[i:]) != "":
			tag := dollar(sql[i:])
			s, next := until(i+len(tag), tag)
			add(text, s)
			i = next
		case letter(c):
			end := i + 1
			for end < len(sql) && (letter(sql[end]) || digit(sql[end]) || sql[end] == '$') {
				end++
			}
			add(word, sql[i:end])
			i = end
		case digit(c):
			end := i + 1
			for end < len(sql) && (digit(sql[end]) || sql[end] == '.') {
				end++
			}
			add(number, sql[i:end])
			i = end
		default:
			add(sign, sql[i:i+1])
			i++
		}
	}
	return out
}

func letter(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

// inQuotes reads from a quote to the next that is not doubled.
func inQuotes(sql string, from int, quote byte) (s string, next int) {
	var b strings.Builder
	for i := from + 1; i < len(sql); i++ {
		if sql[i] == quote {
			if i+1 == len(sql) || sql[i+1] != quote {
				return b.String(), i + 1
			}
			i++
		}
		b.WriteByte(sql[i])
	}
	return b.String(), len(sql)
}

// dollar is the mark that begins a text in dollars, "" for none.
func dollar(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] == '$' {
			return s[:i+1]
		}
		if !letter(s[i]) {
			break
		}
	}
	return ""
}

// reader goes through tokens. Comments are passed over but by trailing.
type reader struct {
	tokens []token
	at     int
}

func (r *reader) pass() {
	for r.at < len(r.tokens) && r.tokens[r.at].kind == note {
		r.at++
	}
}

func (r *reader) end() bool {
	r.pass()
	return r.at >= len(r.tokens)
}

func (r *reader) peek() token {
	if r.end() {
		return token{kind: sign}
	}
	return r.tokens[r.at]
}

func (r *reader) next() token {
	t := r.peek()
	if r.at < len(r.tokens) {
		r.at++
	}
	return t
}

// is reports whether a sign is next.
func (r *reader) is(s string) bool {
	t := r.peek()
	return t.kind == sign && t.text == s
}

// sign takes a sign where it is next.
func (r *reader) sign(s string) bool {
	if !r.is(s) {
		return false
	}
	r.at++
	return true
}

// words takes words where they are next, whatever their case.
func (r *reader) words(all ...string) bool {
	from := r.at
	for _, w := range all {
		if t := r.next(); t.kind != word || !strings.EqualFold(t.text, w) {
			r.at = from
			return false
		}
	}
	return true
}

// text takes a text where it is next.
func (r *reader) text() (string, bool) {
	if t := r.peek(); t.kind == text {
		r.at++
		return strings.TrimSpace(t.text), true
	}
	return "", false
}

// part takes one part of a name; "" where none is next. Without quotes case says nothing,
// and names are in lower case, as PostgreSQL has them.
func (r *reader) part() string {
	switch t := r.peek(); t.kind {
	case word:
		r.at++
		return strings.ToLower(t.text)
	case quoted:
		r.at++
		return t.text
	}
	return ""
}

// name takes a name with what stands before it; "" where none is next.
func (r *reader) name() string {
	name := r.part()
	for name != "" && r.sign(".") {
		name += "." + r.part()
	}
	return name
}

// trailing takes the comment that stands on the line of the token before; "" for none.
func (r *reader) trailing() string {
	if r.at < len(r.tokens) && r.tokens[r.at].kind == note && !r.tokens[r.at].fresh {
		r.at++
		return r.tokens[r.at-1].text
	}
	return ""
}

// above is the comment on the lines above what is next; "" for none.
func (r *reader) above() string {
	r.pass()
	from := r.at
	for from > 0 && r.tokens[from-1].kind == note && r.tokens[from-1].fresh {
		from--
	}
	var lines []string
	for _, t := range r.tokens[from:r.at] {
		lines = append(lines, t.text)
	}
	return strings.TrimSpace(strings.Join(lines, " "))
}

// element takes everything up to the comma or bracket that ends an element of a list, or
// the end of the statement, and the comma with it. It returns the words of it, and in
// comment, which may be nil, what is said of it.
func (r *reader) element(comment *string) string {
	var b strings.Builder
	depth, said := 0, ""
	for !r.end() && !(depth == 0 && (r.is(",") || r.is(")") || r.is(";"))) {
		if comment != nil && r.words("comment") {
			said, _ = r.text()
			continue
		}
		t := r.next()
		switch {
		case t.kind == sign && t.text == "(":
			depth++
		case t.kind == sign && t.text == ")":
			depth--
		}
		if t.kind != sign && !strings.ContainsAny(last(&b), "(.<>=+-*/:") {
			b.WriteByte(' ')
		}
		if t.kind == text {
			b.WriteString("'" + t.text + "'")
		} else {
			b.WriteString(t.text)
		}
		if behind := r.trailing(); said == "" {
			said = behind
		}
	}
	r.sign(",")
	if behind := r.trailing(); said == "" {
		said = behind
	}
	if comment != nil {
		*comment = said
	}
	return strings.TrimSpace(b.String())
}

// last is the last byte that was written.
func last(b *strings.Builder) string { return b.String()[max(0, b.Len()-1):] }

// statement goes behind the end of the statement.
func (r *reader) statement() {
	for !r.end() {
		if t := r.next(); t.kind == sign && t.text == ";" {
			return
		}
	}
}
