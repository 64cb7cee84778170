package document

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Path is the path of a document relative to the root of its source, with
// forward slashes, percent-encoded where a byte is a control character, '%',
// not part of valid UTF-8, or a space at either end (headers lose it there).
// It is the same in headers, JSON and ids.
type Path string

// EncodePath returns the Path of raw, a relative path as the file system or
// git has it (slashes already forward).
func EncodePath(raw string) Path {
	clean := true
	for i := 0; i < len(raw); i++ {
		if c := raw[i]; c < 0x20 || c == 0x7f || c == '%' || c >= 0x80 || c == ' ' && (i == 0 || i == len(raw)-1) {
			clean = false
			break
		}
	}
	if clean {
		return Path(raw)
	}
	var b strings.Builder
	for i := 0; i < len(raw); {
		r, n := utf8.DecodeRuneInString(raw[i:])
		switch {
		case r == utf8.RuneError && n == 1, r < 0x20, r >= 0x7f && r < 0xa0, r == '%',
			r == ' ' && (i == 0 || i == len(raw)-1):
			for _, c := range []byte(raw[i : i+n]) {
				b.WriteByte('%')
				b.WriteByte("0123456789ABCDEF"[c>>4])
				b.WriteByte("0123456789ABCDEF"[c&15])
			}
		default:
			b.WriteString(raw[i : i+n])
		}
		i += n
	}
	return Path(b.String())
}

// maxPath bounds a path in bytes; file systems have no longer ones.
const maxPath = 4096

// CheckPath reports whether p can be the path of a document that somebody
// names: relative, in the encoded form, without empty elements, "." and "..".
// The error is InvalidRequest.
func CheckPath(p Path) error {
	if p == "" {
		return Errorf(InvalidRequest, "a path is empty: name the document")
	}
	if len(p) > maxPath {
		return Errorf(InvalidRequest, "a path has %d bytes: shorten it to %d", len(p), maxPath)
	}
	if p[0] == '/' {
		return Errorf(InvalidRequest, "the path %q is absolute: give it relative to its source", p)
	}
	if canonical := EncodePath(p.Raw()); canonical != p {
		return Errorf(InvalidRequest, "the path %q is not percent-encoded as answers have it: write %q", p, canonical)
	}
	for element := range strings.SplitSeq(p.Raw(), "/") {
		switch element {
		case "", ".", "..":
			return Errorf(InvalidRequest, "the path %q has the element %q: leave it out", p, element)
		}
	}
	return nil
}

// TypedPath returns the Path that a person means: text that is in the encoded
// form already stays as it is, everything else is taken as the file system has
// it.
func TypedPath(text string) Path {
	p := Path(text)
	if EncodePath(p.Raw()) == p {
		return p
	}
	return EncodePath(text)
}

// Raw returns the path as the file system has it.
func (p Path) Raw() string {
	if !strings.Contains(string(p), "%") {
		return string(p)
	}
	out := make([]byte, 0, len(p))
	for i := 0; i < len(p); i++ {
		if p[i] == '%' && i+2 < len(p) {
			hi, lo := unhex(p[i+1]), unhex(p[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, p[i])
	}
	return string(out)
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// Base returns the last element.
func (p Path) Base() string { return path.Base(string(p)) }

// Ext returns the extension with its dot, lower-cased; "" when there is none.
func (p Path) Ext() string { return strings.ToLower(path.Ext(string(p))) }

// Stem returns the last element without its extension.
func (p Path) Stem() string {
	b := p.Base()
	if i := strings.LastIndexByte(b, '.'); i > 0 {
		return b[:i]
	}
	return b
}

// Dirs returns the directories above the document from the outermost to the
// innermost: "a/b/c.go" gives [a b].
func (p Path) Dirs() []string {
	d := path.Dir(string(p))
	if d == "." || d == "/" {
		return nil
	}
	return strings.Split(d, "/")
}

// Ancestors returns every directory above the document as a path: "a/b/c.go"
// gives [a a/b].
func (p Path) Ancestors() []string {
	var out []string
	for i := 0; i < len(p); i++ {
		if p[i] == '/' && i > 0 {
			out = append(out, string(p[:i]))
		}
	}
	return out
}
