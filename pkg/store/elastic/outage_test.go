//go:build servers && control

package elastic_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/elastic"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
)

// own is a store on a server of the test's own, with one passage and a mark.
func own(t *testing.T) (*elastic.Store, *servers.Server) {
	t.Helper()
	server := servers.OwnElasticsearch(t)
	s := openWith(t, elastic.Config{Timeout: time.Minute, URLs: []string{server.URL()}, Prefix: "freshet", Name: "own"})
	check(t, s.SetMark(t.Context(), store.Mark{ID: "first"}))
	fill(t, s, []store.LexicalEntry{passage(0)})
	check(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 1}))
	return s, server
}

func apply(t *testing.T, s *elastic.Store, entries ...store.LexicalEntry) {
	t.Helper()
	result, err := s.Apply(t.Context(), store.LexicalBatch{Put: entries})
	check(t, err)
	for _, err := range result.Put {
		check(t, err)
	}
}

// holding expects a number of chunks.
func holding(t *testing.T, s *elastic.Store, want int) {
	t.Helper()
	check(t, s.Refresh(t.Context()))
	if n, err := s.Count(t.Context()); err != nil || n != want {
		t.Fatalf("%d chunks, %v, want %d", n, err, want)
	}
}

func TestAnOutageEnds_TheSameStoreGoesOn(t *testing.T) {
	s, server := own(t)
	check(t, server.Stop(t.Context()))
	for range 2 {
		for _, err := range everyCall(t.Context(), s) {
			says(t, err, document.Unavailable, server.URL(), "cannot be reached")
		}
		_, err := s.Mark(t.Context())
		says(t, err, document.Unavailable, server.URL(), "cannot be reached")
		says(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 2}), document.Unavailable, server.URL())
	}
	check(t, server.Start(t.Context()))
	marked(t, s, store.Mark{ID: "first", Position: 1})
	for call, err := range everyCall(t.Context(), s) {
		if err != nil {
			t.Errorf("%s after the outage: %v", call, err)
		}
	}
	check(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 2}))
	holding(t, s, 2)
}

func TestAKilledServer_KeepsWhatItAcknowledged(t *testing.T) {
	s, server := own(t)
	apply(t, s, passage(1), passage(2)) // neither refreshed nor flushed
	check(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 3}))
	apply(t, s, passage(3))
	check(t, server.Kill())
	check(t, server.Start(t.Context()))
	again := openWith(t, elastic.Config{Timeout: time.Minute, URLs: []string{server.URL()}, Prefix: "freshet", Name: "own"})
	marked(t, again, store.Mark{ID: "first", Position: 3})
	holding(t, again, 4)
}

func TestAWipedServer_IsNotTakenForTheOldOne(t *testing.T) {
	s, server := own(t)
	check(t, server.Stop(t.Context()))
	check(t, server.Wipe())
	check(t, server.Start(t.Context()))
	// Nobody asked meanwhile: this is the first that the store hears of it.
	_, err := s.Apply(t.Context(), store.LexicalBatch{Put: []store.LexicalEntry{passage(1)}})
	says(t, err, document.Unavailable, "freshet-own", "the indexer creates it")
	says(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 2}), document.Unavailable, "freshet-own")
	marked(t, s, store.Mark{})
	check(t, s.SetMark(t.Context(), store.Mark{ID: "second"}))
	holding(t, s, 0)
}

func TestAServerPutBackUnseen_IsNotTakenForComplete(t *testing.T) {
	s, server := own(t)
	older := filepath.Join(t.TempDir(), "older")
	check(t, server.Stop(t.Context()))
	check(t, server.Copy(older))
	check(t, server.Start(t.Context()))
	_, err := s.Mark(t.Context())
	says(t, err, document.Unavailable, "freshet-own", "read the mark")
	marked(t, s, store.Mark{ID: "first", Position: 1})
	apply(t, s, passage(1))
	check(t, server.Stop(t.Context()))
	check(t, server.Restore(older))
	check(t, server.Start(t.Context()))
	apply(t, s, passage(2)) // which the server does not know from what it should hold
	for range 2 {
		says(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 3}), document.Unavailable, "freshet-own", "read the mark")
	}
	marked(t, s, store.Mark{ID: "first", Position: 1})
	apply(t, s, passage(1), passage(2))
	check(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 3}))
	holding(t, s, 3)
}

func TestAnOlderMark_IsNotTakenForTheNewest(t *testing.T) {
	s, server := own(t)
	older := filepath.Join(t.TempDir(), "older")
	check(t, server.Stop(t.Context()))
	check(t, server.Copy(older))
	check(t, server.Start(t.Context()))
	_, err := s.Mark(t.Context())
	says(t, err, document.Unavailable, "freshet-own", "read the mark")
	check(t, s.SetMark(t.Context(), store.Mark{ID: "first", Position: 2}))
	check(t, server.Stop(t.Context()))
	check(t, server.Restore(older))
	check(t, server.Start(t.Context()))
	marked(t, s, store.Mark{ID: "first", Position: 1})
}
