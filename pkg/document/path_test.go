package document_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/document"
)

func FuzzPath_ComesBack(f *testing.F) {
	for _, s := range []string{
		"", "a/b.go", "100%.md", "%41", "%", "%4", "a\nb", "\x7f", "caf\u00e9", "caf\xe9", "\u0085", "\ufffd", "\xff\xfe",
		" a", "a ", " ", "  ", "a b", "\t", "\U0001f600", "a\x00b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		p := document.EncodePath(raw)
		if got := p.Raw(); got != raw {
			t.Errorf("%q is encoded as %q, which is %q again", raw, p, got)
		}
		if !utf8.ValidString(string(p)) || strings.ContainsFunc(string(p), unicode.IsControl) {
			t.Errorf("%q is encoded as %q, which does not fit into a header", raw, p)
		}
		if strings.TrimSpace(string(p)) != string(p) && strings.Trim(string(p), " \t") != string(p) {
			t.Errorf("%q is encoded as %q, which a header would trim", raw, p)
		}
		// Slashes part folders, so encoding must not touch them.
		if strings.Count(string(p), "/") != strings.Count(raw, "/") {
			t.Errorf("%q is encoded as %q: a slash came or went", raw, p)
		}
	})
}

func TestPathEncoding_IsThatOfItsDefinition(t *testing.T) {
	for raw, want := range map[string]document.Path{
		"pkg/a.go":     "pkg/a.go",
		"100% café.md": "100%25 café.md",
		"a\nb":         "a%0Ab",
		"caf\xe9":      "caf%E9",
		"\u0085x":      "%C2%85x",
		" a b ":        "%20a b%20",
		" ":            "%20",
	} {
		if got := document.EncodePath(raw); got != want {
			t.Errorf("%q is encoded as %q, want %q", raw, got, want)
		}
	}
}

func TestPartsOfAPath_AreTold(t *testing.T) {
	for _, c := range []struct {
		path            document.Path
		base, ext, stem string
		dirs, ancestors []string
	}{
		{"a/b/c.Go", "c.Go", ".go", "c", []string{"a", "b"}, []string{"a", "a/b"}},
		{"Makefile", "Makefile", "", "Makefile", nil, nil},
		{".env", ".env", ".env", ".env", nil, nil},
		{"x/archive.tar.gz", "archive.tar.gz", ".gz", "archive.tar", []string{"x"}, []string{"x"}},
	} {
		if got := c.path.Base(); got != c.base {
			t.Errorf("base of %s is %q", c.path, got)
		}
		if got := c.path.Ext(); got != c.ext {
			t.Errorf("extension of %s is %q", c.path, got)
		}
		if got := c.path.Stem(); got != c.stem {
			t.Errorf("stem of %s is %q", c.path, got)
		}
		if got := c.path.Dirs(); !slices.Equal(got, c.dirs) {
			t.Errorf("dirs of %s are %q", c.path, got)
		}
		if got := c.path.Ancestors(); !slices.Equal(got, c.ancestors) {
			t.Errorf("ancestors of %s are %q", c.path, got)
		}
	}
}

func TestPathThatLeadsElsewhere_IsRefused(t *testing.T) {
	for _, p := range []document.Path{"a", "a/b.md", ".hidden/..x/...", "a b", "%20a", "%FF%0A", "100%25", "ü/ñ", "-rf"} {
		if err := document.CheckPath(p); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
	for p, says := range map[document.Path]string{
		"": "empty", "/a": "absolute", "a/": `""`, "a//b": `""`, ".": `"."`, "../a": `".."`, "a/..": `".."`, "%2E%2E/a": "percent-encoded",
		"100%": `write "100%25"`, " a": `write "%20a"`, "a\n": `write "a%0A"`, "\xff": `write "%FF"`, "%ff": "percent-encoded", "%41": "percent-encoded",
		document.Path(strings.Repeat("a", 4097)): "shorten",
	} {
		if err := document.CheckPath(p); document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("%.20q: %v, want %q", p, err, says)
		}
	}
}

func TestTypedPath_IsEncodedOnce(t *testing.T) {
	for typed, want := range map[string]document.Path{
		"a/b.go": "a/b.go", "100%.md": "100%25.md", "100%25.md": "100%25.md", "a%20b.md": "a%2520b.md",
		"caf%E9.md": "caf%E9.md", "caf\xe9.md": "caf%E9.md", "a\nb": "a%0Ab", "": "",
	} {
		if got := document.TypedPath(typed); got != want {
			t.Errorf("%q is %q, want %q", typed, got, want)
		}
	}
}
