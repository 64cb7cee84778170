package language

import (
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestContent_TellsItsLanguage(t *testing.T) {
	for _, test := range []struct{ path, content, want string }{
		{"a/b.go", "", "go"}, {"x.PY", "", "python"}, {"x.tsx", "", "tsx"}, {"x.mjs", "", "javascript"}, {"a.d.ts", "", "typescript"},
		{"x.h", "int a;\n", "c"}, {"x.h", "#pragma once\nnamespace a {\n", "cpp"}, {"x.cc", "", "cpp"}, {"Makefile", "", "make"},
		{"Dockerfile.prod", "", "dockerfile"}, {"CMakeLists.txt", "", "cmake"}, {"run", "#!/usr/bin/env python3\n", "python"},
		{"run", "#!/bin/sh -e\n", "bash"}, {"run", "#!/usr/bin/env -S node --x\n", "javascript"}, {"run", "hello", "text"},
		{"README.md", "", "markdown"}, {"x.unknown", "", "text"}, {".gitignore", "", "text"}, {"x.rs", "", "rust"}, {"a.yml", "", "yaml"},
	} {
		if got := Detect(document.Path(test.path), []byte(test.content)); got != test.want {
			t.Errorf("%s is %s, want %s", test.path, got, test.want)
		}
	}
}

// Whatever a file is told by leads to the language, and the language's name and
// everything that people call it lead back.
func TestLanguage_ResolvesBothWays(t *testing.T) {
	told := map[string]string{}
	for _, r := range table {
		for what, words := range map[string]string{"extension ": r.extensions, "file ": r.files, "prefix ": r.prefixes, "interpreter ": r.interpreters} {
			for w := range strings.FieldsSeq(words) {
				if other, twice := told[what+w]; twice {
					t.Errorf("%s%s tells %s and %s", what, w, other, r.name)
				}
				told[what+w] = r.name
			}
		}
		for w := range strings.FieldsSeq(r.extensions) {
			if got := OfPath(document.Path("a/b." + w)); got != r.name {
				t.Errorf(".%s is %q, want %s", w, got, r.name)
			}
		}
		for w := range strings.FieldsSeq(r.files) {
			if got := OfPath(document.Path("a/" + w)); got != r.name {
				t.Errorf("%s is %q, want %s", w, got, r.name)
			}
		}
		for w := range strings.FieldsSeq(r.interpreters) {
			if got := Detect("run", []byte("#!/usr/bin/env "+w+"\n")); got != r.name {
				t.Errorf("a script for %s is %q, want %s", w, got, r.name)
			}
		}
		for w := range strings.FieldsSeq(strings.Join([]string{r.name, r.extensions, r.aliases, r.words, r.beside}, " ")) {
			if !slices.Contains(Named(strings.ToUpper(w)), r.name) {
				t.Errorf("%s names %v, and not %s", w, Named(w), r.name)
			}
		}
		if Get(r.name).Name != r.name || r.family != "" && Get(r.family).Name != r.family {
			t.Errorf("%s is not found by its name", r.name)
		}
	}
}

func TestFamily_IsNamedWithItsMembers(t *testing.T) {
	for word, want := range map[string][]string{"ts": {"typescript", "tsx"}, "TypeScript": {"typescript", "tsx"}, "tsx": {"tsx"}, "h": {"c", "cpp"}, "nosuch": nil} {
		if got := Named(word); !slices.Equal(got, want) {
			t.Errorf("%s names %v, want %v", word, got, want)
		}
	}
}

func TestAkinLanguages_AreKnownOnes(t *testing.T) {
	for _, family := range akin {
		for _, name := range family {
			if _, ok := known[name]; !ok {
				t.Error(name)
			}
		}
	}
	if !Akin("c", "cpp") || !Akin("go", "go") || Akin("go", "c") {
		t.Error("akin are others")
	}
}
