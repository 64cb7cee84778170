package cutter

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
)

func TestMain(m *testing.M) {
	ChildOrReturn()
	m.Run()
}

func TestContent_GivesItsFunctions(t *testing.T) {
	c, err := New(config.Default().Chunker, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, why, err := c.Definitions(t.Context(), "a/b.go", []byte("package b\n\n// Run runs.\nfunc Run() {\n}\n"))
	if err != nil || why != "" || len(list) != 1 {
		t.Fatalf("%v, %q, %v", list, why, err)
	}
	if want := (Definition{Symbol: "Run", Kind: "function", Start: 4, End: 5, DocStart: 3, DocEnd: 3}); list[0] != want {
		t.Errorf("%+v, want %+v", list[0], want)
	}
	// The same child cuts passages and lists functions.
	if cut, err := c.Cut(t.Context(), "a/b.go", []byte("package b\n")); err != nil || len(cut.Spans) != 1 {
		t.Errorf("%+v, %v", cut, err)
	}
	if list, why, err := c.Definitions(t.Context(), "a.md", []byte("# A\n")); err != nil || why != "" || len(list) > 0 {
		t.Errorf("%v, %q, %v", list, why, err)
	}
}

func TestParserThatFails_GivesItsReason(t *testing.T) {
	c, err := New(config.Default().Chunker, []string{"/nonexistent/parser"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	list, why, err := c.Definitions(t.Context(), "b.go", []byte("package b\n"))
	if err != nil || len(list) > 0 || !strings.Contains(why, "start parser") {
		t.Errorf("%v, %q, %v", list, why, err)
	}
}
