package request

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/pathset"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
)

// Left is what a request leaves out. What has one of the values does not count.
type Left struct {
	Sources   []document.Source
	Languages []string
	Kinds     []string
	Metadata  document.Metadata
	paths     *pathset.Set // nil for none
}

// IsZero reports whether nothing is left out.
func (l *Left) IsZero() bool {
	return len(l.Sources)+len(l.Languages)+len(l.Kinds)+len(l.Metadata) == 0 && l.paths == nil
}

// Path reports whether a path is left out.
func (l *Left) Path(p document.Path) bool { return l.paths != nil && l.paths.Match(p) }

// Passage reports whether a passage is left out. One without a language is judged
// by its path.
func (l *Left) Passage(a *store.Attrs) bool {
	if l.IsZero() {
		return false
	}
	of := a.Language
	if of == "" {
		of = language.OfPath(a.Path)
	}
	return slices.Contains(l.Sources, a.Source) || slices.Contains(l.Kinds, a.Kind) ||
		of != "" && slices.Contains(l.Languages, of) || l.Path(a.Path)
}

// leave checks the filters of what is to be left out.
func (s *Scope) leave(filters []reading.Filter) error {
	var err error
	if s.Left.Metadata, err = described(filters); err != nil {
		return err
	}
	var paths []string
	for _, f := range filters {
		switch f.Name {
		case reading.Language:
			names, err := languages(f.Value)
			if err != nil {
				return err
			}
			s.Left.Languages = append(s.Left.Languages, names...)
		case reading.Kind:
			kind, err := kindOf(f.Value)
			if err != nil {
				return err
			}
			s.Left.Kinds = append(s.Left.Kinds, kind)
		case reading.Source:
			source, err := document.ParseSource(f.Value)
			if err != nil {
				return err
			}
			s.Left.Sources = append(s.Left.Sources, source)
		case reading.Path:
			paths = append(paths, f.Value)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	s.Left.paths, err = ParsePaths(paths)
	return err
}

// inline adds the filters of a question to those of the request.
func inline(filters []reading.Filter) (languages, kinds, paths []string, sources []document.Source) {
	for _, f := range filters {
		switch f.Name {
		case reading.Language:
			languages = append(languages, f.Value)
		case reading.Kind:
			kinds = append(kinds, f.Value)
		case reading.Path:
			paths = append(paths, f.Value)
		case reading.Source:
			sources = append(sources, document.Source(f.Value))
		}
	}
	return languages, kinds, paths, sources
}
