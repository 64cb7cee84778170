//go:build servers

package weaviate_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store"
)

func TestMark_IsNeitherCountedNorFound(t *testing.T) {
	s, _ := created(t, 4)
	e := entry("a.go", 0, axis(0))
	put(t, s, e)
	if n, err := s.Count(t.Context()); err != nil || n != 1 {
		t.Errorf("Count is %d, %v", n, err)
	}
	if ids := listed(t, s, store.Scope{}); len(ids) != 1 || !ids[e.ID] {
		t.Errorf("IDs lists %v", ids)
	}
	hits, err := s.Search(t.Context(), axis(1), store.Filter{}, 10)
	if err != nil || len(hits) != 1 || hits[0].ID != e.ID {
		t.Errorf("a search finds %+v, %v", hits, err)
	}
}

func TestLostMark_IsToldNoMore(t *testing.T) {
	s, cfg := created(t, 4)
	want := store.Mark{ID: "one", Position: 1<<64 - 1}
	must(t, s.SetMark(t.Context(), want))
	if m, err := s.Mark(t.Context()); err != nil || m != want {
		t.Fatalf("the mark is %+v, %v", m, err)
	}
	const id = "00000000-0000-4000-8000-000000000001"
	object := cfg.URL + "/v1/objects/" + class(cfg) + "/" + id
	call(t, http.MethodPut, object, fmt.Sprintf(`{"class":%q,"id":%q,"properties":{"store":"one","position":"12.5"}}`, class(cfg), id))
	if m, err := s.Mark(t.Context()); err != nil || m != (store.Mark{}) {
		t.Fatalf("a mark that was changed by hand is %+v, %v", m, err)
	}
	must(t, s.SetMark(t.Context(), want))
	call(t, http.MethodDelete, object, "")
	if m, err := s.Mark(t.Context()); err != nil || m != (store.Mark{}) {
		t.Fatalf("a deleted mark is %+v, %v", m, err)
	}
}
