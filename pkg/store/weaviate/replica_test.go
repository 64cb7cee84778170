package weaviate_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

// Some seconds after a node was killed, a cluster of three (1.35.2) says that
// a write to ALL replicas is done by the two that are left. One test server
// has no replicas, so what the cluster answered is played back.
func TestMissingReplica_WriteIsNotTakenForDone(t *testing.T) {
	var alive atomic.Int32
	url := cluster(t, &alive)
	s, err := weaviate.New(weaviate.Config{Timeout: time.Minute, URL: url, Prefix: "test", Name: "x", Dims: 4, Replicas: 3})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := s.SetMark(t.Context(), store.Mark{ID: "x"}); err != nil {
		t.Fatal(err)
	}
	id := document.NewChunkID("s", "a.go", "", 0, 1)
	for name, batch := range map[string]store.VectorBatch{
		"put":    {Put: []store.VectorEntry{{ID: id, Vector: embed.Vector{Scale: 1, Data: []int8{1, 0, 0, 0}}}}},
		"delete": {Delete: []document.ChunkID{id}},
	} {
		alive.Store(3)
		if _, err := s.Apply(t.Context(), batch); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		alive.Store(2)
		_, err = s.Apply(t.Context(), batch)
		oneSentence(t, err, document.Unavailable, "shard jyfKsTrE1ssE", "2 of 3 replicas")
	}
}

// cluster answers as a cluster does of which some nodes are alive.
func cluster(t *testing.T, alive *atomic.Int32) string {
	class := weaviate.ClassName("test", "x")
	var definition atomic.Pointer[[]byte]
	mux := http.NewServeMux()
	answer := func(pattern, text string) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) })
	}
	answer("GET /v1/meta", metaOf("1.35.2"))
	answer("GET /v1/.well-known/ready", "")
	answer("GET /v1/nodes", `{"nodes":[{"batchStats":{"queueLength":0,"ratePerSecond":0},"name":"weaviate-0","status":"HEALTHY"}]}`)
	answer("POST /v1/graphql", fmt.Sprintf(`{"data":{"Get":{%q:[]}}}`, class))
	answer("DELETE /v1/batch/objects", `{"dryRun":false,"output":"minimal","results":{"failed":0,"limit":10000,"matches":1,"objects":null,"successful":1}}`)
	mux.HandleFunc("POST /v1/schema", func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		definition.Store(&body)
	})
	mux.HandleFunc("GET /v1/schema/"+class, func(w http.ResponseWriter, _ *http.Request) {
		if body := definition.Load(); body != nil {
			fmt.Fprintf(w, "%s", *body)
		} else {
			w.WriteHeader(http.StatusNotFound)
		}
	})
	mux.HandleFunc("POST /v1/batch/objects", func(w http.ResponseWriter, r *http.Request) {
		var body struct{ Objects []map[string]any }
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		for _, o := range body.Objects {
			o["result"] = map[string]any{"status": "SUCCESS"}
		}
		if err := json.NewEncoder(w).Encode(body.Objects); err != nil {
			t.Error(err)
		}
	})
	mux.HandleFunc("GET /v1/nodes/"+class, func(w http.ResponseWriter, _ *http.Request) {
		nodes := make([]string, alive.Load())
		for i := range nodes {
			nodes[i] = fmt.Sprintf(`{"batchStats":{"queueLength":0,"ratePerSecond":6},"name":"weaviate-%d","operationalMode":"ReadWrite",
				"shards":[{"asyncReplicationStatus":[],"class":%q,"compressed":false,"loaded":true,"name":"jyfKsTrE1ssE","numberOfReplicas":3,
				"objectCount":0,"replicationFactor":3,"vectorIndexingStatus":"READY","vectorQueueLength":0}],"status":"HEALTHY"}`, i, class)
		}
		fmt.Fprintf(w, `{"nodes":[%s]}`, strings.Join(nodes, ","))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
