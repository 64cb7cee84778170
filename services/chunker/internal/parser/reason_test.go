package parser

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

// packed is an archive with these entries.
func packed(t *testing.T, entries map[string]string, flags uint16) []byte {
	t.Helper()
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for name, text := range entries {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Flags: flags})
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A document of which no text can be made says why, and costs nobody else anything.
func TestDocumentOfAFormatThatCannotBeRead_SaysWhy(t *testing.T) {
	const relations = `<Relationships><Relationship Id="a" Type="x/officeDocument" Target="main.xml"/></Relationships>`
	office := func(main string, flags uint16) []byte {
		return packed(t, map[string]string{"_rels/.rels": relations, "main.xml": main}, flags)
	}
	old := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600)
	deep := strings.Repeat("<p>", 5000)
	rows := `<worksheet><sheetData>` + strings.Repeat(`<row><c t="str"><v>a long text that is in each row</v></c></row>`, 300_000) + `</sheetData></worksheet>`
	many := map[string]string{}
	for i := range 10_001 {
		many[strings.Repeat("a", i%100+1)+string(rune('b'+i/100))] = ""
	}
	whole := sampleOf(t, "docx/testdata/word.docx")
	for name, c := range map[string]struct {
		format  string
		content []byte
		want    extract.Reason
	}{
		"nothing":                  {"docx", nil, extract.Damaged},
		"another format":           {"docx", sampleOf(t, "odt/testdata/odfpy.odt"), extract.Damaged},
		"the end is missing":       {"docx", whole[:len(whole)/2], extract.Damaged},
		"a bit is wrong":           {"docx", flipped(whole), extract.Damaged},
		"a password, Office":       {"docx", []byte(old + "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"), extract.Encrypted},
		"a document of old":        {"xlsx", []byte(old), extract.Damaged},
		"a password, zip":          {"pptx", office("<presentation/>", 1), extract.Encrypted},
		"a password, OpenDocument": {"odt", packed(t, map[string]string{"content.xml": "\x01\x02", "META-INF/manifest.xml": `<manifest><file-entry full-path="content.xml"><encryption-data/></file-entry></manifest>`}, 0), extract.Encrypted},
		"a locked book": {"epub", packed(t, map[string]string{
			"META-INF/container.xml":  `<container><rootfiles><rootfile full-path="a.opf"/></rootfiles></container>`,
			"META-INF/encryption.xml": `<encryption><EncryptedData><CipherData><CipherReference URI="c.html"/></CipherData></EncryptedData></encryption>`,
			"a.opf":                   `<package><manifest><item id="c" href="c.html"/></manifest><spine><itemref idref="c"/></spine></package>`,
			"c.html":                  "\x8f\x8f",
		}, 0), extract.Encrypted},
		"a bomb":                  {"docx", office("<document><body>"+strings.Repeat(" ", 16<<20)+"</body></document>", 0), extract.Bomb},
		"a bomb of elements":      {"docx", office("<document><body>"+deep, 0), extract.TooMany},
		"a bomb of entries":       {"epub", packed(t, many, 0), extract.TooMany},
		"too many rows":           {"xlsx", packed(t, map[string]string{"_rels/.rels": relations, "main.xml": `<workbook xmlns:r="r"><sheets><sheet name="a" r:id="s"/></sheets></workbook>`, "_rels/main.xml.rels": `<Relationships><Relationship Id="s" Type="x/worksheet" Target="s.xml"/></Relationships>`, "s.xml": rows}, 0), extract.Bomb},
		"an encrypted message":    {"mail", []byte("Subject: a\nContent-Type: multipart/encrypted; boundary=b\n\n--b\n\nx\n--b--\n"), extract.Encrypted},
		"no message":              {"mail", []byte("nothing of a message\n"), extract.Damaged},
		"a packed bomb":           {"gzip", zipped(t, bytes.Repeat([]byte("a"), 8<<20)), extract.Bomb},
		"a packed archive":        {"gzip", zipped(t, []byte("a.txt\x00\x00\x00")), extract.NoText},
		"half of what was packed": {"gzip", zipped(t, []byte("some text that breaks off"))[:20], extract.Damaged},
		"a password, PDF":         {"pdf", sampleOf(t, "pdf/testdata/unreadable/locked.pdf"), extract.Encrypted},
		"pictures of pages":       {"pdf", sampleOf(t, "pdf/testdata/unreadable/scan.pdf"), extract.Scanned},
		"an empty page of a PDF":  {"pdf", sampleOf(t, "pdf/testdata/unreadable/empty.pdf"), extract.NoText},
		"half a PDF":              {"pdf", sampleOf(t, "pdf/testdata/reportlab.pdf")[:200], extract.Damaged},
		"nothing to read":         {"docx", office("<document><body><p/></body></document>", 0), extract.NoText},
		"an empty table":          {"csv", []byte("\n\n"), extract.NoText},
		"an empty page":           {"html", []byte(" "), extract.NoText},
		"a notebook that is none": {"jupyter", []byte("[]"), extract.Damaged},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := newPool(t, config()).Make(t.Context(), format.Find(format.ID(c.format+"-1")), c.content)
			if err != nil || made.Textless != string(c.want) || len(made.Text) > 0 {
				t.Errorf("%q, %d bytes, %v; want %q", made.Textless, len(made.Text), err, c.want)
			}
		})
	}
}

// zipped is a text packed by gzip.
func zipped(t *testing.T, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := w.Write(text)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func sampleOf(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "extract", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// flipped has one bit of the packed main part wrong.
func flipped(content []byte) []byte {
	out := bytes.Clone(content)
	out[bytes.Index(out, []byte("word/document.xml"))+200] ^= 0x10
	return out
}
