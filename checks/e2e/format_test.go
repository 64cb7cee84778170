package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/freshet"
)

// sample is a document out of the samples of a format.
func sample(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", "services", "chunker", "internal", "extract", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// A fact in a notebook is found in its cell, and each way of asking shows the same text.
func TestFactInANotebook_IsFoundInItsCell(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	write(t, filepath.Join(root, "tide.ipynb"), sample(t, "jupyter/testdata/tide.ipynb"))
	write(t, filepath.Join(root, "damaged.ipynb"), sample(t, "jupyter/testdata/tide.ipynb")[:900])
	write(t, filepath.Join(root, "gauge.go"), goFile("Gauge"))
	r := up(t, data, root)
	token := r.look(root).String()
	rep := r.search(contract.SearchRequest{Query: "how high did the highest tide stand", Token: token})
	if len(rep.Hits) == 0 {
		t.Fatal("nothing is found")
	}
	h := rep.Hits[0]
	if h.Path != "tide.ipynb" || h.Place == nil || *h.Place != (document.Part{Kind: document.PartCell, From: 6, To: 6}) ||
		!strings.Contains(h.Text, "512 cm") || strings.Join(h.Headings, "/") != "Tide gauges of the Weser/Result" || h.Language != "jupyter" {
		t.Errorf("%+v", h)
	}
	read, err := client.Read.Ask(t.Context(), r.bus.Conn(), contract.ReadRequest{Path: "tide.ipynb", From: h.StartLine, To: h.EndLine, Token: token})
	if err != nil || strings.TrimRight(read.Text, "\n") != h.Text || read.Format != string(format.IDOf("tide.ipynb")) {
		t.Errorf("read: %+v, %v; the hit has %q", read, err, h.Text)
	}
	grep, err := client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: `more than "six" equal|caf\x{e9}`, Token: token})
	if err != nil || !grep.Complete || grep.Lines != 2 || grep.Skipped["damaged, or not what its name says"] != 1 {
		t.Errorf("grep: %+v, %v", grep, err)
	}
	if grep, err = client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: "cell_type|dropped 312|iVBOR", Token: token}); err != nil || grep.Lines != 0 || !grep.Complete {
		t.Errorf("grep: %+v, %v", grep, err)
	}
	out, err := client.Outline.Ask(t.Context(), r.bus.Conn(), contract.OutlineRequest{Path: "tide.ipynb", Token: token})
	if err != nil || out.Document == nil || len(out.Document.Entries) == 0 {
		t.Fatalf("outline: %+v, %v", out, err)
	}
	names := ""
	for _, e := range out.Document.Entries {
		names += e.Name + " "
	}
	if !strings.Contains(names, "drop_hanging") || !strings.Contains(names, "Cleaning") {
		t.Errorf("the outline has %s", names)
	}
	pack, err := client.Context.Ask(t.Context(), r.bus.Conn(), contract.ContextRequest{Query: "highest tide", Token: token})
	if err != nil || !strings.Contains(pack.Text, "512 cm") || len(pack.Passages) == 0 || pack.Passages[0].Place == nil || strings.Contains(pack.Text, "cell_type") {
		t.Errorf("context: %+v, %v", pack, err)
	}
	x, err := client.ExplainQuery.Ask(t.Context(), r.bus.Conn(), contract.ExplainQuery{Source: "library", Path: "damaged.ipynb"})
	if err != nil || x.Verdict != contract.VerdictSkipped {
		t.Errorf("explain: %+v, %v", x, err)
	}
	// A lease follows the text, not the bytes: a cell that moves is told as moved.
	lease := r.search(contract.SearchRequest{Query: "highest tide", Token: token, Lease: "new"}).Lease
	write(t, filepath.Join(root, "tide.ipynb"), strings.Replace(sample(t, "jupyter/testdata/tide.ipynb"), "four gauges", "five gauges\\nand a sluice", 1))
	token = r.look(root).String()
	rep = r.search(contract.SearchRequest{Query: "highest tide", Token: token, Lease: lease.Lease})
	if len(rep.Lease.Changes) == 0 || rep.Lease.Unchecked > 0 {
		t.Errorf("the lease tells %+v", rep.Lease)
	}
	r.shows(token, "sluice", "library/tide.ipynb")
	r.stop()
	storesEqualLog(t, data)
}

