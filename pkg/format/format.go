// Package format is the one table of formats: documents whose text has to be made
// of their bytes before it can be cut, searched or shown. It knows which paths are
// of one, how large what is made may become, and the version of what makes it. The
// makers themselves belong to the chunker, which runs them in its parser children.
package format

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// ID names a format and the version of what makes its text, as headers have it:
// "jupyter-1". The empty one is that of a document whose text is its bytes.
type ID string

// Format is a row of the table.
type Format struct {
	Name string
	// Version changes whenever the same bytes may give another text, other places,
	// or passages that are cut otherwise: then the documents of this format, and no
	// others, are written to the log again.
	Version int
	// Extensions are in lower case, with the dot.
	Extensions []string
	// Binary says that the bytes are no text, so that a zero among them is no reason
	// to leave the document out.
	Binary bool
	// Wide says that the bytes are text, which may be in UTF-16 or UTF-32.
	Wide bool
	// Size is the most bytes that a document may have. What is made of it is often far
	// less, so that the limit of files that are text as they are does not hold for it.
	Size int64
	// Text is the most bytes of text that are made of a document. All of it is one message
	// of the log, which a question that finds something in it reads as a whole and keeps
	// within query.body_cache: of three tables of 60 MB each was read anew by each question.
	Text int
	// Time is what a parser may take for one document, however small it is; 0: what
	// it may take for any.
	Time time.Duration
}

// Largest is the most bytes that any document may have.
const Largest = 64 << 20

// table has each format once.
var table = []Format{
	{Name: "csv", Version: 3, Extensions: []string{".csv", ".tsv", ".tab"}, Wide: true, Size: 8 << 20, Text: 8 << 20},
	{Name: "docx", Version: 1, Extensions: []string{".docx", ".docm", ".dotx"}, Binary: true, Size: Largest, Text: 16 << 20},
	{Name: "epub", Version: 2, Extensions: []string{".epub"}, Binary: true, Size: Largest, Text: 16 << 20},
	{Name: "gzip", Version: 2, Extensions: []string{".gz"}, Binary: true, Size: Largest, Text: 16 << 20},
	{Name: "html", Version: 2, Extensions: []string{".html", ".htm", ".xhtml"}, Wide: true, Size: 16 << 20, Text: 16 << 20},
	{Name: "jupyter", Version: 2, Extensions: []string{".ipynb"}, Size: Largest, Text: 16 << 20},
	{Name: "mail", Version: 2, Extensions: []string{".eml", ".mbox"}, Binary: true, Size: Largest, Text: 16 << 20},
	{Name: "odt", Version: 1, Extensions: []string{".odt", ".ott"}, Binary: true, Size: Largest, Text: 16 << 20},
	{Name: "pdf", Version: 1, Extensions: []string{".pdf"}, Binary: true, Size: Largest, Text: 16 << 20, Time: 2 * time.Minute},
	{Name: "pptx", Version: 1, Extensions: []string{".pptx", ".pptm", ".ppsx"}, Binary: true, Size: Largest, Text: 16 << 20},
	{Name: "xlsx", Version: 1, Extensions: []string{".xlsx", ".xlsm"}, Binary: true, Size: Largest, Text: 8 << 20},
}

// Limit is the most bytes that the document of a path may have, where what is text as it
// is may have others.
func Limit(p document.Path, others int64) int64 {
	if f := Of(p); f != nil {
		return f.Size
	}
	return others
}

// ID is what headers call the format.
func (f *Format) ID() ID { return ID(f.Name + "-" + strconv.Itoa(f.Version)) }

// All returns the table. It must not be changed.
func All() []Format { return table }

// Of returns the format of a path, nil where its text is its bytes. Only the path
// counts, so that everybody who knows it knows how the document is read.
func Of(p document.Path) *Format {
	ext := p.Ext()
	if ext == "" {
		return nil
	}
	for i := range table {
		if slices.Contains(table[i].Extensions, ext) {
			return &table[i]
		}
	}
	return nil
}

// IDOf is the ID of the format of a path.
func IDOf(p document.Path) ID {
	if f := Of(p); f != nil {
		return f.ID()
	}
	return ""
}

// Find returns the format of that name, whichever version an ID has; nil for a
// format that this program does not know.
func Find(id ID) *Format {
	name := string(id)
	if i := strings.LastIndexByte(name, '-'); i >= 0 {
		name = name[:i]
	}
	for i := range table {
		if table[i].Name == name {
			return &table[i]
		}
	}
	return nil
}
