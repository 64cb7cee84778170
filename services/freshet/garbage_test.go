package freshet

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
)

func TestASmallHeapMayGrowBySoMuch_ALargeOneByItsShare(t *testing.T) {
	for _, c := range []struct {
		inUse uint64
		least uint64 // bytes that it may grow by at least
		most  uint64
	}{
		{inUse: 6 << 20, least: leastGrowth / 2, most: leastGrowth * 3 / 2},
		{inUse: 40 << 20, least: leastGrowth * 3 / 4, most: leastGrowth},
		{inUse: 1 << 30, least: 400 << 20, most: 410 << 20},
	} {
		if grown := c.inUse * uint64(growth(c.inUse)) / 100; grown < c.least || grown > c.most {
			t.Errorf("a heap of %d MB may grow by %d MB, want between %d and %d", c.inUse>>20, grown>>20, c.least>>20, c.most>>20)
		}
	}
}

// The share follows the heap: it is looked at after each collection.
func TestAHeapThatHasGrown_IsCollectedAtItsShareAfterwards(t *testing.T) {
	before := debug.SetGCPercent(100)
	t.Cleanup(func() { debug.SetGCPercent(before) })
	t.Setenv("GOGC", "")
	limitGarbage()
	if now := percent(); now <= collectAt {
		t.Fatalf("an empty heap is collected when it has grown by %d %%, want more than %d", now, collectAt)
	}
	held := make([]byte, 256<<20)
	for percent() != collectAt {
		runtime.GC() // fails at the test's own end where it is never so
	}
	runtime.KeepAlive(held)
}

func percent() int {
	sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
