//go:build servers && control

package weaviate_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers/proxy"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

func TestKeyAndCertificate_AreUsed(t *testing.T) {
	server := servers.OwnWeaviate(t, servers.WeaviateKeys("all", "some")...)
	front := proxy.Weaviate(t, server.URL())
	good := weaviate.Config{Timeout: time.Minute, URL: front.URL, CA: front.CA, APIKey: "all", Name: "x", Dims: 4}
	stored := entry("a.go", 0, axis(0))
	s := open(t, good)
	must(t, s.SetMark(t.Context(), store.Mark{ID: "x"}))
	put(t, s, stored)
	with := func(change func(*weaviate.Config)) *weaviate.Store {
		cfg := good
		change(&cfg)
		return open(t, cfg)
	}
	for name, c := range map[string]struct {
		store *weaviate.Store
		kind  document.ErrorKind
		says  string
	}{
		"no key":         {with(func(c *weaviate.Config) { c.APIKey = "" }), document.Unauthorized, "asks for an API key"},
		"wrong key":      {with(func(c *weaviate.Config) { c.APIKey = "guess" }), document.Unauthorized, "does not accept the API key"},
		"no certificate": {with(func(c *weaviate.Config) { c.CA = nil }), document.Unavailable, "not trusted"},
		"http":           {with(func(c *weaviate.Config) { c.URL = "http" + front.URL[len("https"):] }), document.VersionMismatch, "not Weaviate"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, err := range uses(t, c.store) {
				oneSentence(t, err, c.kind, c.says)
			}
			_, err := c.store.Mark(t.Context())
			oneSentence(t, err, c.kind, c.says)
		})
	}
	t.Run("key that may only read", func(t *testing.T) {
		reader := with(func(c *weaviate.Config) { c.APIKey = "some" })
		if m, err := reader.Mark(t.Context()); err != nil || m.ID != "x" {
			t.Fatalf("the mark is %+v, %v", m, err)
		}
		if hits, err := reader.Search(t.Context(), axis(0), store.Filter{}, 1); err != nil || len(hits) != 1 {
			t.Fatalf("%d hits, %v", len(hits), err)
		}
		oneSentence(t, reader.SetMark(t.Context(), store.Mark{ID: "y"}), document.Forbidden, "write objects", "reader")
		_, err := reader.Apply(t.Context(), store.VectorBatch{Delete: []document.ChunkID{stored.ID}})
		oneSentence(t, err, document.Forbidden, "delete objects")
		elsewhere := with(func(c *weaviate.Config) { c.APIKey, c.Name = "some", "y" })
		oneSentence(t, elsewhere.SetMark(t.Context(), store.Mark{ID: "y"}), document.Forbidden, "create class")
	})
}

func TestRefreshedVector_FindsItself(t *testing.T) {
	server := servers.OwnWeaviate(t, "ASYNC_INDEXING=true")
	const dims = 64
	s := create(t, weaviate.Config{Timeout: time.Minute, URL: server.URL(), Name: "x", Dims: dims})
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		var batch store.VectorBatch
		for i := range 400 {
			v := embed.Vector{Scale: 0.001, Data: make([]int8, dims)}
			for j := range v.Data {
				v.Data[j] = int8(r.IntN(256) - 128)
			}
			batch.Put = append(batch.Put, entry("a.go", round*400+i, v))
		}
		put(t, s, batch.Put...)
		answer := call(t, "GET", server.URL()+"/v1/nodes/"+weaviate.ClassName(prefix, "x")+"?output=verbose", "")
		if want := `"vectorQueueLength":0`; !strings.Contains(answer, want) {
			t.Fatalf("round %d: after a refresh the server says %s", round, answer)
		}
		for _, e := range batch.Put[:20] {
			hits, err := s.Search(t.Context(), e.Vector, store.Filter{}, 1)
			if err != nil || len(hits) != 1 || hits[0].ID != e.ID {
				t.Fatalf("round %d: a vector finds %+v instead of itself, %v", round, hits, err)
			}
		}
	}
}

func TestServerThatGivesFewerResults_IsRefused(t *testing.T) {
	server := servers.OwnWeaviate(t, "QUERY_MAXIMUM_RESULTS=5000")
	s := open(t, weaviate.Config{Timeout: time.Minute, URL: server.URL(), Name: "x", Dims: 4})
	oneSentence(t, s.SetMark(t.Context(), store.Mark{ID: "x"}), document.Unavailable, "QUERY_MAXIMUM_RESULTS", "10000")
}
