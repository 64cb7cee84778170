package request

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Inline are the filters that stood in a query's text.
type Inline struct {
	Languages []string
	Paths     []string
	Sources   []document.Source
	Kinds     []string
}

var inlinePrefixes = []string{"lang:", "path:", "source:", "kind:"}

// SplitInline takes filters out of a query: words that begin with exactly
// lang:, path:, source: or kind: and have a value, which may stand in double
// quotes. Everything else stays text; so do "path::Path", where the value
// would begin with a colon, and "lang:" without a value. The words of the text
// are separated by the white space that stood between them.
func SplitInline(query string) (text string, inline Inline) {
	var b strings.Builder
	rest := query
	for rest != "" {
		start := strings.IndexFunc(rest, func(r rune) bool { return !unicode.IsSpace(r) })
		if start < 0 {
			break
		}
		space := rest[:start]
		rest = rest[start:]
		if prefix, value, n := inlineFilter(rest); n > 0 {
			inline.add(prefix, value)
			rest = rest[n:]
			continue
		}
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		if b.Len() > 0 {
			b.WriteString(space)
		}
		b.WriteString(rest[:end])
		rest = rest[end:]
	}
	return b.String(), inline
}

// inlineFilter reads one filter at the beginning of s; n is its length, 0 when
// there is none.
func inlineFilter(s string) (prefix, value string, n int) {
	i := slices.IndexFunc(inlinePrefixes, func(p string) bool { return strings.HasPrefix(s, p) })
	if i < 0 {
		return "", "", 0
	}
	prefix = inlinePrefixes[i]
	rest := s[len(prefix):]
	if strings.HasPrefix(rest, `"`) {
		end := strings.IndexByte(rest[1:], '"')
		if end < 1 {
			return "", "", 0
		}
		after := rest[end+2:]
		if after != "" && strings.IndexFunc(after, unicode.IsSpace) != 0 {
			return "", "", 0
		}
		return prefix, rest[1 : end+1], len(prefix) + end + 2
	}
	end := strings.IndexFunc(rest, unicode.IsSpace)
	if end < 0 {
		end = len(rest)
	}
	if end == 0 || rest[0] == ':' {
		return "", "", 0
	}
	return prefix, rest[:end], len(prefix) + end
}

func (f *Inline) add(prefix, value string) {
	switch prefix {
	case "lang:":
		f.Languages = append(f.Languages, value)
	case "path:":
		f.Paths = append(f.Paths, value)
	case "source:":
		f.Sources = append(f.Sources, document.Source(value))
	case "kind:":
		f.Kinds = append(f.Kinds, value)
	}
}
