package rank

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// written makes a passage in a language, of the collection that it belongs to.
func written(path, language string, score float64) candidate.Found {
	f := found(path, "", score)
	f.Attrs.Language, f.Generation = language, "code-1"
	if language == "markdown" {
		f.Generation = "docs-1"
	}
	return f
}

func TestLanguageThatIsAskedFor_StandsAboveAnother(t *testing.T) {
	for text, want := range map[string]string{
		"parse json in python": "b/read.py", "Python: parse a json document": "b/read.py", "parse json in Go.": "a/read.go",
		"go code that parses json": "a/read.go", "golang json parser for documents": "a/read.go", "how json is parsed (in C++)": "c/read.cpp",
		"parse json in ts": "d/read.ts", "the typescript json reader of the client": "d/read.ts",
	} {
		// The first of two that are nearly alike, whichever it is.
		for _, rest := range []string{"a/read.go go", "b/read.py python", "c/read.cpp cpp", "d/read.ts typescript"} {
			path, language, _ := strings.Cut(rest, " ")
			if path == want {
				continue
			}
			asked := map[string]string{"b/read.py": "python", "a/read.go": "go", "c/read.cpp": "cpp", "d/read.ts": "typescript"}[want]
			all := order(text, Lists{Lexical: []candidate.Found{written(path, language, 10), written(want, asked, 9)}}, weights(Convex))
			if got := string(all[0].Attrs.Path); got != want {
				t.Errorf("%q: %s stands above %s", text, got, want)
			}
			if s := all[0].Explain(); s["language"] != 1.5 || all[1].Explain()["language"] != 1 {
				t.Errorf("%q: the signal is told as %v and %v", text, s["language"], all[1].Explain()["language"])
			}
		}
	}
}

func TestWordThatIsNoLanguage_AsksForNone(t *testing.T) {
	for _, text := range []string{
		"where does a request go to", "c", "python", "go to definition of a symbol", "shell completion of arguments", "plan b or c",
		"src/python/go.mod", "Error: python: command not found in /usr/bin", "parse json and yaml", "a d in the middle",
	} {
		if got := query(text).asked.languages; len(got) > 0 {
			t.Errorf("%q asks for %v", text, slices.Collect(maps.Keys(got)))
		}
	}
}

func TestDocumentationThatIsAskedFor_StandsAboveCode(t *testing.T) {
	code, prose := written("retry.go", "go", 10), written("pages/retries.md", "markdown", 8)
	w := weights(Convex)
	w.Stem = 0
	for _, text := range []string{"docs on retries of a request", "is there a guide to retries?", "README: retries of requests"} {
		if all := order(text, Lists{Lexical: []candidate.Found{code, prose}}, w); all[0].ID != prose.ID || all[0].Signals[candidate.Intent] != 1.5 {
			t.Errorf("%q: first is %s (%+v)", text, all[0].Attrs.Path, all[0].Signals)
		}
	}
	if all := order("how are requests tried again", Lists{Lexical: []candidate.Found{code, prose}}, w); all[0].ID != code.ID {
		t.Errorf("nobody asks for documentation, and first is %s", all[0].Attrs.Path)
	}
}

// Where everything is of the kind asked for, asking for it changes nothing.
func TestAskingForTheOnlyLanguage_LeavesTheOrder(t *testing.T) {
	var list []candidate.Found
	for i, path := range []string{"a.py", "lib/reader.py", "test/reader.py", "a.py", "b.py"} {
		f := written(path, "python", float64(20-i))
		f.ID = document.NewChunkID("s", f.Attrs.Path, "", i, 1)
		list = append(list, f)
	}
	w := weights(Convex)
	with := order("json reader in python", Lists{Lexical: list}, w)
	w.Language = 0
	without := order("json reader in python", Lists{Lexical: list}, w)
	for i := range with {
		if with[i].ID != without[i].ID {
			t.Errorf("place %d: %s instead of %s", i+1, with[i].Attrs.Path, without[i].Attrs.Path)
		}
	}
}
