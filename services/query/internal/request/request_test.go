package request

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

var limits = Limits{K: 10, MaxK: 1000, Deadline: 2 * time.Second, MaxDeadline: time.Minute,
	Collections: []document.Collection{"code", "docs"}}

func ptr(k int) *int { return &k }

func TestWrongRequestPasses(t *testing.T) {
	cases := map[string]struct {
		in   contract.SearchRequest
		says string
	}{
		"empty query":            {contract.SearchRequest{Query: ""}, "empty"},
		"blank query":            {contract.SearchRequest{Query: " \t\n"}, "empty"},
		"only filters":           {contract.SearchRequest{Query: "lang:go path:pkg/"}, "only filters"},
		"k of 0":                 {contract.SearchRequest{Query: "a", K: ptr(0)}, "k is 0"},
		"k below 0":              {contract.SearchRequest{Query: "a", K: ptr(-3)}, "k is -3"},
		"k of ten million":       {contract.SearchRequest{Query: "a", K: ptr(10_000_000)}, "1 to 1000"},
		"negative deadline":      {contract.SearchRequest{Query: "a", DeadlineMS: -1}, "deadline_ms"},
		"deadline of an hour":    {contract.SearchRequest{Query: "a", DeadlineMS: 3_600_000}, "60000"},
		"overflowing deadline":   {contract.SearchRequest{Query: "a", DeadlineMS: math.MaxInt}, "60000"},
		"negative score":         {contract.SearchRequest{Query: "a", MinScore: -1}, "min_score"},
		"unknown text":           {contract.SearchRequest{Query: "a", Text: "all"}, "none, excerpt or full"},
		"unknown stage":          {contract.SearchRequest{Query: "a", Off: []string{"fuse"}}, "fuse"},
		"no channel left":        {contract.SearchRequest{Query: "a", Off: []string{"vector", "lexical"}}, "at least one"},
		"token without epoch":    {contract.SearchRequest{Query: "a", Token: "12"}, "token"},
		"token of words":         {contract.SearchRequest{Query: "a", Token: "newest"}, "token"},
		"unserved collection":    {contract.SearchRequest{Query: "a", Collections: []document.Collection{"catalog"}}, "code, docs"},
		"source of two words":    {contract.SearchRequest{Query: "a", Filter: contract.Filter{Sources: []document.Source{"a b"}}}, "slug"},
		"inline source":          {contract.SearchRequest{Query: "a source:A!"}, "slug"},
		"absolute path":          {contract.SearchRequest{Query: "a", Filter: contract.Filter{Paths: []string{"/etc"}}}, "absolute"},
		"path out of the source": {contract.SearchRequest{Query: "a path:../x"}, "leaves"},
		"open bracket":           {contract.SearchRequest{Query: "a path:pkg/[a-"}, "malformed glob"},
		"open brace":             {contract.SearchRequest{Query: "a", Filter: contract.Filter{Paths: []string{"**/{a,b"}}}, "malformed glob"},
		"empty path":             {contract.SearchRequest{Query: "a", Filter: contract.Filter{Paths: []string{""}}}, "empty"},
		"empty language":         {contract.SearchRequest{Query: "a", Filter: contract.Filter{Languages: []string{" "}}}, "empty"},
		"empty view":             {contract.SearchRequest{Query: "a", Filter: contract.Filter{Views: []document.View{""}}}, "empty"},
		"invalid UTF-8":          {contract.SearchRequest{Query: "a\xff"}, "UTF-8"},
		"a pasted file":          {contract.SearchRequest{Query: strings.Repeat("word ", 10_000)}, "shorten"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := Parse(c.in, limits)
			if document.KindOf(err) != document.InvalidRequest {
				t.Fatalf("error %v, want an invalid_request", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Fatalf("%q does not say %q", err, c.says)
			}
		})
	}
}

