//go:build memory

package e2e

import (
	"math"
	"runtime"
	"slices"
	"strings"
)

// owners names who holds memory by a part of the name of a function: the first
// row of which any function of an allocation has the part. Types of generic
// functions are a part of their names.
var owners = []struct{ part, owner string }{
	{"nats-server/v2/server.getMsgBlockBuf", "server: blocks that it has in memory for 10 s"},
	{"server.(*msgBlock)", "server: subjects of blocks that it wrote or read, for 2 min"},
	{"stree.(*SubjectTree[", "server: subjects of streams"},
	{"nats-server/v2/server.(*consumer)", "server: consumers"},
	{"nats-server/v2/", "server: the rest"},
	{"bus.(*commons)", "heads: what they have in common"},
	{"bus.(*fileHeads)", "heads: of FILES"},
	{"bus.(*plainHeads", "heads: of DEAD"},
	{"bus.(*outputHeads)", "heads: of CHUNKS, VECTORS and INDEXED"},
	{"nats-io/nats%2ego", "client of the server"},
	{"nats-io/nats.go", "client of the server"},
	{"freshet/services/query", "query"},
	{"freshet/services/watcher", "watcher"},
	{"freshet/services/chunker", "chunker"},
	{"freshet/services/embedder", "embedder"},
	{"freshet/services/indexer", "indexer"},
	{"freshet/pkg/store", "stores"},
	{"freshet/pkg/embed", "embedding model"},
	{"freshet/pkg/bus", "log: the rest"},
}

// heapByOwner says who holds how many bytes of the living heap. It is an estimate by
// samples: of what is smaller than a few times runtime.MemProfileRate it tells little.
func heapByOwner() map[string]int64 {
	n, _ := runtime.MemProfile(nil, false)
	records := make([]runtime.MemProfileRecord, n+1000)
	n, ok := runtime.MemProfile(records, false)
	if !ok {
		return nil
	}
	by := map[string]int64{}
	for _, r := range records[:n] {
		by[ownerOf(&r)] += inUse(&r)
	}
	return by
}

// inUse scales the samples of a record to what they stand for, as pprof does:
// records of a profile that was read directly hold what was sampled alone.
func inUse(r *runtime.MemProfileRecord) int64 {
	objects, bytes := r.InUseObjects(), r.InUseBytes()
	if objects == 0 || bytes == 0 {
		return 0
	}
	size := float64(bytes) / float64(objects)
	return int64(float64(bytes) / (1 - math.Exp(-size/float64(runtime.MemProfileRate))))
}

func ownerOf(r *runtime.MemProfileRecord) string {
	var functions []string
	frames := runtime.CallersFrames(r.Stack())
	for {
		f, more := frames.Next()
		functions = append(functions, f.Function)
		if !more {
			break
		}
	}
	for _, o := range owners {
		if slices.ContainsFunc(functions, func(f string) bool { return strings.Contains(f, o.part) }) {
			return o.owner
		}
	}
	return "others"
}
