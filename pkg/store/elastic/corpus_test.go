//go:build servers

package elastic_test

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// window is how many lines of a file make a passage.
const window = 40

// corpus is Go's own source in passages, and questions that people asked of
// it in a sense: the first sentences of the comments above its functions.
type corpus struct {
	entries []store.LexicalEntry
	queries [][]store.Term
	bytes   int // of tokens, joined
}

// read makes a corpus of at most n passages, from files all over the tree.
func read(t testing.TB, n, queries int) corpus {
	t.Helper()
	root := filepath.Join(runtime.GOROOT(), "src")
	var files []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.Contains(path, "testdata") {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	r.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	a := analysis.New()
	var c corpus
	var sentences []string
	for _, file := range files {
		if len(c.entries) >= n {
			break
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		c.add(a, document.EncodePath(filepath.ToSlash(name)), text)
		sentences = append(sentences, firstSentences(text)...)
	}
	r.Shuffle(len(sentences), func(i, j int) { sentences[i], sentences[j] = sentences[j], sentences[i] })
	for _, s := range sentences {
		if len(c.queries) == queries {
			break
		}
		var terms []store.Term
		for _, term := range a.Query(s) {
			terms = append(terms, store.Term{Token: term.Token, Weight: term.Weight})
		}
		if len(terms) >= 2 {
			c.queries = append(c.queries, terms)
		}
	}
	if len(c.queries) < queries {
		t.Fatalf("there are only %d questions", len(c.queries))
	}
	return c
}

func (c *corpus) add(a *analysis.Analyzer, path document.Path, text []byte) {
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i := 0; i*window < len(lines); i++ {
		part := bytes.Join(lines[i*window:min((i+1)*window, len(lines))], nil)
		if len(part) == 0 {
			continue
		}
		tokens := a.Passage(path, &document.Span{}, part, false)
		for _, t := range tokens {
			c.bytes += len(t) + 1
		}
		c.entries = append(c.entries, store.LexicalEntry{
			ID:     document.NewChunkID("go", path, document.HashOf(part), i, 1),
			Attrs:  store.Attrs{Source: "go", Doc: document.DocOf(path), Path: path, Language: "go", Kind: document.KindBlock},
			Tokens: tokens,
		})
	}
}

// firstSentences returns the first line of each comment above a function.
func firstSentences(text []byte) []string {
	var out []string
	lines := strings.Split(string(text), "\n")
	for i := 1; i < len(lines); i++ {
		if !strings.HasPrefix(lines[i], "func ") {
			continue
		}
		first := i
		for first > 0 && strings.HasPrefix(lines[first-1], "// ") {
			first--
		}
		if first < i {
			out = append(out, strings.TrimPrefix(lines[first], "// "))
		}
	}
	return out
}
