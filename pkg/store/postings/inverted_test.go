package postings

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/internal/segment"
)

// rowsWith returns the rows and frequencies of a term.
func rowsWith(x *inverted, term string) map[uint32]uint32 {
	out := make(map[uint32]uint32)
	list, df := x.lookup([]byte(term))
	if df == 0 {
		return out
	}
	for p, more := openList(list, df), true; more; more = p.next() {
		out[p.row] = p.tf
	}
	return out
}

// compare compares an index with the passages that it was made of.
func compare(t *testing.T, x *inverted, passages [][]string) {
	t.Helper()
	want := make(map[string]map[uint32]uint32)
	for row, tokens := range passages {
		if x.length(uint32(row)) != len(tokens) {
			t.Fatalf("row %d has the length %d, want %d", row, x.length(uint32(row)), len(tokens))
		}
		for _, token := range tokens {
			if want[token] == nil {
				want[token] = make(map[uint32]uint32)
			}
			want[token][uint32(row)]++
		}
	}
	for term, rows := range want {
		got := rowsWith(x, term)
		if len(got) != len(rows) {
			t.Fatalf("%q is in %d rows, want %d", term, len(got), len(rows))
		}
		for row, tf := range rows {
			if got[row] != tf {
				t.Fatalf("%q is in row %d %d times, want %d", term, row, got[row], tf)
			}
		}
		for _, other := range []string{term + "\x00", term + "a", term[:len(term)-1], "\x00" + term, "\xff" + term} {
			if want[other] == nil && len(rowsWith(x, other)) > 0 {
				t.Fatalf("%q is found and was never put", other)
			}
		}
	}
	// The dictionary holds nothing else, in order.
	last, count := "", 0
	for c := x.walk(0); c.next(); count++ {
		if string(c.term) <= last || want[string(c.term)] == nil || c.df != len(want[string(c.term)]) {
			t.Fatalf("the dictionary has %q after %q, in %d rows", c.term, last, c.df)
		}
		last = string(c.term)
	}
	if count != len(want) {
		t.Fatalf("the dictionary has %d terms, want %d", count, len(want))
	}
}

func build(t *testing.T, passages [][]string) *inverted {
	t.Helper()
	tail := newTail(new(int))
	for _, tokens := range passages {
		tail.Add(tokens)
	}
	x, err := load(tail.Seal(), len(passages))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// passage makes tokens that share beginnings, some of them very long.
func passage(r *rand.Rand) []string {
	out := make([]string, r.IntN(60))
	for i := range out {
		n := r.IntN(r.IntN(300) + 1)
		out[i] = fmt.Sprintf("%s%d", strings.Repeat("pre", n%4), n)
		if n == 7 {
			out[i] = strings.Repeat("é", 127)
		}
	}
	return out
}

func TestInverted_HoldsWhatWasPut(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 300, 5000} {
		passages := make([][]string, n)
		for i := range passages {
			passages[i] = passage(r)
		}
		compare(t, build(t, passages), passages)
	}
}

func TestWordOfHighFrequency_IsHeldInFull(t *testing.T) {
	passages := make([][]string, 70_000) // gaps of three bytes
	passages[0] = slices.Repeat([]string{"x"}, 100_000)
	passages[69_999] = []string{"x", "y"}
	compare(t, build(t, passages), passages)
}

func TestMerge_EqualsBuildingAtOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var sources []segment.Source[*inverted]
		var kept [][]string
		for range 1 + r.IntN(9) {
			passages := make([][]string, r.IntN(40))
			remap := make([]uint32, len(passages))
			keep := r.Float64()
			for i := range passages {
				passages[i] = passage(r)
				remap[i] = segment.Gone
				if r.Float64() < keep {
					remap[i] = uint32(len(kept))
					kept = append(kept, passages[i])
				}
			}
			sources = append(sources, segment.Source[*inverted]{Payload: build(t, passages), Remap: remap})
		}
		sections, err := merge(t.Context(), sources, len(kept))
		if err != nil {
			t.Fatal(err)
		}
		x, err := load(sections, len(kept))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, x, kept)
	}
}

func FuzzInverted(f *testing.F) {
	f.Add("a b c|a a|", uint8(1))
	f.Add("äö ä|zz|z zz", uint8(2))
	f.Fuzz(func(t *testing.T, text string, cut uint8) {
		var passages [][]string
		for _, part := range strings.Split(text, "|") {
			tokens := strings.Fields(part)
			if slices.ContainsFunc(tokens, func(s string) bool { return len(s) > MaxToken }) {
				return
			}
			passages = append(passages, tokens)
		}
		compare(t, build(t, passages), passages)
		at := int(cut) % (len(passages) + 1)
		var sources []segment.Source[*inverted]
		row := uint32(0)
		for _, half := range [][][]string{passages[:at], passages[at:]} {
			remap := make([]uint32, len(half))
			for i := range remap {
				remap[i] = row
				row++
			}
			sources = append(sources, segment.Source[*inverted]{Payload: build(t, half), Remap: remap})
		}
		sections, err := merge(t.Context(), sources, len(passages))
		if err != nil {
			t.Fatal(err)
		}
		x, err := load(sections, len(passages))
		if err != nil {
			t.Fatal(err)
		}
		compare(t, x, passages)
	})
}
