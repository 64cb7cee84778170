// Package makers says what makes the text of each format.
package makers

import (
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/csv"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/docx"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/epub"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/gzip"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/html"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/jupyter"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/mail"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/odt"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/pdf"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/pptx"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/xlsx"
)

// Makers are those of all formats, with what they keep from one document to the next.
// The zero value is ready.
type Makers struct{ pdf pdf.Module }

// Close ends what was kept.
func (m *Makers) Close() error { return m.pdf.Close() }

// Of returns the maker of a format by its name, nil where there is none.
func (m *Makers) Of(name string) extract.Maker {
	switch name {
	case "csv":
		return csv.Make
	case "docx":
		return docx.Make
	case "epub":
		return epub.Make
	case "gzip":
		return gzip.Make
	case "html":
		return html.Make
	case "jupyter":
		return jupyter.Make
	case "mail":
		return mail.Make
	case "odt":
		return odt.Make
	case "pdf":
		return m.pdf.Make
	case "pptx":
		return pptx.Make
	case "xlsx":
		return xlsx.Make
	}
	return nil
}
