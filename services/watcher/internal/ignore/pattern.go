package ignore

import "strings"

// pattern is one line of an ignore file. Its semantics are those of
// gitignore(5).
type pattern struct {
	text     string // without "!", the slash in front and the slash behind
	negated  bool
	dirOnly  bool // matches directories only
	baseOnly bool // matches the last element at any depth
	literal  int  // bytes before the first special one
	suffix   bool // a star and a literal: "*.o"

	rule string // the line as it was written
	line int    // from 1
}

// parsePatterns reads an ignore file. Lines that hold no pattern are left out.
func parsePatterns(content string) []pattern {
	content = strings.TrimPrefix(content, "\ufeff")
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	var out []pattern
	for n := 1; content != ""; n++ {
		var line string
		line, content, _ = strings.Cut(content, "\n")
		line = strings.TrimSuffix(line, "\r")
		if p, ok := parsePattern(line); ok {
			p.line = n
			out = append(out, p)
		}
	}
	return out
}

// parsePattern reads one line. ok is false for comments and for lines that
// can match nothing.
func parsePattern(line string) (p pattern, ok bool) {
	if line == "" || line[0] == '#' {
		return p, false
	}
	line = trimSpaces(line)
	p.rule, p.text = line, line
	if strings.HasPrefix(p.text, "!") {
		p.negated, p.text = true, p.text[1:]
	}
	if strings.HasSuffix(p.text, "/") {
		p.dirOnly, p.text = true, p.text[:len(p.text)-1]
	}
	p.baseOnly = !strings.Contains(p.text, "/")
	p.text = strings.TrimPrefix(p.text, "/")
	if p.text == "" {
		return p, false
	}
	p.literal = strings.IndexAny(p.text, special)
	if p.literal < 0 {
		p.literal = len(p.text)
	}
	p.suffix = p.text[0] == '*' && !strings.ContainsAny(p.text[1:], special)
	return p, true
}

// trimSpaces removes spaces at the end unless a backslash quotes them.
func trimSpaces(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
			end = min(i+1, len(s))
		case ' ':
		default:
			end = i + 1
		}
	}
	return s[:end]
}

// match reports whether the pattern matches. rel is the path relative to the
// directory of the ignore file, base its last element.
func (p *pattern) match(rel, base string, dir bool) bool {
	if p.dirOnly && !dir {
		return false
	}
	if p.baseOnly {
		switch {
		case p.literal == len(p.text):
			return p.text == base
		case p.suffix:
			return strings.HasSuffix(base, p.text[1:])
		}
		return wildmatch(p.text, base)
	}
	if len(rel) < p.literal || rel[:p.literal] != p.text[:p.literal] {
		return false
	}
	// git, too, hands only the part behind the literal on, so that "a**/b"
	// means more than its words say.
	return wildmatch(p.text[p.literal:], rel[p.literal:])
}

// names reports whether the pattern's last element holds a letter or a digit
// outside wildcards. A secret is let in only by a rule that names it, not by
// "!*".
func (p *pattern) names() bool {
	last := p.text[strings.LastIndexByte(p.text, '/')+1:]
	return strings.ContainsFunc(last, func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	})
}
