//go:build servers

package weaviate_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/storetest"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

const prefix = "test"

func TestMain(m *testing.M) { os.Exit(servers.Run(m)) }

func TestConformance(t *testing.T) {
	url := servers.WeaviateURL(t)
	storetest.Vector(t, func(t testing.TB, dir string) store.Vector {
		return open(t, weaviate.Config{Timeout: time.Minute, URL: url, Name: dir, Dims: storetest.Dims})
	})
}

// open opens a store; it is closed when the test ends.
func open(t testing.TB, cfg weaviate.Config) *weaviate.Store {
	t.Helper()
	cfg.Prefix = prefix
	s, err := weaviate.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// created opens a new store on a shared server, and drops it when the test ends.
func created(t testing.TB, dims int) (*weaviate.Store, weaviate.Config) {
	t.Helper()
	cfg := weaviate.Config{Timeout: time.Minute, URL: servers.WeaviateURL(t), Name: t.TempDir(), Dims: dims}
	return create(t, cfg), cfg
}

func create(t testing.TB, cfg weaviate.Config) *weaviate.Store {
	t.Helper()
	s := open(t, cfg)
	must(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 1}))
	t.Cleanup(func() { call(t, http.MethodDelete, cfg.URL+"/v1/schema/"+class(cfg), "") })
	return s
}

func class(cfg weaviate.Config) string { return weaviate.ClassName(prefix, cfg.Name) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// call does by hand what somebody might do to the server, and returns the
// answer.
func call(t testing.TB, method, url, body string) string {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	must(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	must(t, err)
	if response.StatusCode >= 300 {
		t.Fatalf("%s %s gives %s: %s", method, url, response.Status, answer)
	}
	return string(answer)
}

// entry makes chunk n of a document.
func entry(path document.Path, n int, v embed.Vector) store.VectorEntry {
	return store.VectorEntry{
		ID: document.NewChunkID("s", path, "", n, 1),
		Attrs: store.Attrs{
			Source: "s", Doc: document.DocOf(path), Path: path,
			Language: "go", Kind: document.KindFunction, Symbol: fmt.Sprintf("F%d", n),
		},
		Vector: v,
	}
}

// put applies entries and expects each to be done.
func put(t testing.TB, s store.Vector, entries ...store.VectorEntry) {
	t.Helper()
	result, err := s.Apply(t.Context(), store.VectorBatch{Put: entries})
	must(t, err)
	for _, err := range result.Put {
		must(t, err)
	}
	must(t, s.Refresh(t.Context()))
}

// listed counts what IDs brings.
func listed(t testing.TB, s store.Vector, scope store.Scope) map[document.ChunkID]bool {
	t.Helper()
	out := make(map[document.ChunkID]bool)
	for ref, err := range s.IDs(t.Context(), scope) {
		must(t, err)
		if out[ref.ID] {
			t.Fatalf("%s is listed twice", ref.ID)
		}
		out[ref.ID] = true
	}
	return out
}
