package pathset

import (
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestPathFilter_MatchesExactlyItsPaths(t *testing.T) {
	cases := []struct {
		entry, path string
		match       bool
	}{
		{"pkg/", "pkg/a.go", true},
		{"pkg", "pkg/x/a.go", true},
		{"pkg", "pkgs/a.go", false},
		{"./pkg", "pkg/a.go", true},
		{"a/b.go", "a/b.go", true},
		{"a/b.go", "a/b.go.bak", false},
		{"*_test.go", "deep/in/x_test.go", true},
		{"*_test.go", "deep/in/x.go", false},
		{"**/*_test.go", "x_test.go", true},
		{"cmd/*/main.go", "cmd/a/main.go", true},
		{"cmd/*/main.go", "cmd/a/b/main.go", false},
		{"app/[id]/page.tsx", "app/[id]/page.tsx", true},
		{"100%.md", "100%25.md", true},
		{".", "anything", true},
	}
	for _, c := range cases {
		p, err := Parse([]string{c.entry})
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Match(document.Path(c.path)); got != c.match {
			t.Errorf("%q on %q: %v", c.entry, c.path, got)
		}
		if c.match && len(p.Dirs()) > 0 && !slices.ContainsFunc(p.Dirs(), func(d string) bool {
			return c.path == d || strings.HasPrefix(c.path, d+"/")
		}) {
			t.Errorf("%q: the store's filter %q drops %q", c.entry, p.Dirs(), c.path)
		}
	}
}

func TestFolderBesideGlob_LeavesTheGlobItsPaths(t *testing.T) {
	p, err := Parse([]string{"pkg", "*_test.go"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Dirs() != nil || p.Exact() {
		t.Fatalf("dirs %q, exact %v: a test outside pkg would not be found", p.Dirs(), p.Exact())
	}
}

func FuzzParse(f *testing.F) {
	f.Add("pkg/**/x*.go", "pkg/a/x1.go")
	f.Add("[a", "a")
	f.Add(`a\*b`, "a*b")
	f.Fuzz(func(t *testing.T, entry, path string) {
		p, err := Parse([]string{entry})
		if err != nil {
			if document.KindOf(err) != document.InvalidRequest {
				t.Fatal(err)
			}
			return
		}
		if !p.Match(document.Path(path)) || len(p.Dirs()) == 0 {
			return
		}
		if !slices.ContainsFunc(p.Dirs(), func(d string) bool { return path == d || strings.HasPrefix(path, d+"/") }) {
			t.Fatalf("%q matches %q, but the store's filter %q drops it", entry, path, p.Dirs())
		}
	})
}
