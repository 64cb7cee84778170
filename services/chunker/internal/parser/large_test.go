package parser

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/format"
)

// BenchmarkLargeDocuments says how long a large document of a format takes, and the most
// memory that its parser had.
func BenchmarkLargeDocuments(b *testing.B) {
	for _, c := range []struct {
		name, format string
		content      []byte
	}{
		{"PDF of 500 pages", "pdf", book(500)},
		{"CSV of 8 MiB", "csv", []byte("gauge,level\n" + strings.Repeat("Vegesack east gate,1234567\n", 8<<20/27-1))},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := newPool(b, config())
			b.SetBytes(int64(len(c.content)))
			made, peak := Made{}, 0
			for b.Loop() {
				var err error
				if made, err = p.Make(b.Context(), format.Find(format.ID(c.format)), c.content); err != nil || made.Textless != "" {
					b.Fatalf("%q, %v", made.Textless, err)
				}
				for _, pid := range p.PIDs() {
					peak = max(peak, peakOf(b, pid))
				}
			}
			b.ReportMetric(float64(peak)/1024, "MB-parser")
			b.ReportMetric(float64(len(made.Spans)), "passages")
		})
	}
}

// peakOf is the most resident memory of a process, in KiB; 0 where it is gone.
func peakOf(b *testing.B, pid int) int {
	b.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	n, err := strconv.Atoi(strings.Fields(after)[0])
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// book is a PDF with a heading and 45 lines on each page.
func book(pages int) []byte {
	var out bytes.Buffer
	var at []int
	object := func(format string, args ...any) {
		at = append(at, out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(at)}, args...)...)
	}
	out.WriteString("%PDF-1.4\n")
	object("<< /Type /Catalog /Pages 2 0 R >>")
	var kids strings.Builder
	for i := range pages {
		fmt.Fprintf(&kids, "%d 0 R ", 4+2*i)
	}
	object("<< /Type /Pages /Count %d /Kids [%s] >>", pages, kids.String())
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman >>")
	for i := range pages {
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R /Resources << /Font << /F 3 0 R >> >> >>", 5+2*i)
		var text strings.Builder
		fmt.Fprintf(&text, "BT /F 18 Tf 72 770 Td (Chapter %d) Tj /F 11 Tf 0 -30 Td 15 TL\n", i+1)
		for k := range 45 {
			fmt.Fprintf(&text, "(gauge %d of the river stood at %d centimetres when the keeper wrote down its record) Tj T*\n", k, i*45+k)
		}
		text.WriteString("ET")
		object("<< /Length %d >>\nstream\n%s\nendstream", text.Len(), text.String())
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, offset := range at {
		fmt.Fprintf(&out, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&out, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, start)
	return out.Bytes()
}
