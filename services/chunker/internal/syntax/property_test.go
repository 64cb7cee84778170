package syntax

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/services/chunker/internal/split"
)

// goFiles calls fn for the Go files of the standard library, each stride-th.
func goFiles(tb testing.TB, stride int, fn func(path string, content []byte)) {
	tb.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output() // a binary that was built with -trimpath does not know
	if err != nil {
		tb.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	n := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		if n++; n%stride != 0 {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && len(content) < 1<<20 {
			fn(path, content)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	if n == 0 {
		tb.Fatalf("no Go files below %s", root)
	}
}

func TestEveryLineOfTheStandardLibrary_IsInExactlyOneChunk(t *testing.T) {
	p := NewParser()
	defer p.Close()
	var opt split.Options
	opt.SetDefaults()
	goFiles(t, 20, func(path string, content []byte) {
		languages := []string{"go"}
		if len(content) < 3000 { // a wrong grammar is slow, and small files show the same
			languages = withGrammar()
		}
		for _, language := range languages {
			spans, err := p.Split(language, content, opt)
			if err != nil {
				t.Fatal(err)
			}
			if err := split.Verify(content, spans, true); err != nil {
				t.Errorf("%s as %s: %v", path, language, err)
			}
			for _, s := range spans {
				if s.EndByte-s.StartByte > opt.Max {
					t.Errorf("%s as %s: chunk of %d bytes at line %d", path, language, s.EndByte-s.StartByte, s.StartLine)
				}
			}
		}
	})
}

// Bodies that are not looked at must not change a chunk.
func TestElidedBodies_ChangeNoChunk(t *testing.T) {
	p := NewParser()
	defer p.Close()
	var opt split.Options
	opt.SetDefaults()
	files, elided := 0, 0
	goFiles(t, 20, func(path string, content []byte) {
		whole, err := p.split("go", content, content, opt)
		if err != nil {
			t.Fatal(err)
		}
		source := elide(content, opt.Max, opt.Target)
		files++
		for i := range source {
			if source[i] != content[i] {
				elided++
			}
		}
		spans, err := p.split("go", content, source, opt)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(whole, spans) {
			t.Errorf("%s is split in another way", path)
		}
	})
	if elided < files*100 {
		t.Errorf("%d bytes of %d files were elided", elided, files)
	}
}

func BenchmarkStandardLibrary(b *testing.B) {
	var files [][]byte
	var size int64
	goFiles(b, 8, func(_ string, content []byte) {
		files = append(files, content)
		size += int64(len(content))
	})
	p := NewParser()
	defer p.Close()
	b.SetBytes(size)
	chunks := 0
	for b.Loop() {
		for _, content := range files {
			spans, err := p.Split("go", content, split.Options{})
			if err != nil {
				b.Fatal(err)
			}
			chunks += len(spans)
		}
	}
	b.ReportMetric(float64(chunks)/b.Elapsed().Seconds(), "chunks/s")
}
