package request

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/nearest"
	"github.com/freshet-dev/freshet/pkg/store"
)

// addLanguage has the search ask for the languages that a word names.
func (r *Request) addLanguage(word string) error {
	names := language.Named(word)
	if names == nil {
		return unknown("language", word, language.Words(), "a hit has its own in `language`")
	}
	for _, n := range names {
		if !slices.Contains(r.Languages, n) {
			r.Languages = append(r.Languages, n)
		}
	}
	return nil
}

// unknown is the error for a value of a filter that nothing can have.
func unknown(what, value string, known []string, otherwise string) error {
	if len(value) > 40 {
		value = value[:40]
	}
	if near, ok := nearest.Of(value, known); ok {
		return document.Errorf(document.InvalidRequest, "there is no %s %q to filter by: did you mean %q?", what, value, near)
	}
	return document.Errorf(document.InvalidRequest, "there is no %s %q to filter by: %s", what, value, otherwise)
}

// KeepsLines reports whether Keep can judge plain lines of a path: their kind
// nobody knows before the chunker, and their language only where the path says it.
func (r *Request) KeepsLines(p document.Path) bool {
	return len(r.Kinds) == 0 && (len(r.Languages) == 0 || language.OfPath(p) != "")
}

// Keep reports whether a passage passes the filter, for channels that are not
// filtered by a store. A passage without a language is judged by its path.
func (r *Request) Keep(a *store.Attrs) bool {
	return r.keepLanguage(a) && (len(r.Kinds) == 0 || slices.Contains(r.Kinds, a.Kind)) && r.Paths.Match(a.Path)
}

func (r *Request) keepLanguage(a *store.Attrs) bool {
	if len(r.Languages) == 0 {
		return true
	}
	if a.Language != "" {
		return slices.Contains(r.Languages, a.Language)
	}
	// The content tells which of the two a header is.
	return slices.Contains(r.Languages, language.OfPath(a.Path)) || a.Path.Ext() == ".h" && slices.Contains(r.Languages, "cpp")
}
