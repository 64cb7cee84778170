//go:build servers

package weaviate_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	embedders "github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
)

const (
	recallPassages = 5000
	recallQueries  = 200
	recallK        = 10
)

// TestRecall_KeepsUpWithTheScan compares Weaviate's best ten with those of the
// embedded store, which compares every vector, on passages of Go's own source
// and the bundled model. The server compares every vector too up to
// flatSearchCutoff; without that its graph alone answers.
func TestRecall_KeepsUpWithTheScan(t *testing.T) {
	entries, queries := sourcePassages(t, recallPassages, recallQueries)
	dims := len(entries[0].Vector.Data)
	exact, err := flat.Open(t.TempDir(), dims, flat.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, exact.Close()) })
	s, cfg := created(t, dims)
	put(t, exact, entries...)
	put(t, s, entries...)

	compare := func(name string, floor float64) {
		t.Helper()
		for _, f := range []store.Filter{{}, {Dirs: []string{"net", "crypto"}}} {
			if got := recall(t, exact, s, queries, f); got < floor {
				t.Errorf("%s: recall@%d is %.4f below %q, want %.2f", name, recallK, got, f.Dirs, floor)
			} else {
				t.Logf("%s: recall@%d is %.4f below %q (%d passages, %d queries)", name, recallK, got, f.Dirs, len(entries), len(queries))
			}
		}
	}
	// What is left of 1 are scores that differ in the seventh digit, by which
	// int8 and float32 order them differently.
	compare("as created", 0.99)

	url := cfg.URL + "/v1/schema/" + class(cfg)
	var definition map[string]any
	must(t, json.Unmarshal([]byte(call(t, http.MethodGet, url, "")), &definition))
	definition["vectorIndexConfig"].(map[string]any)["flatSearchCutoff"] = 0
	body, err := json.Marshal(definition)
	must(t, err)
	call(t, http.MethodPut, url, string(body))
	compare("by the graph alone", 0.95)
}

// recall is the share of the best that is found.
func recall(t *testing.T, exact, s store.Vector, queries []embed.Vector, f store.Filter) float64 {
	t.Helper()
	found, all := 0, 0
	for _, q := range queries {
		want, err := exact.Search(t.Context(), q, f, recallK)
		must(t, err)
		got, err := s.Search(t.Context(), q, f, recallK)
		must(t, err)
		all += len(want)
		best := make(map[document.ChunkID]bool)
		for _, h := range want {
			best[h.ID] = true
		}
		for _, h := range got {
			if best[h.ID] {
				found++
			}
		}
	}
	if all == 0 {
		t.Fatalf("nothing lies below %q", f.Dirs)
	}
	return float64(found) / float64(all)
}

// sourcePassages embeds n passages of Go's own source, spread over its tree,
// and as queries the first lines of others.
func sourcePassages(t *testing.T, n, queries int) ([]store.VectorEntry, []embed.Vector) {
	t.Helper()
	model, err := embedders.Embedder(config.Default().Embedder)
	must(t, err)
	root := filepath.Join(runtime.GOROOT(), "src")
	var entries []store.VectorEntry
	var texts, asked []string
	must(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		path := document.EncodePath(filepath.ToSlash(relative))
		// Pieces of about the size of a passage; a few of each file, so that
		// many packages take part.
		pieces := strings.SplitAfterN(string(content), "\n\n", 12)
		for i, piece := range pieces[1:] {
			switch {
			case len(piece) < 200 || len(piece) > 3000:
			case i == 5:
				asked = append(asked, strings.Join(strings.SplitN(piece, "\n", 3)[:2], " "))
			case i < 5:
				entries = append(entries, entry(path, i, embed.Vector{}))
				texts = append(texts, embed.Compose(path, &document.Span{Label: fmt.Sprintf("F%d", i)}, []byte(piece)))
			}
		}
		return nil
	}))
	if len(entries) < n || len(asked) < queries {
		t.Fatalf("Go's source has %d passages and %d queries: it is not whole", len(entries), len(asked))
	}
	entries, texts = spread(entries, n), spread(texts, n)
	vectors, errs := model.EmbedDocuments(t.Context(), texts)
	var out []store.VectorEntry
	for i := range vectors {
		must(t, errs[i])
		if !vectors[i].IsZero() {
			entries[i].Vector = vectors[i]
			out = append(out, entries[i])
		}
	}
	var questions []embed.Vector
	for _, text := range spread(asked, queries) {
		v, err := model.EmbedQuery(t.Context(), text)
		must(t, err)
		if !v.IsZero() {
			questions = append(questions, v)
		}
	}
	return out, questions
}

// spread takes n of a list, evenly.
func spread[E any](list []E, n int) []E {
	out := make([]E, n)
	for i := range out {
		out[i] = list[i*len(list)/n]
	}
	return out
}
