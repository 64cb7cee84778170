package shrink_test

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/freshet-dev/freshet/pkg/shrink"
)

func TestShrinkingMap_HoldsWhatAMapHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var m shrink.Map[int, int]
	want := map[int]int{}
	for i := range 200_000 {
		// It grows, and then ebbs away.
		k := random.IntN(5000)
		if random.IntN(200_000) > i {
			m.Set(k, i)
			want[k] = i
		} else {
			m.Delete(k)
			delete(want, k)
		}
		if i%5000 != 0 {
			continue
		}
		n := 0
		for k, v := range m.All() {
			n++
			if want[k] != v {
				t.Fatalf("%d is %d, want %d", k, v, want[k])
			}
		}
		if n != len(want) || m.Len() != n {
			t.Fatalf("%d entries of %d, want %d", n, m.Len(), len(want))
		}
	}
	for k := range 5000 {
		got, ok := m.Get(k)
		if v, there := want[k]; ok != there || got != v {
			t.Errorf("%d is %d (%v), want %d (%v)", k, got, ok, v, there)
		}
	}
}

func TestMapThatWasEmptied_GivesItsMemoryBack(t *testing.T) {
	const entries = 200_000
	var m shrink.Map[int, [8]int]
	before := heap()
	for i := range entries {
		m.Set(i, [8]int{i})
	}
	full := heap() - before
	for i := range entries - 10 {
		m.Delete(i)
	}
	if left := heap() - before; left > full/20 {
		t.Errorf("10 of %d entries take %d bytes, and all of them %d", entries, left, full)
	}
	runtime.KeepAlive(&m)
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
