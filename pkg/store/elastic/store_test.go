//go:build servers

package elastic_test

import (
	"fmt"
	"hash/fnv"
	"os"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/elastic"
	"github.com/freshet-dev/freshet/pkg/store/storetest"
)

// config is that of the store that stands for dir.
func config(t testing.TB, dir string) elastic.Config {
	t.Helper()
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir)) // never fails
	return elastic.Config{URLs: []string{os.Getenv("ELASTIC_URL")}, Prefix: "test", Name: fmt.Sprintf("%d-%x", os.Getpid(), h.Sum64())}
}

func open(t testing.TB, dir string) *elastic.Store {
	t.Helper()
	s, err := elastic.New(config(t, dir))
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

func TestConformance(t *testing.T) {
	storetest.Lexical(t, func(t testing.TB, dir string) store.Lexical { return open(t, dir) })
}
