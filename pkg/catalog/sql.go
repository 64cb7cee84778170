package catalog

import (
	"slices"
	"strings"
)

// before are words that may stand between CREATE and TABLE.
var before = []string{"or", "replace", "global", "local", "temporary", "temp", "unlogged", "external", "foreign", "transient", "recursive", "materialized"}

// AddSQL takes in the tables, views and comments that statements define: CREATE TABLE, with
// the comments that stand behind a column and those of MySQL, ALTER TABLE ADD, and COMMENT
// ON. Other statements, and what it does not understand, are passed over. kind is that of
// the comments.
func (c *Catalog) AddSQL(text string, kind Kind) {
	for s := (&reader{tokens: lex(text)}); !s.end(); {
		above := s.above()
		switch {
		case s.words("create"):
			c.create(s, above, kind)
		case s.words("alter", "table"):
			c.alter(s, kind)
		case s.words("comment", "on"):
			c.comment(s, kind)
		}
		s.statement()
	}
}

// create reads what stands behind CREATE; above is the comment above it.
func (c *Catalog) create(s *reader, above string, kind Kind) {
	for slices.ContainsFunc(before, func(w string) bool { return s.words(w) }) {
		continue
	}
	view := s.words("view")
	if !view && !s.words("table") {
		return
	}
	s.words("if", "not", "exists")
	t := Table{Name: s.name(), View: view}
	if t.Name == "" {
		return
	}
	t.describe(s.trailing(), kind)
	if s.sign("(") {
		t.describe(s.trailing(), kind)
		t.columns(s, kind)
	}
	for !s.end() && !s.is(";") {
		if s.words("comment") {
			s.sign("=")
			if text, ok := s.text(); ok {
				t.describe(text, kind)
			}
			continue
		}
		s.next()
	}
	t.describe(above, kind)
	c.Add(t)
}

// constraints begin what is no column, and indexes what is none where columns stand in
// brackets behind it: a column may have such a name, too.
var (
	constraints = []string{"primary", "foreign", "unique", "constraint", "check", "exclude", "like"}
	indexes     = []string{"key", "index", "fulltext", "spatial"}
)

// constraint reports whether no column is next.
func (r *reader) constraint() bool {
	from := r.at
	defer func() { r.at = from }()
	first := r.next()
	name := strings.ToLower(first.text)
	switch {
	case first.kind != word:
		return false
	case slices.Contains(constraints, name):
		return true
	case name == "period":
		return r.words("for")
	case !slices.Contains(indexes, name):
		return false
	}
	for r.part() != "" { // what more says that it is an index, and its name
		continue
	}
	return r.sign("(") && r.peek().kind != number // as in varchar(32)
}

// columns reads the list of a table up to its closing bracket.
func (t *Table) columns(s *reader, kind Kind) {
	for !s.end() && !s.is(";") && !s.sign(")") {
		if s.constraint() || !t.define(s, kind) {
			s.element(nil)
		}
	}
}

// define reads one column; false where none is next.
func (t *Table) define(s *reader, kind Kind) bool {
	s.end()
	above := s.above()
	column := Column{Name: s.part()}
	if column.Name == "" {
		return false
	}
	var comment string
	column.Type = s.element(&comment)
	if comment == "" {
		comment = above
	}
	if comment != "" {
		column.Said = Said{Description: comment, Kind: kind}
	}
	t.Columns = append(t.Columns, column)
	return true
}

func (t *Table) describe(text string, kind Kind) {
	if text != "" && t.Description == "" {
		t.Said = Said{Description: text, Kind: kind}
	}
}

func (c *Catalog) alter(s *reader, kind Kind) {
	s.words("if", "exists")
	s.words("only")
	t := Table{Name: s.name()}
	for t.Name != "" && !s.end() && !s.is(";") {
		if !s.words("add") {
			s.next()
			continue
		}
		s.words("column")
		s.words("if", "not", "exists")
		if !s.constraint() {
			t.define(s, kind)
		}
	}
	if len(t.Columns) > 0 {
		c.Add(t)
	}
}

// comment reads what stands behind COMMENT ON.
func (c *Catalog) comment(s *reader, kind Kind) {
	column := s.words("column")
	s.words("materialized")
	view := s.words("view")
	if !column && !view && !s.words("table") {
		return
	}
	name := s.name()
	if name == "" || !s.words("is") {
		return
	}
	text, ok := s.text()
	if !ok || text == "" {
		return
	}
	said := Said{Description: text, Kind: kind}
	if !column {
		c.Add(Table{Name: name, View: view, Said: said})
		return
	}
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		c.Add(Table{Name: name[:at], Columns: []Column{{Name: name[at+1:], Said: said}}})
	}
}
