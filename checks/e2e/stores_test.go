package e2e

import (
	"path/filepath"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/open"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// dims is the length of the bundled model's vectors.
func dims(t *testing.T) int {
	t.Helper()
	space, err := open.Space(config.Default().Embedder)
	if err != nil {
		t.Fatal(err)
	}
	return space.Dims
}

// storesEqualLog opens the stores and the log of a state folder that nobody
// uses and compares, id by id, what each store holds with what INDEXED lists.
// It returns the number of ids.
func storesEqualLog(t *testing.T, data string) int {
	t.Helper()
	listed := listing(t, data)
	generations, err := filepath.Glob(filepath.Join(data, "stores", "*"))
	if err != nil || len(generations) == 0 {
		t.Fatalf("no stores below %s: %v", data, err)
	}
	total := 0
	for _, dir := range generations {
		generation := document.Generation(filepath.Base(dir))
		lexicalDirs, err := filepath.Glob(filepath.Join(dir, string(document.Lexical)+"*"))
		if err != nil || len(lexicalDirs) != 1 {
			t.Fatalf("lexical stores of %s: %v, %v", generation, lexicalDirs, err)
		}
		lexical, err := postings.Open(lexicalDirs[0], postings.Options{})
		if err != nil {
			t.Fatal(err)
		}
		vector, err := flat.Open(filepath.Join(dir, string(document.Vector)), dims(t), flat.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for sink, st := range map[document.Sink]store.Store{document.Lexical: lexical, document.Vector: vector} {
			want := listed[storeKey{generation, sink}]
			held := map[document.ChunkID]bool{}
			for ref, err := range st.IDs(t.Context(), store.Scope{}) {
				if err != nil {
					t.Fatal(err)
				}
				held[ref.ID] = true
				if path, ok := want[ref.ID]; !ok {
					t.Errorf("the %s store of %s holds %s of doc %s, which INDEXED does not list", sink, generation, ref.ID, ref.Doc)
				} else if document.DocOf(path) != ref.Doc {
					t.Errorf("the %s store of %s holds %s for doc %s, INDEXED lists it for %s", sink, generation, ref.ID, ref.Doc, path)
				}
			}
			for id, path := range want {
				if !held[id] {
					t.Errorf("the %s store of %s lacks %s of %s, which INDEXED lists", sink, generation, id, path)
				}
			}
			total += len(held)
			if err := st.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	return total
}

type storeKey struct {
	generation document.Generation
	sink       document.Sink
}

// listing reads every body of INDEXED.
func listing(t *testing.T, data string) map[storeKey]map[document.ChunkID]document.Path {
	t.Helper()
	server, err := embedded.Start(embedded.Config{Dir: filepath.Join(data, "log"), Port: embedded.NoListen})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Shutdown(); err != nil {
			t.Error(err)
		}
	}()
	b, err := server.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	table := b.Outputs(contract.StreamIndexed)
	if err := table.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	var heads []contract.OutputHead
	table.Range(func(_ bus.OutputKey, h contract.OutputHead) bool {
		heads = append(heads, h)
		return true
	})
	out := map[storeKey]map[document.ChunkID]document.Path{}
	for _, h := range heads {
		m, err := b.Get(t.Context(), contract.StreamIndexed, h.Seq)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := m.Body(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var body contract.IndexedBody
		if _, err := contract.SplitBody(m.Header, raw, &body); err != nil {
			t.Fatal(err)
		}
		key := storeKey{h.Generation, h.Sink}
		if out[key] == nil {
			out[key] = map[document.ChunkID]document.Path{}
		}
		for _, id := range body.IDs {
			out[key][id] = h.Path
		}
	}
	return out
}
