// Package xlsx makes the text of workbooks (.xlsx): each sheet by its rows, in groups
// under the header of the sheet. It reads the archive itself, element by element, so that
// a large sheet is never in memory as a whole.
package xlsx

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/archive"
)

// Make implements extract.Maker. Rows are counted as the sheet does.
func Make(content []byte, limit int) (extract.Text, error) {
	a, err := archive.OpenOffice(content, "workbook")
	if err != nil {
		return extract.Text{}, err
	}
	r := &reader{flow: extract.NewFlow(limit), limit: limit, from1904: isTrue(a.Root.Child("workbookPr").Attr("date1904"))}
	for _, to := range a.Parts {
		switch to.Kind {
		case "sharedStrings":
			err = r.readStrings(a.Archive, to.Name)
		case "styles":
			err = r.readStyles(a.Archive, to.Name)
		}
		if err != nil {
			return extract.Text{}, err
		}
	}
	r.flow.Title(a.Title())
	r.flow.Nameless() // the first sheet is no more than the others
	var sheets []*archive.Node
	a.Root.Child("sheets").All("sheet", func(n *archive.Node) { sheets = append(sheets, n) })
	for _, s := range sheets {
		to := a.Parts[s.Refers()]
		if to.Kind != "worksheet" {
			continue // a sheet that is one chart
		}
		if err := r.sheet(a.Archive, to.Name, s.Attr("name")); err != nil {
			return extract.Text{}, err
		}
	}
	return r.flow.Text()
}

func isTrue(v string) bool { return v == "1" || v == "true" }

type reader struct {
	flow     *extract.Flow
	limit    int
	strings  []string
	dates    []bool // by style of cells
	from1904 bool
}

// elements reads an entry and calls begin and end with each element, and with the text
// that stands in it.
func elements(content []byte, begin func(xml.StartElement), end func(name, text string)) error {
	d := archive.Decoder(content)
	var text strings.Builder
	for {
		t, err := d.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return extract.Damaged
		}
		switch t := t.(type) {
		case xml.StartElement:
			text.Reset()
			begin(t)
		case xml.CharData:
			text.Write(t)
		case xml.EndElement:
			end(t.Name.Local, text.String())
			text.Reset()
		}
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// readStrings reads the texts that cells have in common. How a text is pronounced is
// none of it.
func (r *reader) readStrings(a *archive.Archive, name string) error {
	content, err := a.Read(name)
	if err != nil {
		return err
	}
	var one strings.Builder
	spoken := false
	return elements(content, func(e xml.StartElement) {
		switch e.Name.Local {
		case "si":
			one.Reset()
		case "rPh":
			spoken = true
		}
	}, func(name, text string) {
		switch name {
		case "t":
			if !spoken {
				one.WriteString(text)
			}
		case "rPh":
			spoken = false
		case "si":
			r.strings = append(r.strings, one.String())
		}
	})
}

// readStyles notes which styles show a number as a date.
func (r *reader) readStyles(a *archive.Archive, name string) error {
	n, err := a.XML(name)
	if err != nil {
		return err
	}
	dated := map[int]bool{}
	for id := 14; id <= 22; id++ {
		dated[id] = true
	}
	for id := 45; id <= 47; id++ {
		dated[id] = true
	}
	n.Child("numFmts").All("numFmt", func(f *archive.Node) {
		if id, err := strconv.Atoi(f.Attr("numFmtId")); err == nil {
			dated[id] = isDate(f.Attr("formatCode"))
		}
	})
	n.Child("cellXfs").All("xf", func(x *archive.Node) {
		id, _ := strconv.Atoi(x.Attr("numFmtId"))
		r.dates = append(r.dates, dated[id])
	})
	return nil
}

// isDate reports whether a format of numbers shows days or hours. What stands in quotes
// and brackets is none of it.
func isDate(code string) bool {
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i] | 0x20; {
		case code[i] == '"':
			quoted = !quoted
		case quoted:
		case code[i] == '\\':
			i++
		case code[i] == '[':
			bracket = true
		case code[i] == ']':
			bracket = false
		case bracket:
		case c == 'y', c == 'd', c == 'h', c == 's', c == 'm':
			return true
		}
	}
	return false
}