// facts are what stands in samples of formats, and a question whose answer it is.
var facts = []struct {
	sample, question, fact string
	place                  document.Part // the zero one for a format without parts
	under                  string        // the last heading
}{
	{"html/testdata/docutils.html", "lowest count of nests in twenty years", "14 nests", document.Part{}, "Why we count"},
	{"html/testdata/word.html", "Waschküche Schlüssel", "Frau Öztürk", document.Part{}, "2. Waschküche"},
	{"html/testdata/template.html", "range over nests of a template", "range .Nests", document.Part{}, ""},
	{"csv/testdata/python.csv", "gauge frozen, read by hand", "2024-02-14,423", document.Part{Kind: document.PartRow, From: 40, To: 61}, ""},
	{"docx/testdata/python-docx.docx", "how thick is a paddle of larch", "31 mm", document.Part{}, "The wheel"},
	{"docx/testdata/word.docx", "Wann findet die Deichschau statt", "Oktober", document.Part{Kind: document.PartPage, From: 2, To: 3}, "§ 3 Schau"},
	{"docx/testdata/google.docx", "who keeps the list of the extractor", "Ines keeps the list", document.Part{}, "Decisions"},
	{"odt/testdata/odfpy.odt", "wind in which the ferry does not sail", "8 Beaufort", document.Part{}, "Ferry timetable notes"},
	{"odt/testdata/libreoffice.odt", "boats that moor at the inner jetty", "up to 9 m", document.Part{Kind: document.PartPage, From: 1, To: 1}, "Mooring rules"},
	{"epub/testdata/calibre.epub", "when is samphire picked", "from May until the end of July", document.Part{}, "Samphire"},
	{"epub/testdata/ebooklib.epub", "how many ships did the keeper count", "nineteen ships", document.Part{}, "The keeper"},
	{"gzip/testdata/node.md.gz", "how much does the winch of the slip pull", "1,800 kg", document.Part{}, ""},
	{"gzip/testdata/python.jsonl.gz", "rudder repaired", "in April", document.Part{}, ""},
	{"mail/testdata/python.eml", "how deep does the Aurora go", "2.35 metres", document.Part{}, "Re: Draught of the Aurora"},
	{"mail/testdata/outlook.eml", "Wie oft fährt die Fähre", "alle 20 Minuten", document.Part{}, "Schließung der Brücke"},
	{"mail/testdata/git.mbox", "why did the office close the sluice", "took them for feet", document.Part{Kind: document.PartMessage, From: 2, To: 2}, "[PATCH 2/2] Say that levels are in centimetres"},
	{"pdf/testdata/typst.pdf", "how many eels were counted in the best year", "18,342 eels", document.Part{Kind: document.PartPage, From: 1, To: 1}, "2 Counting"},
	{"pdf/testdata/reportlab.pdf", "oil for a change of the compressor", "1.8 litres", document.Part{Kind: document.PartPage, From: 2, To: 3}, "Compressor"},
	{"pdf/testdata/pdfkit.pdf", "Wer verwahrt den Ersatzschlüssel", "Familie Öztürk in Parzelle 37", document.Part{Kind: document.PartPage, From: 2, To: 2}, "§ 4 Tore"},
	{"pptx/testdata/python-pptx.pptx", "how long does the bridge take", "eleven months", document.Part{Kind: document.PartSlide, From: 2, To: 2}, "What it costs"},
	{"pptx/testdata/powerpoint.pptx", "Personen in der Gruppe höchstens", "25 Personen", document.Part{Kind: document.PartSlide, From: 2, To: 2}, "Sicherheit"},
	{"xlsx/testdata/openpyxl.xlsx", "scarlet runner", "2024-02-28", document.Part{Kind: document.PartRow, From: 56, To: 71}, "Stock"},
	{"xlsx/testdata/xlsxwriter.xlsx", "höchster Stand", "2023-12-22 07:30", document.Part{Kind: document.PartRow, From: 1, To: 4}, "Pegel"},
	{"xlsx/testdata/excel.xlsx", "Aoki Haruko member since", "2018-12-28", document.Part{Kind: document.PartRow, From: 2, To: 6}, "Members"},
	{"csv/testdata/excel-german.csv", "Müller zahlt erst nach der zweiten Mahnung", "Hauptstraße 17", document.Part{Kind: document.PartRow, From: 1, To: 22}, ""},
}

