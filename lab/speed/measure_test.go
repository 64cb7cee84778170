package speed

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func TestQuantile_IsOfTheSample(t *testing.T) {
	ms := func(n ...int) []time.Duration {
		var out []time.Duration
		for _, v := range n {
			out = append(out, time.Duration(v)*time.Millisecond)
		}
		return out
	}
	var hundred []int
	for i := range 100 {
		hundred = append(hundred, 100-i)
	}
	for _, c := range []struct {
		delays []time.Duration
		want   Spread
	}{
		{nil, Spread{}},
		{ms(7), Spread{N: 1, P50: 7, P99: 7, Max: 7}},
		{ms(3, 1), Spread{N: 2, P50: 1, P99: 3, Max: 3}},
		{ms(5, 1, 3), Spread{N: 3, P50: 3, P99: 5, Max: 5}},
		{ms(hundred...), Spread{N: 100, P50: 50, P99: 99, Max: 100}},
	} {
		if got := spreadOf(c.delays, 0); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.delays, got, c.want)
		}
	}
}

func TestPartsOfTheState_AreCountedWhereTheyBelong(t *testing.T) {
	for rel, want := range map[string]string{
		"log/jetstream/$G/streams/FILES/msgs/1.blk":              "FILES",
		"log/jetstream/$G/streams/FILES/meta.inf":                "FILES",
		"log/jetstream/$G/streams/FILES/obs/chunker/o.dat":       "consumers",
		"log/jetstream/$G/streams/OBJ_freshet_bodies/msgs/1.blk": "claim check and buckets",
		"stores/code-1/lexical-033c2269/MANIFEST":                "lexical store",
		"stores/code-1/vector/000000000001.seg":                  "vector store",
		"format":                                                 "other",
	} {
		if got := diskPart(rel); got != want {
			t.Errorf("%s counts as %q, want %q", rel, got, want)
		}
	}
}

func TestCopiedTree_HoldsTextAlone(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	text := slices.Repeat([]byte("a line of text\n"), 10)
	for name, content := range map[string][]byte{
		"a/one.go": text, "b/two.go": text, "c/three.go": text,
		"a/image.bin": append([]byte{0}, text...), "a/empty.go": nil, ".git/config": text,
		"a/huge.txt": slices.Repeat(text, 1000),
	} {
		name = filepath.Join(from, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := copyTree(from, to, 2)
	if err != nil || !slices.Equal(got, []string{filepath.FromSlash("a/one.go"), filepath.FromSlash("b/two.go")}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, rel := range got {
		if content, err := os.ReadFile(filepath.Join(to, rel)); err != nil || !slices.Equal(content, text) {
			t.Errorf("%s: %v", rel, err)
		}
	}
	if all, err := copyTree(from, to, 0); err != nil || len(all) != 6 {
		t.Errorf("all but the repository's own files: %v, %v", all, err)
	}
}
