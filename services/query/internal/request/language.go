package request

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/nearest"
	"github.com/freshet-dev/freshet/pkg/store"
)

// addLanguage has the search ask for the languages that a word names.
func (s *Scope) addLanguage(word string) error {
	names, err := languages(word)
	if err != nil {
		return err
	}
	for _, n := range names {
		if !slices.Contains(s.Languages, n) {
			s.Languages = append(s.Languages, n)
		}
	}
	return nil
}

// languages returns the languages that a word names.
func languages(word string) ([]string, error) {
	names := language.Named(word)
	if names == nil {
		return nil, unknown("language", word, language.Words(), "a hit has its own in `language`")
	}
	return names, nil
}

// UnknownSource is the error for a source that there is not.
func UnknownSource(s document.Source, known []document.Source) error {
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return unknown("source", string(s), names, "a hit has its own in `source`").Do(document.DoSourceList)
}

// unknown is the error for a value of a filter that nothing can have.
func unknown(what, value string, known []string, otherwise string) *document.Error {
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
func (s *Scope) KeepsLines(p document.Path) bool {
	return len(s.Kinds)+len(s.Left.Kinds) == 0 && (len(s.Languages)+len(s.Left.Languages) == 0 || language.OfPath(p) != "")
}

// Keep reports whether a passage passes the filter, for channels that are not
// filtered by a store. A passage without a language is judged by its path.
func (s *Scope) Keep(a *store.Attrs) bool {
	return s.keepLanguage(a) && (len(s.Kinds) == 0 || slices.Contains(s.Kinds, a.Kind)) && s.Paths.Match(a.Path) && !s.Left.Passage(a)
}

func (s *Scope) keepLanguage(a *store.Attrs) bool {
	if len(s.Languages) == 0 {
		return true
	}
	if a.Language != "" {
		return slices.Contains(s.Languages, a.Language)
	}
	// The content tells which of the two a header is.
	return slices.Contains(s.Languages, language.OfPath(a.Path)) || a.Path.Ext() == ".h" && slices.Contains(s.Languages, "cpp")
}

// MayHold reports whether a document may be of a language that is asked for, as
// far as its path tells.
func (s *Scope) MayHold(p document.Path) bool {
	l := language.OfPath(p)
	return len(s.Languages) == 0 || l == "" || slices.Contains(s.Languages, l) || p.Ext() == ".h" && slices.Contains(s.Languages, "cpp")
}

// Holds reports whether a content is of a language that is asked for, as the
// chunker tells it.
func (s *Scope) Holds(p document.Path, content []byte) bool {
	return len(s.Languages) == 0 || slices.Contains(s.Languages, language.Detect(p, content))
}
