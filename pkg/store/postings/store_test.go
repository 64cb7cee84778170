package postings_test

import (
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/postings"
	"github.com/freshet-dev/freshet/pkg/store/storetest"
)

// open takes snapshots all the time, so that they meet everything else.
func open(t testing.TB, dir string) *postings.Store {
	t.Helper()
	s, err := postings.Open(dir, postings.Options{SnapshotEvery: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.SnapshotErr(); err != nil {
			t.Errorf("a snapshot failed: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestConformance(t *testing.T) {
	storetest.Lexical(t, func(t testing.TB, dir string) store.Lexical { return open(t, dir) })
}
