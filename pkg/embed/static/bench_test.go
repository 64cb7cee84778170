package static

import (
	"context"
	"go/build"
	"os"
	"path/filepath"
	"testing"
)

// goTexts returns texts of 1,500 bytes from Go's own net package.
func goTexts(b *testing.B) (texts []string) {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(build.Default.GOROOT, "src", "net", "*.go"))
	if err != nil || len(files) == 0 {
		b.Fatalf("no Go sources to embed: %v", err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for ; len(raw) >= 1500; raw = raw[1500:] {
			texts = append(texts, string(raw[:1500]))
		}
	}
	return texts
}

func BenchmarkEmbedDocuments(b *testing.B) {
	e, texts := newEmbedder(b), goTexts(b)
	b.SetBytes(1500)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		e.EmbedDocuments(context.Background(), texts[i:i+1])
		i = (i + 1) % len(texts)
	}
}

func BenchmarkTokenizer(b *testing.B) {
	e, texts := newEmbedder(b), goTexts(b)
	b.SetBytes(1500)
	var text []byte
	var ids []int32
	i := 0
	for b.Loop() {
		text = prepare(text, texts[i])
		ids = e.tokens.append(ids[:0], text)
		i = (i + 1) % len(texts)
	}
}