// widest is how many empty cells beside each other are shown: further ones say nothing.
const widest = 16

// sheet adds the rows of a sheet.
func (r *reader) sheet(a *archive.Archive, name, title string) error {
	content, err := a.Read(name)
	if err != nil {
		return err
	}
	t := table{flow: r.flow, title: extract.Line(title)}
	if t.title != "" {
		t.rows.Headings = []string{t.title}
	}
	var cells []string
	row, kind, style, at, formula, value := 0, "", 0, 0, "", ""
	var inline strings.Builder
	err = elements(content, func(e xml.StartElement) {
		switch e.Name.Local {
		case "row":
			row++
			if n, err := strconv.Atoi(attr(e, "r")); err == nil && n > 0 {
				row = n
			}
			cells, at = cells[:0], 0
		case "c":
			kind, formula, value = attr(e, "t"), "", ""
			style, _ = strconv.Atoi(attr(e, "s"))
			inline.Reset()
			if col := column(attr(e, "r")); col > at {
				for range min(col-at, widest) {
					cells = append(cells, "")
				}
				at = col
			}
		}
	}, func(name, text string) {
		switch name {
		case "t":
			inline.WriteString(text)
		case "v":
			value = text
		case "f":
			formula = text
		case "c":
			at++
			if kind == "inlineStr" {
				value = inline.String()
			}
			cells = append(cells, r.shown(kind, style, value, formula))
		case "row":
			t.add(row, cells, r.limit)
		}
	})
	if err != nil {
		return err
	}
	t.end()
	return nil
}

// shown is what a cell shows, as far as that does not hang on where one is.
func (r *reader) shown(kind string, style int, value, formula string) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && i >= 0 && i < len(r.strings) {
			return r.strings[i]
		}
		return ""
	case "b":
		if isTrue(value) {
			return "TRUE"
		}
		return "FALSE"
	case "inlineStr", "str", "e", "d":
		return value
	}
	if value == "" && formula != "" {
		return "=" + formula // nobody has calculated it
	}
	n, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return value
	}
	if style >= 0 && style < len(r.dates) && r.dates[style] {
		return date(n, r.from1904)
	}
	// As many digits as a sheet has: the last ones of a sum are noise.
	if n, err = strconv.ParseFloat(strconv.FormatFloat(n, 'g', 15, 64), 64); err != nil {
		return value
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// column is the number of the column of a cell such as "AB12", from 0; -1 for none.
func column(ref string) int {
	n := 0
	for i := 0; i < len(ref) && ref[i] >= 'A' && ref[i] <= 'Z' && n < 1<<20; i++ {
		n = n*26 + int(ref[i]-'A') + 1
	}
	return n - 1
}

// table gathers the rows of a sheet.
type table struct {
	flow  *extract.Flow
	title string // of the sheet
	rows  extract.Rows
	text  bytes.Buffer
	full  bool
	any   bool
}

func (t *table) add(number int, cells []string, limit int) {
	line := extract.Row(cells)
	if line == "" || t.full {
		return
	}
	if !t.any {
		t.any = true
		t.rows.Header = header(cells, line)
	}
	t.full = t.text.Len()+len(line) > limit // one more line, and the text is too long
	start := t.text.Len()
	t.text.WriteString(line + "\n")
	t.rows.Add(t.text.Bytes(), start, t.text.Len(), number)
}

// end adds the groups of rows to the text. The name of the sheet stands with the first.
func (t *table) end() {
	text := t.text.String()
	for i, s := range t.rows.Sections() {
		rows := text[s.Start:s.End]
		if i == 0 && t.title != "" {
			rows = "# " + t.title + "\n\n" + rows
		}
		t.flow.Section(s, rows)
	}
}

// longest is how many bytes of a header are repeated.
const longest = 600

// header is the first row that has something, where it names columns.
func header(cells []string, line string) string {
	named := 0
	for _, c := range cells {
		if c == "" {
			continue
		}
		if _, err := strconv.ParseFloat(c, 64); err == nil || strings.HasPrefix(c, "=") {
			return ""
		}
		named++
	}
	if named < 2 {
		return ""
	}
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "…"
	}
	return line
}
