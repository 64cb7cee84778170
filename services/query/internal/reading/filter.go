package reading

import (
	"slices"
	"strings"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Filter is a filter that stood in a question.
type Filter struct {
	Name  string // one of the names of filters
	Value string // never empty
}

// The names of filters.
const (
	Language = "lang"
	Path     = "path"
	Source   = "source"
	Kind     = "kind"
	Metadata = "meta" // its value is KEY=VALUE
	refs     = "refs"
)

var filterNames = []string{Language, Path, Source, Kind, Metadata, refs}

// String is the filter as it can be typed.
func (f Filter) String() string {
	if strings.ContainsFunc(f.Value, unicode.IsSpace) {
		return f.Name + `:"` + f.Value + `"`
	}
	return f.Name + ":" + f.Value
}

// filterAt reads one filter at the beginning of a text: a word that begins with
// exactly lang:, path:, source:, kind:, meta: or refs: and has a value, which may stand in
// double quotes; n is its length, 0 when there is none. So "path::Path", where the
// value would begin with a colon, and "lang:" without a value are text.
func filterAt(s string) (f Filter, n int) {
	i := slices.IndexFunc(filterNames, func(name string) bool { return strings.HasPrefix(s, name+":") })
	if i < 0 {
		return f, 0
	}
	f.Name = filterNames[i]
	rest := s[len(f.Name)+1:]
	if strings.HasPrefix(rest, `"`) {
		end := strings.IndexByte(rest[1:], '"')
		if end < 1 {
			return f, 0
		}
		after := rest[end+2:]
		if after != "" && strings.IndexFunc(after, unicode.IsSpace) != 0 {
			return f, 0
		}
		f.Value = rest[1 : end+1]
		if f.Name == Metadata && !isPair(f.Value) {
			return f, 0
		}
		return f, len(f.Name) + end + 3
	}
	end := wordEnd(rest)
	if end == 0 || rest[0] == ':' {
		return f, 0
	}
	f.Value = rest[:end]
	if f.Name == refs && !isName(f.Value) || f.Name == Metadata && !isPair(f.Value) {
		return f, 0
	}
	return f, len(f.Name) + 1 + end
}

// isPair reports whether a value is a key and a value of metadata.
func isPair(value string) bool {
	key, of, ok := strings.Cut(value, "=")
	return ok && document.CheckMetadataKey(key) == nil && document.CheckMetadataValue(key, of) == nil
}
