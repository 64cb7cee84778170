//go:build servers

package weaviate_test

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

// uses are all ways to use a store but Mark and SetMark.
func uses(t testing.TB, s store.Vector) map[string]error {
	t.Helper()
	ctx := t.Context()
	_, apply := s.Apply(ctx, store.VectorBatch{Put: []store.VectorEntry{entry("a.go", 0, axis(0))}})
	_, remove := s.Apply(ctx, store.VectorBatch{Delete: []document.ChunkID{entry("a.go", 0, axis(0)).ID}})
	_, search := s.Search(ctx, axis(0), store.Filter{}, 3)
	_, count := s.Count(ctx)
	out := map[string]error{"Apply": apply, "delete": remove, "Search": search, "Count": count, "Refresh": s.Refresh(ctx)}
	for _, err := range s.IDs(ctx, store.Scope{}) {
		out["IDs"] = err
	}
	for _, err := range s.IDs(ctx, store.Scope{Source: "s", Doc: document.DocOf("a.go")}) {
		out["IDs of a document"] = err
	}
	return out
}

func TestStoreBeforeItIsCreated_IsUnavailable(t *testing.T) {
	cfg := weaviate.Config{Timeout: time.Minute, URL: servers.WeaviateURL(t), Name: t.TempDir(), Dims: 4}
	s := open(t, cfg)
	for name, err := range uses(t, s) {
		t.Run(name, func(t *testing.T) { oneSentence(t, err, document.Unavailable, cfg.URL, class(cfg), "indexer") })
	}
	if m, err := s.Mark(t.Context()); err != nil || m != (store.Mark{}) {
		t.Fatalf("the mark is %+v, %v", m, err)
	}
}

func TestDeletedClass_DoesNotComeBackByAWrite(t *testing.T) {
	s, cfg := created(t, 4)
	put(t, s, entry("a.go", 1, axis(1)))
	for range 3 { // each use meets a store that believes in its class
		call(t, http.MethodDelete, cfg.URL+"/v1/schema/"+class(cfg), "")
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				_, err := s.Apply(t.Context(), store.VectorBatch{Put: []store.VectorEntry{entry("a.go", 0, axis(0))}})
				oneSentence(t, err, document.Unavailable, class(cfg), "indexer")
			})
		}
		writers.Wait()
		for name, err := range uses(t, s) {
			if err == nil {
				t.Fatalf("%s works without a class", name)
			}
			oneSentence(t, err, document.Unavailable, class(cfg), "indexer")
		}
		if m, err := s.Mark(t.Context()); err != nil || m != (store.Mark{}) {
			t.Fatalf("the mark is %+v, %v", m, err)
		}
		must(t, s.SetMark(t.Context(), store.Mark{ID: "again"}))
		put(t, s, entry("a.go", 2, axis(2)))
		if n := len(listed(t, s, store.Scope{})); n != 1 {
			t.Fatalf("a new class holds %d chunks", n)
		}
	}
}

func TestDeletedClass_IsMissedByEachUseAlone(t *testing.T) {
	for name := range uses(t, open(t, weaviate.Config{Timeout: time.Minute, URL: servers.WeaviateURL(t), Name: t.TempDir(), Dims: 4})) {
		t.Run(name, func(t *testing.T) {
			s, cfg := created(t, 4)
			must(t, s.Refresh(t.Context()))
			call(t, http.MethodDelete, cfg.URL+"/v1/schema/"+class(cfg), "")
			oneSentence(t, uses(t, s)[name], document.Unavailable, class(cfg), "indexer")
		})
	}
}

func TestCreatorsAtOnce_MakeOneClass(t *testing.T) {
	cfg := weaviate.Config{Timeout: time.Minute, URL: servers.WeaviateURL(t), Name: t.TempDir(), Dims: 4}
	var creators sync.WaitGroup
	for i := range 6 {
		s := open(t, cfg)
		creators.Go(func() {
			if err := s.SetMark(t.Context(), store.Mark{ID: fmt.Sprint(i), Position: uint64(i)}); err != nil {
				t.Error(err)
			}
		})
	}
	creators.Wait()
	t.Cleanup(func() { call(t, http.MethodDelete, cfg.URL+"/v1/schema/"+class(cfg), "") })
	m, err := open(t, cfg).Mark(t.Context())
	if err != nil || m.ID != fmt.Sprint(m.Position) {
		t.Fatalf("the mark is %+v, %v", m, err)
	}
}

func TestVectorsOfAnotherLength_AreRefused(t *testing.T) {
	_, cfg := created(t, 4)
	other := cfg
	other.Dims = 5
	s := open(t, other)
	for name, err := range uses(t, s) {
		t.Run(name, func(t *testing.T) {
			oneSentence(t, err, document.IdentityMismatch, class(cfg), "4 dimensions", "makes 5", "delete the class")
		})
	}
	_, err := s.Mark(t.Context())
	oneSentence(t, err, document.IdentityMismatch, "4 dimensions")
	oneSentence(t, s.SetMark(t.Context(), store.Mark{ID: "x"}), document.IdentityMismatch, "4 dimensions")
}