// A fact in a document of each format is found by a question, at its place, and what reads
// the document shows the same text.
func TestFactInADocumentOfAFormat_IsFoundAtItsPlace(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	for _, f := range facts {
		write(t, filepath.Join(root, filepath.Base(f.sample)), sample(t, f.sample))
	}
	// The limit of files that are text as they are does not hold.
	const rows = 40_000
	write(t, filepath.Join(root, "large.csv"), "gauge,level\n"+strings.Repeat("Vegesack east gate,1234567\n", rows)+"Farge,9876543\n")
	// Under the race detector the first PDF of a machine, for which PDFium is compiled,
	// takes several times the memory.
	r := upWith(t, data, func(o *freshet.Options) { o.Config.Chunker.ParserMemory = 2 << 30 }, root)
	token := r.look(root).String()
	if h := r.search(contract.SearchRequest{Query: "Farge 9876543", Token: token}).Hits; len(h) == 0 || h[0].Path != "large.csv" || h[0].Place == nil || h[0].Place.To != rows+2 {
		t.Errorf("the last row of a large table: %+v", h)
	}
	for _, f := range facts {
		path := filepath.Base(f.sample)
		rep := r.search(contract.SearchRequest{Query: f.question, Token: token, Text: contract.TextFull, Filter: contract.Filter{Paths: []string{path}}})
		if len(rep.Hits) == 0 {
			t.Errorf("%s: nothing is found", path)
			continue
		}
		h := rep.Hits[0]
		if !strings.Contains(h.Text, f.fact) || strings.Contains(h.Text, "\ufffd") {
			t.Errorf("%s: the first hit is %q", path, h.Text)
		}
		if f.place == (document.Part{}) && h.Place != nil || f.place != (document.Part{}) && (h.Place == nil || *h.Place != f.place) {
			t.Errorf("%s: the place is %+v", path, h.Place)
		}
		if f.under != "" && (len(h.Headings) == 0 || h.Headings[len(h.Headings)-1] != f.under) {
			t.Errorf("%s: the headings are %q", path, h.Headings)
		}
		read, err := client.Read.Ask(t.Context(), r.bus.Conn(), contract.ReadRequest{Path: document.Path(path), From: h.StartLine, To: h.EndLine, Token: token})
		if err != nil || !strings.Contains(read.Text, f.fact) || read.Format != string(format.IDOf(document.Path(path))) {
			t.Errorf("read: %+v, %v", read, err)
		}
		grep, err := client.Grep.Ask(t.Context(), r.bus.Conn(), contract.GrepRequest{Pattern: f.fact, Fixed: true, Token: token, Filter: contract.Filter{Paths: []string{path}}})
		if err != nil || !grep.Complete || grep.Lines != 1 || grep.Files[0].Path != document.Path(path) {
			t.Errorf("grep of %s: %+v, %v", path, grep, err)
		}
	}
	r.stop()
	storesEqualLog(t, data)
}

