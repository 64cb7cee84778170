package static

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
)

type goldenText struct {
	Text string    `json:"text"`
	IDs  []int32   `json:"ids"`
	Int8 []float64 `json:"int8"`
}

func readGolden(t *testing.T, name string) []goldenText {
	t.Helper()
	raw, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var texts []goldenText
	if err := json.Unmarshal(raw, &texts); err != nil {
		t.Fatal(err)
	}
	if len(texts) == 0 {
		t.Fatalf("%s holds no texts", name)
	}
	return texts
}

func newEmbedder(t testing.TB) *Embedder {
	t.Helper()
	e, err := Bundled().Embedder()
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// ids returns the tokens of text.
func (e *Embedder) idsOf(text string) []int32 {
	return e.tokens.append(nil, prepare(nil, text))
}

func TestVector_IsThatOfTheTrainedModel(t *testing.T) {
	e := newEmbedder(t)
	for _, g := range readGolden(t, "golden.json") {
		if ids := e.idsOf(g.Text); !slices.Equal(ids, g.IDs) {
			t.Errorf("%q: ids %v, want %v", g.Text, ids, g.IDs)
			continue
		}
		s := e.scratch.Get().(*scratch)
		s.ids = append(s.ids[:0], g.IDs...)
		if e.pool(s) != (len(g.IDs) > 0) {
			t.Errorf("%q: has a direction: %v", g.Text, len(g.IDs) == 0)
		}
		for i, want := range g.Int8 {
			if len(g.IDs) > 0 && math.Abs(s.unit[i]-want) > 2e-6 {
				t.Errorf("%q: dimension %d is %.7f, want %.7f", g.Text, i, s.unit[i], want)
			}
		}
		e.scratch.Put(s)
	}
}