// remake replaces the class of a store by one that somebody changed, and
// returns what the store says of it.
func remake(t *testing.T, s *weaviate.Store, cfg weaviate.Config, change func(class map[string]any)) error {
	t.Helper()
	url := cfg.URL + "/v1/schema/" + class(cfg)
	var definition map[string]any
	must(t, json.Unmarshal([]byte(call(t, http.MethodGet, url, "")), &definition))
	change(definition)
	call(t, http.MethodDelete, url, "")
	body, err := json.Marshal(definition)
	must(t, err)
	call(t, http.MethodPost, cfg.URL+"/v1/schema", string(body))
	_, err = s.Mark(t.Context())
	return err
}

func TestClassMadeByHand_IsRefused(t *testing.T) {
	property := func(class map[string]any, name string) map[string]any {
		for _, p := range class["properties"].([]any) {
			if p := p.(map[string]any); p["name"] == name {
				return p
			}
		}
		t.Fatalf("no property %s", name)
		return nil
	}
	for name, c := range map[string]struct {
		change func(class map[string]any)
		says   string
	}{
		"cosine":         {func(c map[string]any) { c["vectorIndexConfig"] = map[string]any{"distance": "cosine"} }, "cosine"},
		"no index":       {func(c map[string]any) { c["vectorIndexConfig"].(map[string]any)["skip"] = true }, "index"},
		"no description": {func(c map[string]any) { delete(c, "description") }, "description"},
		"tenants": {func(c map[string]any) {
			delete(c, "shardingConfig")
			c["multiTenancyConfig"] = map[string]any{"enabled": true}
		}, "tenants"},
		"another property": {
			func(c map[string]any) { c["properties"] = c["properties"].([]any)[1:] }, "lacks the property",
		},
		"words":        {func(c map[string]any) { property(c, "terms")["tokenization"] = "word" }, `"terms"`},
		"no filter":    {func(c map[string]any) { property(c, "terms")["indexFilterable"] = false }, `"terms"`},
		"another type": {func(c map[string]any) { property(c, "path")["dataType"] = []string{"text[]"} }, `"path"`},
		"vectors by name": {func(c map[string]any) {
			index := c["vectorIndexConfig"]
			for _, key := range []string{"vectorizer", "vectorIndexType", "vectorIndexConfig"} {
				delete(c, key)
			}
			c["vectorConfig"] = map[string]any{"own": map[string]any{
				"vectorizer": map[string]any{"none": map[string]any{}}, "vectorIndexType": "hnsw", "vectorIndexConfig": index,
			}}
		}, "vectorizer"},
	} {
		t.Run(name, func(t *testing.T) {
			s, cfg := created(t, 4)
			oneSentence(t, remake(t, s, cfg, c.change), document.IdentityMismatch, c.says, "delete the class")
		})
	}
	t.Run("the same", func(t *testing.T) {
		s, cfg := created(t, 4)
		must(t, remake(t, s, cfg, func(map[string]any) {}))
	})
}

func TestReadOnlyShard_IsToldAndCostsNoDocument(t *testing.T) {
	s, cfg := created(t, 4)
	url := cfg.URL + "/v1/schema/" + class(cfg) + "/shards"
	var shards []struct{ Name string }
	must(t, json.Unmarshal([]byte(call(t, http.MethodGet, url, "")), &shards))
	for _, shard := range shards {
		call(t, http.MethodPut, url+"/"+shard.Name, `{"status":"READONLY"}`)
	}
	_, err := s.Apply(t.Context(), store.VectorBatch{Put: []store.VectorEntry{entry("a.go", 0, axis(0))}})
	oneSentence(t, err, document.Unavailable, "shard", class(cfg), "read-only")
	for _, shard := range shards {
		call(t, http.MethodPut, url+"/"+shard.Name, `{"status":"READY"}`)
	}
	put(t, s, entry("a.go", 0, axis(0)))
}

func TestMoreReplicasThanNodes_AreRefused(t *testing.T) {
	cfg := weaviate.Config{Timeout: time.Minute, URL: servers.WeaviateURL(t), Name: t.TempDir(), Dims: 4, Replicas: 99}
	oneSentence(t, open(t, cfg).SetMark(t.Context(), store.Mark{ID: "x"}), document.InvalidRequest, "99 replicas", class(cfg))
}

func TestEndlessVector_LeavesItsNeighboursAlone(t *testing.T) {
	s, _ := created(t, 4)
	entries := []store.VectorEntry{entry("a.go", 0, axis(0))}
	for i, scale := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32} {
		v := axis(1)
		v.Scale = scale
		entries = append(entries, entry("a.go", i+1, v))
		_, err := s.Search(t.Context(), v, store.Filter{}, 1)
		oneSentence(t, err, document.InvalidRequest, "scale")
	}
	result, err := s.Apply(t.Context(), store.VectorBatch{Put: entries})
	must(t, err)
	must(t, result.Put[0])
	for _, err := range result.Put[1:] {
		oneSentence(t, err, document.InvalidRequest, "scale")
	}
	if ids := listed(t, s, store.Scope{}); len(ids) != 1 || !ids[entries[0].ID] {
		t.Fatalf("the store holds %v", ids)
	}
}
