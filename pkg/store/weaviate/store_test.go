//go:build servers

package weaviate_test

import (
	"context"
	"os"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/storetest"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

func open(t testing.TB, name string, dims int) *weaviate.Store {
	t.Helper()
	s, err := weaviate.New(weaviate.Config{URL: os.Getenv("WEAVIATE_URL"), Prefix: "test", Name: name, Dims: dims})
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
	_ = context.Background
	storetest.Vector(t, func(t testing.TB, dir string) store.Vector { return open(t, dir, storetest.Dims) })
}
