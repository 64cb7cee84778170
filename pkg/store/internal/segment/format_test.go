package segment

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

func TestBits_AgreeWithASet(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, rows := range []int{1, 64, 4095, 4096, 4097, 20_000} {
		var b *Bits
		set := make(map[uint32]bool)
		var versions []*Bits
		var counts []int
		for range 30 {
			var more []uint32
			for range r.IntN(rows/10 + 2) {
				more = append(more, uint32(r.IntN(rows)))
			}
			versions, counts = append(versions, b), append(counts, b.Count())
			b = b.With(more...)
			for _, row := range more {
				set[row] = true
			}
		}
		var want []uint32
		for row := range uint32(rows) {
			if b.Has(row) != set[row] {
				t.Fatalf("row %d: %v", row, b.Has(row))
			}
			if set[row] {
				want = append(want, row)
			}
		}
		if got := slices.Collect(b.All()); !slices.Equal(got, want) || b.Count() != len(want) {
			t.Fatalf("%d rows, want %d", len(got), len(want))
		}
		for i, v := range versions { // earlier ones did not change
			n := 0
			for range v.All() {
				n++
			}
			if n != counts[i] || v.Count() != counts[i] {
				t.Fatalf("version %d has %d rows and had %d", i, n, counts[i])
			}
		}
		back, err := decodeBits(b.encode(), rows)
		if err != nil || !slices.Equal(slices.Collect(back.All()), want) {
			t.Fatalf("decoded otherwise: %v", err)
		}
	}
}

func FuzzDecodeBits(f *testing.F) {
	f.Add([]byte{0, 1, 2}, uint16(10))
	f.Add([]byte{255, 255, 255, 255, 255, 255, 255, 255, 255, 1}, uint16(10))
	f.Fuzz(func(t *testing.T, data []byte, rows uint16) {
		b, err := decodeBits(data, int(rows))
		if err != nil {
			return
		}
		for row := range b.All() {
			if row >= uint32(rows) {
				t.Fatalf("row %d of %d", row, rows)
			}
		}
		again, err := decodeBits(b.encode(), int(rows))
		if err != nil || again.Count() != b.Count() {
			t.Fatalf("encoded otherwise: %v", err)
		}
	})
}

func FuzzDecodeManifest(f *testing.F) {
	m := &manifest{Kind: "lexical", ID: "x", Position: 3, Segments: []manifestEntry{{File: "a", Rows: 2, Dead: []byte{1}}}}
	data, err := m.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(manifestMagic))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeManifest(data)
		if err != nil {
			return
		}
		again, err := m.encode()
		if err != nil {
			t.Fatal(err)
		}
		if back, err := decodeManifest(again); err != nil || !reflect.DeepEqual(m, back) {
			t.Fatalf("%+v became %+v, %v", m, back, err)
		}
	})
}

func FuzzLoadRows(f *testing.F) {
	b := newRowBuilder()
	for i := range 5 {
		b.add(document.ChunkID{byte(i)}, store.Attrs{Source: "s", Path: "p", Kind: "k", Symbol: string(rune('a' + i))})
	}
	f.Add(joinSections(b.sections()))
	f.Add(joinSections(nil))
	f.Fuzz(func(t *testing.T, blob []byte) {
		sections, err := splitSections(blob)
		if err != nil {
			return
		}
		if joined, err := splitSections(joinSections(sections)); err != nil || !slices.EqualFunc(joined, sections, bytes.Equal) {
			t.Fatalf("the sections came back otherwise: %v", err)
		}
		r, err := loadRows(sections)
		if err != nil {
			return
		}
		filter := store.Filter{Dirs: []string{"p"}, Kinds: []string{"k"}}
		m := NewMatcher(r, filter)
		for row := range uint32(r.Len()) { // nothing may panic
			r.Attrs(row)
			m.Match(row)
			if _, ok := r.Find(r.ID(row)); !ok {
				t.Fatalf("row %d is not found", row)
			}
		}
	})
}

func TestTopK_KeepsTheBest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := newRowBuilder()
	const n = 500
	for i := range n {
		var id document.ChunkID
		for j := range id {
			id[j] = byte(r.IntN(256))
		}
		b.add(id, store.Attrs{Source: document.Source(rune('s' + i%2)), Path: document.Path(rune('a' + i%7)), Symbol: string(rune('a' + i%26))})
	}
	rows, err := loadRows(b.sections())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []int{1, 2, 10, n - 1, n, n + 1, 1 << 40} {
		one, halves := NewTopK(k), []*TopK{NewTopK(k), NewTopK(k)}
		var all []store.Hit
		for row := range uint32(n) {
			score := float64(r.IntN(20)) // many ties
			all = append(all, store.Hit{ID: rows.ID(row), Score: score, Attrs: rows.Attrs(row)})
			if one.Wants(score) {
				one.Offer(score, rows, row)
			}
			halves[row%2].Offer(score, rows, row)
		}
		slices.SortFunc(all, func(a, b store.Hit) int { return a.Compare(&b) })
		halves[0].Take(halves[1])
		for _, hits := range [][]store.Hit{one.Hits(), halves[0].Hits()} {
			if len(hits) != min(k, n) {
				t.Fatalf("k = %d: %d hits", k, len(hits))
			}
			for i, h := range hits {
				if h != all[i] {
					t.Fatalf("k = %d: hit %d is %v", k, i, h)
				}
			}
		}
	}
}
