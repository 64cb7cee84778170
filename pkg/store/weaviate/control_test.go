//go:build servers && control

package weaviate_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers/proxy"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

func TestKeyOrCertificateIsLeftOut(t *testing.T) {
	server := servers.OwnWeaviate(t, servers.WeaviateKeys("all", "some")...)
	front := proxy.Weaviate(t, server.URL())
	good := weaviate.Config{URL: front.URL, CA: front.CA, APIKey: "all", Name: "x", Dims: 4}
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

func TestAnsweredBeforeItIsIndexed(t *testing.T) {
	server := servers.OwnWeaviate(t, "ASYNC_INDEXING=true")
	const dims = 64
	s := create(t, weaviate.Config{URL: server.URL(), Name: "x", Dims: dims})
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

func TestServerGivesFewerResults(t *testing.T) {
	server := servers.OwnWeaviate(t, "QUERY_MAXIMUM_RESULTS=5000")
	s := open(t, weaviate.Config{URL: server.URL(), Name: "x", Dims: 4})
	oneSentence(t, s.SetMark(t.Context(), store.Mark{ID: "x"}), document.Unavailable, "QUERY_MAXIMUM_RESULTS", "10000")
}

func TestOutageOutlivesItself(t *testing.T) {
	server := servers.OwnWeaviate(t)
	cfg := weaviate.Config{URL: server.URL(), Name: "x", Dims: 4}
	s := open(t, cfg)
	must(t, s.SetMark(t.Context(), store.Mark{ID: "one", Position: 1}))
	put(t, s, entry("a.go", 0, axis(0)))
	for i, end := range []func() error{func() error { return server.Stop(t.Context()) }, server.Kill} {
		must(t, end())
		for _, err := range uses(t, s) {
			oneSentence(t, err, document.Unavailable, cfg.URL, "does not answer")
		}
		_, err := s.Mark(t.Context())
		oneSentence(t, err, document.Unavailable, cfg.URL, "does not answer")
		must(t, server.Start(t.Context()))
		put(t, s, entry("a.go", i+1, axis(1)))
		if m, err := s.Mark(t.Context()); err != nil || m.ID != "one" {
			t.Fatalf("the mark is %+v, %v", m, err)
		}
		if n := len(listed(t, s, store.Scope{})); n != i+2 {
			t.Fatalf("after the outage there are %d chunks, want %d", n, i+2)
		}
	}
}

func TestWipedOrOlderServerIsTakenForTheSame(t *testing.T) {
	server := servers.OwnWeaviate(t)
	copied := filepath.Join(t.TempDir(), "copy")
	s := open(t, weaviate.Config{URL: server.URL(), Name: "x", Dims: 4})
	step := func(n int) {
		t.Helper()
		put(t, s, entry("a.go", n, axis(n)))
		must(t, s.SetMark(t.Context(), store.Mark{ID: "one", Position: uint64(n)}))
	}
	is := func(want store.Mark, chunks int) {
		t.Helper()
		if m, err := s.Mark(t.Context()); err != nil || m != want {
			t.Fatalf("the mark is %+v, want %+v, %v", m, want, err)
		}
		if want.ID == "" {
			_, err := s.Apply(t.Context(), store.VectorBatch{Put: []store.VectorEntry{entry("a.go", 0, axis(0))}})
			oneSentence(t, err, document.Unavailable, "has no class")
		} else if n := len(listed(t, s, store.Scope{})); n != chunks {
			t.Fatalf("there are %d chunks, want %d", n, chunks)
		}
	}
	restart := func(change func() error) {
		t.Helper()
		must(t, server.Stop(t.Context()))
		must(t, change())
		must(t, server.Start(t.Context()))
	}
	must(t, s.SetMark(t.Context(), store.Mark{ID: "one"}))
	step(1)
	restart(func() error { return server.Copy(copied) })
	step(2)
	is(store.Mark{ID: "one", Position: 2}, 2)
	restart(func() error { return server.Restore(copied) })
	is(store.Mark{ID: "one", Position: 1}, 1)
	step(3)
	restart(server.Wipe)
	is(store.Mark{}, 0)
	must(t, s.SetMark(t.Context(), store.Mark{ID: "two"}))
	is(store.Mark{ID: "two"}, 0)
}

func TestExchangedServerIsNotCheckedAgain(t *testing.T) {
	server := servers.OwnWeaviate(t)
	cfg := weaviate.Config{URL: server.URL(), Name: "x", Dims: 4}
	s := open(t, cfg)
	must(t, s.SetMark(t.Context(), store.Mark{ID: "one"}))
	put(t, s, entry("a.go", 0, axis(0)))
	must(t, server.Stop(t.Context()))
	must(t, server.Wipe())
	must(t, server.Start(t.Context()))
	// Somebody else's class of the same name, on a server that answers.
	call(t, "POST", cfg.URL+"/v1/schema", fmt.Sprintf(`{"class":%q,"vectorizer":"none"}`, class(cfg)))
	for _, err := range uses(t, s) {
		oneSentence(t, err, document.IdentityMismatch, class(cfg), "delete the class")
	}
}
