package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestGoldenSet_IsLargeAndClear(t *testing.T) {
	documents, err := load()
	if err != nil {
		t.Fatal(err)
	}
	questions, err := eval.Read(QuestionsFile)
	if err != nil {
		t.Fatal(err)
	}
	if len(questions) < 100 {
		t.Errorf("only %d questions", len(questions))
	}
	names := map[string]bool{}
	for _, d := range documents {
		names[d.Name] = true
		if !strings.HasPrefix(d.Sum, "h1:") || d.Version == "" || len(d.Files) == 0 {
			t.Errorf("%+v", d)
		}
	}
	asked := map[string]bool{}
	for _, q := range questions {
		switch q.Category {
		case "how-to", "concept", "reference", "error", "troubleshooting":
		default:
			t.Errorf("%q has the category %q", q.Query, q.Category)
		}
		if asked[q.Query] {
			t.Errorf("%q is asked twice", q.Query)
		}
		asked[q.Query] = true
		full := false
		for _, a := range q.Relevant {
			name, _, _ := strings.Cut(a.Path, "/")
			full = full || a.Grade > 1
			if !names[name] || strings.EqualFold(a.Heading, q.Query) {
				t.Errorf("%q: %+v", q.Query, a)
			}
		}
		if !full {
			t.Errorf("%q has no full answer", q.Query)
		}
	}
}

// module makes the folder of a module.
func module(t *testing.T, sum string) (Documents, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"docs/a.md": "# A\n\n## B `c`\n\nx\n\n### D\n\ny\n\n## E\n", "docs/old/b.md": "# B\n", "docs/c.png": "x", "main.go": "x"} {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Documents{Name: "m", Module: "example.org/m", Version: "v1.0.0", Sum: sum, Files: []string{"docs"}, Without: []string{"docs/old"}}, dir
}

func TestDocumentsOfAModule_AreCopiedAlone(t *testing.T) {
	d, dir := module(t, "h1:x")
	to := t.TempDir()
	n, err := d.copy(dir, to)
	if err != nil || n != 1 {
		t.Errorf("%d, %v", n, err)
	}
	for name, want := range map[string]bool{"docs/a.md": true, "docs/old/b.md": false, "docs/c.png": false, "main.go": false} {
		if _, err := os.Stat(filepath.Join(to, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A module of another content must not pass for the one that is asked about. It
// is one that this module depends on, so that no network is needed.
func TestModuleOfAnotherSum_IsRefused(t *testing.T) {
	documents, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		if d.Name != "cobra" {
			continue
		}
		if _, err := d.fetch(t.Context()); err != nil {
			t.Errorf("the true sum: %v", err)
		}
		d.Sum = "h1:AAAA"
		if _, err := d.fetch(t.Context()); document.KindOf(err) != document.Conflict {
			t.Errorf("another sum: %v", err)
		}
	}
}
