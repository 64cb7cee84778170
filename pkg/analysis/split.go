package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// name is an identifier, a word or a compound taken apart, all lower-case.
type name struct {
	whole string   // "" when there is one part only, or it is too long
	parts []string // not yet stemmed
	lower string   // the only part with its accents, where it has any
}

// namesOf takes a piece of a text apart.
func namesOf(k kind, piece string) []name {
	switch k {
	case compound:
		return []name{{whole: lowerASCII(piece)}}
	case foreign:
		return foreignNames(piece)
	}
	return []name{splitASCII(piece)}
}

// splitASCII takes an ASCII run apart. Outer underscores do not count.
func splitASCII(run string) (n name) {
	run = strings.Trim(run, "_")
	bounds := partBounds(run)
	lower := lowerASCII(run)
	if len(bounds) == 1 && len(lower) <= maxWord {
		n.parts = []string{lower}
	}
	if len(bounds) < 2 {
		return n
	}
	if len(lower) <= maxWhole {
		n.whole = lower
	}
	if isEncoded(run, bounds) {
		return n
	}
	n.parts = make([]string, 0, len(bounds))
	for _, b := range bounds {
		part := lower[b[0]:b[1]]
		if len(part) > maxWord || len(part) == 1 && isLetter(part[0]) {
			continue // of the T in TValue and the x in x1 the whole is enough
		}
		n.parts = append(n.parts, part)
	}
	return n
}

// isEncoded reports whether a run is data rather than a name: a hexadecimal
// number, a hash, or base64, whose parts would be noise. In names a part has 4
// to 8 bytes; in base64 it has about 3, and many have one.
func isEncoded(run string, bounds [][2]int) bool {
	if len(run) > 2 && run[0] == '0' && run[1]|0x20 == 'x' {
		return true
	}
	single := 0
	for _, b := range bounds {
		if b[1]-b[0] == 1 {
			single++
		}
	}
	return len(run) >= 20 && 2*len(run) < 7*len(bounds) && 4*single >= len(bounds)
}

// Parts returns the start and end of each part of a name, as it is cut for the
// index: Read and File of ReadFile. A name in another script is one part, or each
// pair of characters where words have no space between them.
func Parts(name string) (bounds [][2]int) {
	if isASCII(name) {
		return partBounds(name)
	}
	if !strings.ContainsFunc(name, func(r rune) bool { return unicode.In(r, unspaced...) }) {
		return [][2]int{{0, len(name)}}
	}
	before := -1
	for i, r := range name {
		if before >= 0 {
			bounds = append(bounds, [2]int{before, i + utf8.RuneLen(r)})
		}
		before = i
	}
	return bounds
}

// partBounds returns the start and end of each part of an ASCII run: at
// underscores, between letters and digits, before an upper-case letter that
// follows a lower-case one, and before the last upper-case letter of several
// when a lower-case one follows (HTTPServer: HTTP, Server).
func partBounds(run string) [][2]int {
	var bounds [][2]int
	start := -1
	for i := 0; i < len(run); i++ {
		if start >= 0 && (run[i] == '_' || startsPart(run, i)) {
			bounds = append(bounds, [2]int{start, i})
			start = -1
		}
		if start < 0 && run[i] != '_' {
			start = i
		}
	}
	if start >= 0 {
		bounds = append(bounds, [2]int{start, len(run)})
	}
	return bounds
}

// startsPart reports whether a part begins at i, whose predecessor is a
// letter or digit.
func startsPart(run string, i int) bool {
	before, c := run[i-1], run[i]
	switch {
	case isDigit(before) != isDigit(c):
		return true
	case !isUpper(c):
		return false
	case !isUpper(before):
		return !isDigit(before)
	}
	return i+1 < len(run) && isLetter(run[i+1]) && !isUpper(run[i+1])
}

// otherStyle returns an ASCII identifier in the other common style: readFile
// as read_file, read_file as readfile; "" when there is none.
func otherStyle(run string) string {
	run = strings.Trim(run, "_")
	bounds := partBounds(run)
	if len(bounds) < 2 || isEncoded(run, bounds) {
		return ""
	}
	parts := make([]string, len(bounds))
	for i, b := range bounds {
		parts[i] = lowerASCII(run[b[0]:b[1]])
	}
	glue := "_"
	if strings.Contains(run, "_") {
		glue = ""
	}
	if s := strings.Join(parts, glue); len(s) <= maxWhole {
		return s
	}
	return ""
}

// lowerASCII returns s with A to Z lower-cased, always in its own memory.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if isUpper(c) {
			b[i] = c | 0x20
		}
	}
	return string(b)
}
