//go:build servers && control

package weaviate_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

func TestOutageEnds_TheStoreGoesOn(t *testing.T) {
	server := servers.OwnWeaviate(t)
	cfg := weaviate.Config{Timeout: time.Minute, URL: server.URL(), Name: "x", Dims: 4}
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

// A killed server keeps what it was told; its graph is behind by the last
// batch, and stays so when it is told the same again.
func TestKillAfterAWrite_LosesNoVectors(t *testing.T) {
	server := servers.OwnWeaviate(t)
	for _, shards := range []int{1, 3} {
		t.Run(fmt.Sprintf("%d shards", shards), func(t *testing.T) {
			cfg := weaviate.Config{Timeout: time.Minute, URL: server.URL(), Name: fmt.Sprint("x", shards), Dims: 4}
			s := create(t, cfg)
			if shards > 1 {
				err := remake(t, s, cfg, func(c map[string]any) { c["shardingConfig"] = map[string]any{"desiredCount": shards} })
				must(t, err)
			}
			var entries []store.VectorEntry
			for i := range 60 {
				entries = append(entries, entry("a.go", i, axis(i%4)))
			}
			kill := func() {
				t.Helper()
				must(t, server.Kill())
				must(t, server.Start(t.Context()))
			}
			finds := func(when string, want int) {
				t.Helper()
				hits, err := s.Search(t.Context(), axis(0), store.Filter{}, 100)
				must(t, err)
				if n := len(listed(t, s, store.Scope{})); len(hits) != want || n != want {
					t.Fatalf("%s: a search finds %d of %d, IDs lists %d", when, len(hits), want, n)
				}
			}
			put(t, s, entries[:20]...)
			kill()
			finds("killed after a refresh", 20)
			if _, err := s.Apply(t.Context(), store.VectorBatch{Put: entries[20:]}); err != nil {
				t.Fatal(err)
			}
			kill()
			put(t, s, entries...)
			finds("applied again after it was killed without a refresh", 60)
			kill()
			finds("killed again", 60)
		})
	}
}

// A server that starts answers for seconds before it knows what it holds.
func TestStartingServer_IsNotTakenForWiped(t *testing.T) {
	server := servers.OwnWeaviate(t)
	s := open(t, weaviate.Config{Timeout: time.Minute, URL: server.URL(), Name: "x", Dims: 4})
	want := store.Mark{ID: "one", Position: 1}
	must(t, s.SetMark(t.Context(), want))
	put(t, s, entry("a.go", 0, axis(0)))
	for _, look := range []func() error{
		func() error {
			m, err := s.Mark(t.Context())
			if err == nil && m != want {
				t.Errorf("the mark is %+v", m)
			}
			return err
		},
		func() error {
			hits, err := s.Search(t.Context(), axis(0), store.Filter{}, 5)
			if err == nil && len(hits) != 1 {
				t.Errorf("a search finds %+v", hits)
			}
			return err
		},
		func() error {
			n, err := s.Count(t.Context())
			if err == nil && n != 1 {
				t.Errorf("the store holds %d", n)
			}
			return err
		},
	} {
		must(t, server.Kill())
		started := make(chan error, 1)
		go func() { started <- server.Start(t.Context()) }()
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for starting := true; starting; {
			if err := look(); err != nil {
				oneSentence(t, err, document.Unavailable, server.URL())
			}
			select {
			case err := <-started:
				must(t, err)
				starting = false
			case <-tick.C:
			}
		}
		must(t, look())
	}
}

func TestWipedOrOlderServer_IsNotTakenForTheSame(t *testing.T) {
	server := servers.OwnWeaviate(t)
	copied := filepath.Join(t.TempDir(), "copy")
	s := open(t, weaviate.Config{Timeout: time.Minute, URL: server.URL(), Name: "x", Dims: 4})
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

func TestExchangedServer_IsCheckedAgain(t *testing.T) {
	server := servers.OwnWeaviate(t)
	cfg := weaviate.Config{Timeout: time.Minute, URL: server.URL(), Name: "x", Dims: 4}
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
