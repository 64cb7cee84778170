// Package pdf makes the text of PDF documents: what stands on their pages in the order in
// which people read it, with the headings that larger type tells.
package pdf

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/klippa-app/go-pdfium"
	failures "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/requests"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// maxPages is the most pages that a document may have: thrice what the thickest book has.
const maxPages = 10_000

// Make implements extract.Maker.
func (m *Module) Make(content []byte, limit int) (text extract.Text, err error) {
	in, err := m.instance()
	if err != nil {
		return extract.Text{}, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	doc, err := in.OpenDocument(&requests.OpenDocument{File: &content})
	switch {
	case err == nil:
	case is(err, failures.ErrPassword), is(err, failures.ErrSecurity):
		return extract.Text{}, extract.Encrypted
	default:
		return extract.Text{}, extract.Damaged
	}
	n, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	switch {
	case err != nil || n.PageCount <= 0:
		return extract.Text{}, extract.Damaged
	case n.PageCount > maxPages:
		return extract.Text{}, extract.TooMany
	}
	r := reader{in: in, document: doc.Document}
	pages := make([]page, 0, n.PageCount)
	size := 0
	for i := range n.PageCount {
		p, err := r.page(i)
		if err != nil {
			return extract.Text{}, extract.Damaged
		}
		for k := range p.runs {
			size += len(p.runs[k].text)
		}
		if size > limit {
			return extract.Text{}, extract.TooMuch
		}
		pages = append(pages, p)
	}
	dropFurniture(pages)
	return write(pages, title(in, r), limit)
}

// is compares by the sentence: the module's errors come through a copy.
func is(err, want error) bool { return err.Error() == want.Error() }

// write writes the pages.
func write(pages []page, title string, limit int) (extract.Text, error) {
	flow := extract.NewFlow(limit)
	flow.Title(title)
	w := writer{flow: flow, sizes: measure(pages)}
	scanned := 0
	for i := range pages {
		flow.Part(document.Part{Kind: document.PartPage, From: i + 1, To: i + 1})
		switch p := &pages[i]; {
		case len(p.runs) > 0:
			w.page(p)
		case p.picture:
			scanned++
			flow.Paragraph(fmt.Sprintf("[page %d is a picture without text]", i+1))
		}
		if flow.Full() {
			break
		}
	}
	text, err := flow.Text()
	if err == nil && scanned > 0 && !w.written {
		return extract.Text{}, extract.Scanned
	}
	return text, err
}

// unnamed are titles that programs give where people gave none.
var unnamed = regexp.MustCompile(`(?i)^(microsoft (word|powerpoint|excel) - .*|\(?anonymous\)?|untitled( document)?|\S*\.(docx?|tex|dvi|odt|rtf|indd|pptx?|xlsx?|html?|qxd|pdf|ps|p65|fm))$`)

func title(in pdfium.Pdfium, r reader) string {
	got, err := in.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: r.document, Tag: "Title"})
	if err != nil {
		return ""
	}
	if t := strings.TrimSpace(got.Value); !unnamed.MatchString(t) {
		return t
	}
	return ""
}