func TestDefaultsAreLost(t *testing.T) {
	r, err := Parse(contract.SearchRequest{Query: "parse"}, limits)
	if err != nil {
		t.Fatal(err)
	}
	if r.K != 10 || r.Deadline != 2*time.Second || r.Show != contract.TextExcerpt || len(r.Collections) != 2 || r.WantsToken() {
		t.Fatalf("%+v", r)
	}
}

func TestInlineFilterIsLostOrInvented(t *testing.T) {
	cases := map[string]struct {
		query, text string
		inline      Inline
	}{
		"all four":          {"parse lang:go an path:pkg/ address source:api kind:function", "parse an address", Inline{[]string{"go"}, []string{"pkg/"}, []document.Source{"api"}, []string{"function"}}},
		"path of Rust":      {"path::Path join", "path::Path join", Inline{}},
		"other prefix":      {"file:x.go language:go", "file:x.go language:go", Inline{}},
		"upper case":        {"Lang:go x", "Lang:go x", Inline{}},
		"no value":          {"what is lang: for", "what is lang: for", Inline{}},
		"inside a word":     {"xlang:go", "xlang:go", Inline{}},
		"quoted":            {`find path:"my dir/a b" now`, "find now", Inline{Paths: []string{"my dir/a b"}}},
		"quote left open":   {`x path:"my dir`, "x dir", Inline{Paths: nil}},
		"white space kept":  {"a  b\tc", "a  b\tc", Inline{}},
		"filter at the end": {"a lang:go", "a", Inline{Languages: []string{"go"}}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			text, inline := SplitInline(c.query)
			if name == "quote left open" {
				if text != c.query || inline.Paths != nil {
					t.Fatalf("text %q, filters %+v", text, inline)
				}
				return
			}
			if text != c.text || !slices.Equal(inline.Languages, c.inline.Languages) || !slices.Equal(inline.Paths, c.inline.Paths) ||
				!slices.Equal(inline.Sources, c.inline.Sources) || !slices.Equal(inline.Kinds, c.inline.Kinds) {
				t.Fatalf("text %q, filters %+v", text, inline)
			}
		})
	}
}

func TestPathFilterMissesOrOverreaches(t *testing.T) {
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
		p, err := ParsePaths([]string{c.entry})
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

func TestFolderBesideGlobNarrowsTheGlobAway(t *testing.T) {
	p, err := ParsePaths([]string{"pkg", "*_test.go"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Dirs() != nil || p.Exact() {
		t.Fatalf("dirs %q, exact %v: a test outside pkg would not be found", p.Dirs(), p.Exact())
	}
}

func FuzzSplitInline(f *testing.F) {
	for _, s := range []string{"lang:go parse", `path:"a b" x`, "path::Path", "kind:", "  a  lang:go  b ", "path:\"\" x", "lang:go"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, query string) {
		text, inline := SplitInline(query)
		if text != strings.TrimFunc(text, unicode.IsSpace) {
			t.Fatalf("%q: text %q has white space around it", query, text)
		}
		again, none := SplitInline(text)
		if again != text || none.Languages != nil || none.Paths != nil || none.Sources != nil || none.Kinds != nil {
			t.Fatalf("%q: text %q is split again into %q and %+v", query, text, again, none)
		}
		for _, v := range slices.Concat(inline.Languages, inline.Paths, inline.Kinds) {
			if v == "" || !strings.Contains(query, v) {
				t.Fatalf("%q: value %q was made up", query, v)
			}
		}
		for _, word := range strings.Fields(text) {
			if !strings.Contains(query, word) {
				t.Fatalf("%q: word %q was made up", query, word)
			}
		}
	})
}

func FuzzParsePaths(f *testing.F) {
	f.Add("pkg/**/x*.go", "pkg/a/x1.go")
	f.Add("[a", "a")
	f.Add(`a\*b`, "a*b")
	f.Fuzz(func(t *testing.T, entry, path string) {
		p, err := ParsePaths([]string{entry})
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
