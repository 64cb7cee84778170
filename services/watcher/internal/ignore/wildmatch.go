package ignore

import "strings"

// outcome of matching a pattern with wildcards against a text.
type outcome int

const (
	matched outcome = iota
	mismatched
	// hopeless: the text ended before the pattern, so no later start of an
	// enclosing star can help.
	hopeless
	// beyondSlash: a single star met a slash, so only an enclosing double
	// star can still help. Without these two a pattern such as *a*a*a*b takes
	// exponential time.
	beyondSlash
)

// wildmatch reports whether pattern matches the whole of text as git's
// wildmatch does with WM_PATHNAME: a star and a question mark stop at
// slashes, two stars between slashes cross them.
//
// Several double stars make the number of ways to try grow beyond all bounds,
// in git as well. So what was tried is remembered, and a pattern that takes
// more than maxSteps matches nothing.
func wildmatch(pattern, text string) bool {
	var m matcher
	return m.wild(pattern, text) == matched
}

const (
	// maxSteps is some milliseconds. Patterns that people write take less than
	// a thousand steps.
	maxSteps = 1 << 20
	// plainSteps is where remembering begins to cost less than trying again.
	plainSteps = 1 << 10
)

// matcher is one match of a pattern.
type matcher struct {
	steps int
	// tried holds outcomes by the lengths of pattern and text: what is left of
	// either is always its end.
	tried map[[2]int]outcome
}

func (m *matcher) wild(p, t string) outcome {
	m.steps++
	switch {
	case m.steps < plainSteps:
		return m.try(p, t)
	case m.steps > maxSteps:
		return hopeless
	case m.tried == nil:
		m.tried = map[[2]int]outcome{}
	}
	key := [2]int{len(p), len(t)}
	o, known := m.tried[key]
	if !known {
		o = m.try(p, t)
		m.tried[key] = o
	}
	return o
}

// at returns the byte i of s, or 0 behind its end.
func at(s string, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

func (m *matcher) try(p, t string) outcome {
	pi, ti := 0, 0
	for ; pi < len(p); pi, ti = pi+1, ti+1 {
		c, tc := p[pi], at(t, ti)
		if ti >= len(t) && c != '*' {
			return hopeless
		}
		switch c {
		case '\\':
			pi++
			if at(p, pi) != tc {
				return mismatched
			}
		case '?':
			if tc == '/' {
				return mismatched
			}
		case '[':
			next, in, ok := bracket(p, pi, tc)
			if !ok {
				return hopeless
			}
			if !in || tc == '/' {
				return mismatched
			}
			pi = next
		case '*':
			rest, cross, done := m.star(p, pi, t[ti:])
			if done != nil {
				return *done
			}
			if !cross && rest[0] == '/' {
				// One star before a slash takes the rest of this element.
				i := strings.IndexByte(t[ti:], '/')
				if i < 0 {
					return mismatched
				}
				pi, ti = len(p)-len(rest), ti+i
				continue
			}
			return m.expand(rest, t[ti:], cross)
		default:
			if c != tc {
				return mismatched
			}
		}
	}
	if ti < len(t) {
		return mismatched
	}
	return matched
}

// star reads the run of stars at p[i]. It returns the pattern behind them and
// whether they cross slashes, or the final outcome where that is known.
func (m *matcher) star(p string, i int, t string) (rest string, cross bool, done *outcome) {
	end := func(o outcome) (string, bool, *outcome) { return "", false, &o }
	j := i + 1
	for at(p, j) == '*' {
		j++
	}
	rest = p[j:]
	// Two stars count only as a whole path element. "The start" is the start
	// of this piece of the pattern, as in git.
	if j > i+1 && (i == 0 || p[i-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		if rest != "" && rest[0] == '/' && m.wild(rest[1:], t) == matched {
			return end(matched) // "**/" may stand for no directory at all
		}
		cross = true
	}
	if rest == "" {
		if !cross && strings.IndexByte(t, '/') >= 0 {
			return end(mismatched)
		}
		return end(matched)
	}
	return rest, cross, nil
}

// expand tries the pattern behind a star at every position that the star may
// reach.
func (m *matcher) expand(rest, t string, cross bool) outcome {
	literal := rest[0]
	if strings.IndexByte(special, literal) >= 0 {
		literal = 0
	}
	for i := range len(t) {
		if literal != 0 && t[i] != literal {
			if !cross && t[i] == '/' {
				return mismatched
			}
			if i == len(t)-1 {
				return mismatched
			}
			continue
		}
		o := m.wild(rest, t[i:])
		switch {
		case o == mismatched:
			if !cross && t[i] == '/' {
				return beyondSlash
			}
		case !cross || o != beyondSlash:
			return o
		}
	}
	return hopeless
}

// special are the bytes that make a pattern more than a literal.
const special = `*?[\`

// bracket matches c against the bracket expression that begins at p[i]. It
// returns the index of the closing bracket; ok is false if there is none or a
// class is unknown.
func bracket(p string, i int, c byte) (end int, in, ok bool) {
	i++
	negated := at(p, i) == '!' || at(p, i) == '^'
	if negated {
		i++
	}
	var previous byte
	for first := true; first || at(p, i) != ']'; i++ {
		first = false
		if i >= len(p) {
			return 0, false, false
		}
		b := p[i]
		switch {
		case b == '\\':
			i++
			if i >= len(p) {
				return 0, false, false
			}
			b = p[i]
			in = in || b == c
		case b == '-' && previous != 0 && i+1 < len(p) && p[i+1] != ']':
			i++
			high := p[i]
			if high == '\\' {
				i++
				if i >= len(p) {
					return 0, false, false
				}
				high = p[i]
			}
			in = in || previous <= c && c <= high
			b = 0 // a range does not begin another one
		case b == '[' && at(p, i+1) == ':':
			n := strings.IndexByte(p[i+2:], ']')
			if n < 0 {
				return 0, false, false
			}
			if n == 0 || p[i+1+n] != ':' {
				in = in || c == '[' // no class after all
				break
			}
			member, known := class(p[i+2:i+1+n], c)
			if !known {
				return 0, false, false
			}
			in = in || member
			i += 2 + n
			b = 0
		default:
			in = in || b == c
		}
		previous = b
	}
	return i, in != negated, true
}

// class reports whether c belongs to a POSIX class, and whether there is one
// of that name.
func class(name string, c byte) (member, known bool) {
	lower, upper := c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z'
	digit := c >= '0' && c <= '9'
	printable := c >= 0x20 && c < 0x7f
	switch name {
	case "alnum":
		return lower || upper || digit, true
	case "alpha":
		return lower || upper, true
	case "blank":
		return c == ' ' || c == '\t', true
	case "cntrl":
		return c < 0x20 || c == 0x7f, true
	case "digit":
		return digit, true
	case "graph":
		return printable && c != ' ', true
	case "lower":
		return lower, true
	case "print":
		return printable, true
	case "punct":
		return printable && c != ' ' && !lower && !upper && !digit, true
	case "space":
		return c == ' ' || c >= '\t' && c <= '\r', true
	case "upper":
		return upper, true
	case "xdigit":
		return digit || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F', true
	}
	return false, false
}
