// Package catalog reads what is said of the tables and columns of databases, in their
// definitions and in catalog files, and makes of each table and column a document that
// can be put into a source.
package catalog

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Kind says who described an entry. What a person wrote says more than what a person has
// read over, and that more than what nobody has.
type Kind string

// The kinds.
const (
	Manual    Kind = "manual"
	Reviewed  Kind = "reviewed"
	Generated Kind = "generated"
)

// Kinds lists them, the one that says most first. It must not be changed.
var Kinds = []Kind{Manual, Reviewed, Generated}

// ParseKind returns the kind of a text. The error is InvalidRequest.
func ParseKind(text string) (Kind, error) {
	if k := Kind(text); slices.Contains(Kinds, k) {
		return k, nil
	}
	return "", document.Errorf(document.InvalidRequest, "%q is no kind of a description: use %s, %s or %s", document.Shorten(text), Manual, Reviewed, Generated)
}

// Said is what is said of a table or a column.
type Said struct {
	Description string
	Kind        Kind     // of the description; "" where there is none
	Confidence  *float64 // in it, 0 to 1; nil where nobody says
}

// better returns what says more: of two descriptions that of the better kind, of one kind
// the one that came first.
func (s Said) better(other Said) Said {
	rank := func(of Said) int {
		if of.Description == "" {
			return len(Kinds) + 1
		}
		return slices.Index(Kinds, of.Kind)
	}
	if rank(other) < rank(s) {
		return other
	}
	return s
}

// Column is one of a table.
type Column struct {
	Name string
	Type string // as it was defined, "" where nobody says
	Said
}

// Table is a table or a view.
type Table struct {
	Name    string // with the schema before it, where it has one: SCHEMA.TABLE
	View    bool
	Columns []Column
	Said
}

// Catalog is what is known of the tables of a database, by name. The zero value is empty.
// It is not safe for concurrent use.
type Catalog struct{ tables map[string]*Table }

// Tables returns what is known, by name.
func (c *Catalog) Tables() []*Table {
	return slices.SortedFunc(maps.Values(c.tables), func(a, b *Table) int { return cmp.Compare(a.Name, b.Name) })
}

// Add takes a table in. What is known of it already stays where the other does not say
// more.
func (c *Catalog) Add(t Table) {
	if c.tables == nil {
		c.tables = map[string]*Table{}
	}
	known := c.tables[t.Name]
	if known == nil {
		known = &Table{Name: t.Name}
		c.tables[t.Name] = known
	}
	known.Said, known.View = known.better(t.Said), known.View || t.View
	for _, column := range t.Columns {
		at := slices.IndexFunc(known.Columns, func(k Column) bool { return k.Name == column.Name })
		if at < 0 {
			known.Columns = append(known.Columns, column)
			continue
		}
		k := &known.Columns[at]
		k.Said, k.Type = k.better(column.Said), cmp.Or(k.Type, column.Type)
	}
}

// Names of the metadata of a document.
const (
	MetadataKind       = "kind"       // manual, reviewed or generated
	MetadataConfidence = "confidence" // 0 to 1
	MetadataCatalog    = "catalog"    // table or column; says that the document is of a catalog
)

// Document is what is said of one table or column.
type Document struct {
	Path     document.Path
	Text     string
	Metadata document.Metadata
}

// Documents are those of all tables and columns, by path.
func (c *Catalog) Documents() (out []Document) {
	for _, t := range c.Tables() {
		out = append(out, t.document())
		for i := range t.Columns {
			out = append(out, t.column(&t.Columns[i]))
		}
	}
	return out
}

func (t *Table) document() Document {
	var b strings.Builder
	what := "Table"
	if t.View {
		what = "View"
	}
	fmt.Fprintf(&b, "# %s\n\n%s %s%s\n", t.Name, what, t.Name, sentence(t.Description))
	if len(t.Columns) > 0 {
		b.WriteString("\n")
	}
	for _, c := range t.Columns {
		fmt.Fprintf(&b, "- `%s` %s\n", c.Name, c.Type)
	}
	return Document{TablePath(t.Name), b.String(), t.metadata("table")}
}

func (t *Table) column(c *Column) Document {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s.%s\n\nColumn %s of the table %s%s\n", t.Name, c.Name, c.Name, t.Name, sentence(c.Description))
	if c.Type != "" {
		fmt.Fprintf(&b, "\nType: %s\n", c.Type)
	}
	return Document{pathOf(t.Name+"."+c.Name, ".column.md"), b.String(), c.metadata("column")}
}

// sentence ends what is begun with a description.
func sentence(description string) string {
	if description == "" {
		return "."
	}
	return ": " + description
}

// TablePath is the path of the document of a table.
func TablePath(name string) document.Path { return pathOf(name, ".md") }

// pathOf makes a path of a name, a folder for each part before the last.
func pathOf(name, ending string) document.Path {
	parts := strings.Split(name, ".")
	for i, p := range parts {
		if parts[i] = strings.ReplaceAll(p, "/", "%2F"); p == "" {
			parts[i] = "_"
		}
	}
	return document.EncodePath(strings.Join(parts, "/") + ending)
}

func (s Said) metadata(what string) document.Metadata {
	m := document.Metadata{MetadataCatalog: {what}}
	if s.Description != "" {
		m[MetadataKind] = []string{string(s.Kind)}
	}
	if s.Confidence != nil {
		m[MetadataConfidence] = []string{strconv.FormatFloat(*s.Confidence, 'g', -1, 64)}
	}
	return m
}
