package segment

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/store"
)

// Matcher evaluates a filter over the rows of one segment, once per document
// and once per kind. It is for one goroutine.
type Matcher struct {
	rows      *Rows
	filter    store.Filter
	dirs      []string
	documents []verdict
	kinds     []verdict // by string; nil when all pass
}

type verdict uint8

const (
	unknown verdict = iota
	inside
	outside
)

// NewMatcher returns a matcher of f over r, or nil when f lets everything
// through.
func NewMatcher(r *Rows, f store.Filter) *Matcher {
	if f.IsZero() {
		return nil
	}
	m := &Matcher{rows: r, filter: f, documents: make([]verdict, r.documents)}
	for _, d := range f.Dirs {
		m.dirs = append(m.dirs, strings.TrimRight(d, "/"))
	}
	if len(f.Kinds) > 0 {
		m.kinds = make([]verdict, len(r.offsets)/4)
	}
	return m
}

// Match reports whether the row passes. A nil Matcher passes everything.
func (m *Matcher) Match(row uint32) bool {
	if m == nil {
		return true
	}
	doc := m.rows.doc(row)
	v := m.documents[doc]
	if v == unknown {
		v = m.judge(doc)
		m.documents[doc] = v
	}
	if v == outside || m.kinds == nil {
		return v == inside
	}
	kind := Uint32At(m.rows.kinds, row)
	if v = m.kinds[kind]; v == unknown {
		v = verdictOf(anyEqual(m.filter.Kinds, m.rows.bytes(kind)))
		m.kinds[kind] = v
	}
	return v == inside
}

func verdictOf(passes bool) verdict {
	if passes {
		return inside
	}
	return outside
}

func (m *Matcher) judge(doc uint32) verdict {
	r, f := m.rows, m.filter
	return verdictOf(anyEqual(f.Sources, r.bytes(r.field(doc, fieldSource))) &&
		anyEqual(f.Languages, r.bytes(r.field(doc, fieldLanguage))) &&
		below(m.dirs, r.bytes(r.field(doc, fieldPath))))
}

func anyEqual[S ~string](list []S, value []byte) bool {
	for _, s := range list {
		if string(s) == string(value) {
			return true
		}
	}
	return len(list) == 0
}

// below reports whether path is one of dirs or lies below one. The empty dir
// is the root, which everything lies below.
func below(dirs []string, path []byte) bool {
	for _, d := range dirs {
		if d == "" || len(path) >= len(d) && string(path[:len(d)]) == d && (len(path) == len(d) || path[len(d)] == '/') {
			return true
		}
	}
	return len(dirs) == 0
}
