// Package pptx makes the text of presentations (.pptx): the title, the text, the tables
// and the notes of each slide.
package pptx

import (
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/archive"
)

// Make implements extract.Maker.
func Make(content []byte, limit int) (extract.Text, error) {
	a, err := archive.OpenOffice(content, "presentation")
	if err != nil {
		return extract.Text{}, err
	}
	w := &writer{flow: extract.NewFlow(limit)}
	if title := a.Title(); title != "PowerPoint Presentation" { // what nobody has named
		w.flow.Title(title)
	}
	var names []string
	a.Root.Child("sldIdLst").All("sldId", func(n *archive.Node) { names = append(names, a.Parts[n.Refers()].Name) })
	for i, name := range names {
		slide, err := a.XML(name)
		if err != nil {
			return extract.Text{}, err
		}
		if slide == nil {
			continue
		}
		w.flow.Cut()
		w.flow.Part(document.Part{Kind: document.PartSlide, From: i + 1, To: i + 1})
		w.slide(slide)
		if err := w.notes(a.Archive, name); err != nil {
			return extract.Text{}, err
		}
		if w.flow.Full() {
			break
		}
	}
	return w.flow.Text()
}

type writer struct{ flow *extract.Flow }

// kind is what a shape is for: "title", "body", "ftr" and so on, "" for a free one.
func kind(sp *archive.Node) (name string, placed bool) {
	ph := sp.Child("nvSpPr", "nvPr", "ph")
	return ph.Attr("type"), ph != nil
}

// slide writes the title of a slide, wherever it stands among the shapes, and the others.
func (w *writer) slide(slide *archive.Node) {
	tree := slide.Child("cSld", "spTree")
	title := ""
	tree.All("sp", func(sp *archive.Node) {
		if k, _ := kind(sp); title == "" && (k == "title" || k == "ctrTitle") {
			title = extract.Line(sp.Child("txBody").Paragraphs(" "))
		}
	})
	if title != "" {
		w.flow.Heading(1, title)
	}
	w.shapes(tree)
}

func (w *writer) shapes(tree *archive.Node) {
	if tree == nil {
		return
	}
	for _, c := range tree.Children {
		switch c.Name {
		case "sp":
			switch k, placed := kind(c); k {
			case "title", "ctrTitle", "sldNum", "dt", "ftr", "hdr":
			default:
				w.body(c.Child("txBody"), placed && k != "subTitle")
			}
		case "grpSp":
			w.shapes(c)
		case "graphicFrame":
			c.All("tbl", w.table)
		case "AlternateContent":
			w.shapes(c.Child("Choice"))
		}
	}
}

// body writes the paragraphs of a shape, as the items of a list where there are several
// in a place for text.
func (w *writer) body(body *archive.Node, listed bool) {
	var all []*archive.Node
	body.All("p", func(p *archive.Node) {
		if strings.TrimSpace(p.Line()) != "" {
			all = append(all, p)
		}
	})
	for _, p := range all {
		if listed && len(all) > 1 {
			depth, _ := strconv.Atoi(p.Child("pPr").Attr("lvl"))
			w.flow.Item(depth, "-", p.Line())
			continue
		}
		w.flow.Paragraph(p.Line())
	}
}

func (w *writer) table(t *archive.Node) {
	var rows [][]string
	t.All("tr", func(tr *archive.Node) {
		var row []string
		tr.All("tc", func(tc *archive.Node) { row = append(row, tc.Child("txBody").Paragraphs(" ")) })
		rows = append(rows, row)
	})
	w.flow.Table(rows)
}

// notes writes what the speaker has noted of a slide.
func (w *writer) notes(a *archive.Archive, slide string) error {
	relations, err := a.Relations(slide)
	if err != nil {
		return err
	}
	for _, to := range relations {
		if to.Kind != "notesSlide" {
			continue
		}
		page, err := a.XML(to.Name)
		if err != nil {
			return err
		}
		page.Child("cSld", "spTree").All("sp", func(sp *archive.Node) {
			if k, _ := kind(sp); k != "body" {
				return
			}
			if text := strings.TrimSpace(sp.Child("txBody").Paragraphs("\n")); text != "" {
				w.flow.Paragraph("Notes: " + text)
			}
		})
	}
	return nil
}