// A log of a release that cut a language otherwise has its documents cut again, and
// nothing else.
func TestDocumentThatAnOlderReleaseCut_IsCutAgain(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	const kotlin = "package tide\n\nclass Gauge {\n    fun rise(): Int {\n        return 1\n    }\n}\n"
	write(t, filepath.Join(root, "gauge.kt"), kotlin)
	write(t, filepath.Join(root, "gauge.go"), goFile("Gauge"))
	r := up(t, data, root)
	r.look(root)
	code, h := r.headOf("library", "gauge.go"), r.headOf("library", "gauge.kt")
	if h.Grammar != language.GrammarOf("gauge.kt") || h.Grammar == "" || code.Grammar != "" {
		t.Fatalf("%+v, %+v", h, code)
	}
	known := h.Version
	h.Grammar = ""
	if ack := r.bus.Publish(t.Context(), bus.Out{Subject: contract.FileSubject("library", h.Doc, h.View), Header: h.Header(), Body: []byte(kotlin), Expect: uint64(known)})[0]; ack.Err != nil {
		t.Fatal(ack.Err)
	}
	r.stop()
	r = up(t, data, root)
	token := r.look(root).String()
	if now := r.headOf("library", "gauge.kt"); now.Grammar != language.GrammarOf("gauge.kt") {
		t.Errorf("%+v", now)
	}
	if now := r.headOf("library", "gauge.go"); now.Version != code.Version {
		t.Errorf("the rest was written again: %d, was %d", now.Version, code.Version)
	}
	out, err := client.Outline.Ask(t.Context(), r.bus.Conn(), contract.OutlineRequest{Path: "gauge.kt", Token: token})
	if err != nil || len(out.Document.Entries) == 0 || out.Document.Entries[0].Name != "Gauge" {
		t.Errorf("%+v, %v", out.Document, err)
	}
	r.stop()
	storesEqualLog(t, data)
}

// A log of a release that knew no notebooks has them as text: they are written again, and
// nothing else is.
func TestNotebookThatTheLogHasAsText_IsWrittenAgain(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	notebook := sample(t, "jupyter/testdata/tide.ipynb")
	write(t, filepath.Join(root, "tide.ipynb"), notebook)
	write(t, filepath.Join(root, "gauge.go"), goFile("Gauge"))
	r := up(t, data, root)
	r.look(root)
	if _, err := client.AddSource.Ask(t.Context(), r.bus.Conn(), contract.SourceAdd{Kind: contract.SourceAPI, Source: "given"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Put.Ask(t.Context(), r.bus.Conn(), contract.PutRequest{Source: "given", Documents: []contract.PutDocument{{Path: "tide.ipynb", Text: &notebook}}}); err != nil {
		t.Fatal(err)
	}
	code := r.headOf("library", "gauge.go")
	for _, source := range []document.Source{"library", "given"} {
		h := r.headOf(source, "tide.ipynb")
		if h.Format == "" {
			t.Fatalf("%+v has no format", h)
		}
		known := h.Version
		h.Format = ""
		ack := r.bus.Publish(t.Context(), bus.Out{Subject: contract.FileSubject(source, h.Doc, h.View), Header: h.Header(), Body: []byte(notebook), Expect: uint64(known)})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		token, err := r.bus.Tokens().Of(t.Context(), ack.Seq)
		if err != nil {
			t.Fatal(err)
		}
		// As that release did, it shows the bytes.
		if got := found(r.find("cell_type", token.String()), "cell_type"); len(got) == 0 {
			t.Errorf("%s: the bytes are not found", source)
		}
	}
	r.stop()
	r = up(t, data, root)
	token := r.look(root).String()
	for _, source := range []document.Source{"library", "given"} {
		if h := r.headOf(source, "tide.ipynb"); h.Format != format.IDOf("tide.ipynb") {
			t.Errorf("%s: %+v", source, h)
		}
	}
	if now := r.headOf("library", "gauge.go"); now.Version != code.Version {
		t.Errorf("the code was written again: %d, was %d", now.Version, code.Version)
	}
	rep := r.search(contract.SearchRequest{Query: "highest tide", Token: token})
	cells := 0
	for _, h := range rep.Hits {
		if h.Path == "tide.ipynb" && (h.Place == nil || strings.Contains(h.Text, "cell_type")) {
			t.Errorf("%+v", h)
		}
		if h.Place != nil {
			cells++
		}
	}
	if cells < 2 {
		t.Errorf("%d hits have a cell: %+v", cells, rep.Hits)
	}
	r.stop()
	storesEqualLog(t, data)
}

// headOf is the newest version of a document of the worktree.
func (r *rig) headOf(source document.Source, path document.Path) contract.FileHead {
	r.t.Helper()
	m, err := r.bus.GetLast(r.t.Context(), contract.StreamFiles, contract.FileSubject(source, document.DocOf(path), document.Worktree))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, m := range m {
		h, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
		if err != nil {
			r.t.Fatal(err)
		}
		return h
	}
	return contract.FileHead{}
}
