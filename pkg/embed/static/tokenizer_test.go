package static

import (
	"slices"
	"testing"
)

// testdata/tokens.json was written by the reference tokenizer that trained
// the model.
func TestTokenizer_CutsAsTheReference(t *testing.T) {
	e := newEmbedder(t)
	for _, g := range readGolden(t, "testdata/tokens.json") {
		if ids := e.idsOf(g.Text); !slices.Equal(ids, g.IDs) {
			t.Errorf("%q: ids %v, want %v", g.Text, ids, g.IDs)
		}
	}
}

// FuzzTokenizer checks that what one text leaves behind, or where it lies in
// memory, does not change the tokens of the next.
func FuzzTokenizer(f *testing.F) {
	f.Add("parseHTTPHeader", "Zürich 7")
	f.Add("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAb", "\xffß")
	e := newEmbedder(f)
	f.Fuzz(func(t *testing.T, a, b string) {
		want := append(e.idsOf(a), e.idsOf(b)...)
		buf := prepare([]byte("left behind by another text, and longer than both"), a+" "+b)
		if ids := e.tokens.append(nil, buf); !slices.Equal(ids, want) {
			t.Fatalf("%q and %q give %v together, %v apart", a, b, ids, want)
		}
		for _, id := range want {
			if id < 0 || int(id) >= len(e.scales) {
				t.Fatalf("%q, %q: id %d is not in the vocabulary", a, b, id)
			}
		}
	})
}
