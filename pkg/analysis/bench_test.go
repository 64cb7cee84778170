package analysis

import (
	"go/build"
	"os"
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

// BenchmarkPassage analyses chunks of 1,500 bytes of Go's own packages.
func BenchmarkPassage(b *testing.B) {
	files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "*", "*.go"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no Go sources to analyse: %v", err)
	}
	var chunks [][]byte
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for ; len(raw) >= 1500; raw = raw[1500:] {
			chunks = append(chunks, raw[:1500])
		}
	}
	a := New()
	span := &document.Span{Label: "function Serve net http listener"}
	b.SetBytes(1500)
	b.ReportAllocs()
	i, tokens := 0, 0
	for b.Loop() {
		tokens += len(a.Passage("src/net/http/server.go", span, chunks[i], false))
		i = (i + 1) % len(chunks)
	}
	b.ReportMetric(float64(tokens)/float64(b.N), "tokens/op")
}
