package freshet

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// The heap is collected when it has grown by collectAt percent, but not before it has
// grown by leastGrowth bytes. Most of what a bulk load allocates dies at once: less
// than half of Go's default costs a few percent of its time and saves a third of the
// program's memory. A small index has a heap that a handful of questions fill again:
// collected at a share of it alone, a quarter of the time of an answer goes into collecting.
const (
	collectAt   = 40
	leastGrowth = 48 << 20
)

// live is the metric of the bytes that the last collection found in use.
const live = "/gc/heap/live:bytes"

// limitGarbage has the heap collected as collectAt and leastGrowth say, unless the
// user has set GOGC.
func limitGarbage() {
	if os.Getenv("GOGC") == "" {
		pace(0)
	}
}

// pace sets at which growth in percent the heap is collected, where that is not the one
// before, and looks again after the next collection.
func pace(before int) {
	now := growth(inUse())
	if now != before {
		debug.SetGCPercent(now)
	}
	// What nothing refers to is cleaned up after a collection.
	runtime.AddCleanup(new(*int), pace, now)
}

// growth is the percentage by which a heap of so many bytes in use may grow.
func growth(inUse uint64) int {
	// In steps, so that it is not set again for each byte.
	const step = 4 << 20
	return max(collectAt, int(100*leastGrowth/(inUse/step+1)/step))
}

// inUse is how many bytes the last collection found in use.
func inUse() uint64 {
	sample := []metrics.Sample{{Name: live}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
