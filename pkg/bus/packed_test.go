package bus

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Two streams whose heads have much in common, changed at the same time.
func TestPackedHeadSaysSomethingElse(t *testing.T) {
	t.Parallel()
	var all commons
	var streams sync.WaitGroup
	for seed := range uint64(2) {
		streams.Go(func() { changeHeads(t, seed, &outputHeads{common: &all}) })
	}
	streams.Wait()
	if n := all.by.Len(); n > 0 {
		t.Errorf("of no heads %d things in common are kept", n)
	}
}

func changeHeads(t *testing.T, seed uint64, packed *outputHeads) {
	random := rand.New(rand.NewPCG(seed, 7))
	want := map[OutputKey]contract.OutputHead{}
	for i := range 20_000 {
		n := random.IntN(40)
		path := document.Path(fmt.Sprintf("folder/file_%d", n))
		k := OutputKey{Generation: "docs-12345678", Sink: document.Sinks[random.IntN(2)], Source: document.Source(fmt.Sprint("s", n%3)), Doc: document.DocOf(path)}
		if random.IntN(3) == 0 {
			packed.Delete(k)
			delete(want, k)
			continue
		}
		// What two heads of one version cover may differ: of one, a view is missing.
		version := document.Version(100*n + random.IntN(3))
		covers := contract.Covers{}
		for _, view := range []document.View{"main", "next"}[:random.IntN(3)] {
			covers[view] = contract.Cover{Version: version, Hash: document.HashOf(fmt.Append(nil, version))}
		}
		h := contract.OutputHead{
			Generation: k.Generation, Sink: k.Sink, Source: k.Source, Doc: k.Doc, Seq: uint64(i), Path: path,
			Covers: covers, Store: []string{"", "0123456789abcdef"}[n%2], Count: random.IntN(100), Live: n%5 == 0,
		}
		key, kept := packed.Set(k, h)
		want[k] = h
		if key != k || !reflect.DeepEqual(kept, h) {
			t.Fatalf("%+v is kept as %+v", h, kept)
		}
		if got, ok := packed.Get(k); !ok || !reflect.DeepEqual(got, h) {
			t.Fatalf("%+v is %+v (%v)", h, got, ok)
		}
	}
	got := map[OutputKey]contract.OutputHead{}
	for k, h := range packed.All() {
		got[k] = h
	}
	if !reflect.DeepEqual(got, want) || packed.Len() != len(want) {
		t.Errorf("%d heads, want %d, or others", packed.Len(), len(want))
	}
	if h, ok := packed.Get(OutputKey{Generation: "code-12345678"}); ok {
		t.Errorf("what was never there is %+v", h)
	}
	for k := range want {
		packed.Delete(k)
	}
}
