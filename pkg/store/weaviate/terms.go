package weaviate

import (
	"net/url"
	"slices"
	"strings"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// The kinds of term. A term is a kind, a colon and a percent-encoded value:
// printable ASCII without quotes, never empty and without white space around
// it, so that neither the server's tokenization nor the quoting of a query
// makes two of them alike.
const (
	termSource   = "source"
	termDoc      = "doc"
	termLanguage = "language"
	termKind     = "kind"
	termDir      = "dir"
	// termAll is in every object but the mark.
	termAll = "all"
)

func term(kind, value string) string {
	return kind + ":" + (&url.URL{Path: value}).EscapedPath()
}

func docTerm(source document.Source, doc document.DocID) string {
	return term(termDoc, string(source)+"/"+string(doc))
}

// termsOf are the terms of a passage.
func termsOf(a store.Attrs) []string {
	out := []string{
		termAll, term(termSource, string(a.Source)), docTerm(a.Source, a.Doc),
		term(termLanguage, a.Language), term(termKind, a.Kind),
	}
	for _, dir := range append(a.Path.Ancestors(), string(a.Path)) {
		out = append(out, term(termDir, dir))
	}
	return out
}

// where is the filter as the server takes it. It is never empty: with a filter
// that lets through no more than the class' flatSearchCutoff, the server
// compares the query with each of them, which is exact and no slower.
func where(f store.Filter) *filters.WhereBuilder {
	var lists []*filters.WhereBuilder
	add := func(kind string, values []string) {
		if len(values) == 0 {
			return
		}
		terms := make([]string, len(values))
		for i, v := range values {
			terms[i] = term(kind, v)
		}
		lists = append(lists, anyOf(terms...))
	}
	sources := make([]string, len(f.Sources))
	for i, source := range f.Sources {
		sources[i] = string(source)
	}
	dirs := make([]string, len(f.Dirs))
	for i, dir := range f.Dirs {
		dirs[i] = strings.TrimRight(dir, "/")
	}
	if slices.Contains(dirs, "") {
		dirs = nil // everything lies below the root
	}
	add(termSource, sources)
	add(termLanguage, f.Languages)
	add(termKind, f.Kinds)
	add(termDir, dirs)
	if len(lists) == 0 {
		return anyOf(termAll)
	}
	return allOf(lists...)
}

// anyOf matches objects that have one of the terms.
func anyOf(terms ...string) *filters.WhereBuilder {
	return filters.Where().WithPath([]string{propTerms}).WithOperator(filters.ContainsAny).WithValueText(terms...)
}

func allOf(operands ...*filters.WhereBuilder) *filters.WhereBuilder {
	if len(operands) == 1 {
		return operands[0]
	}
	return filters.Where().WithOperator(filters.And).WithOperands(operands)
}
