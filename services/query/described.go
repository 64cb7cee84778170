package query

import (
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// mostDescribed is how many paths the stores are asked for in place of the metadata
// that they do not know.
const mostDescribed = 256

// findDescribed looks for what the metadata of the filter lets through. Where that is
// little, the stores are asked for its paths, so that they give nothing else: one that
// comes meanwhile is newer than the question. A key that no document has is told.
func (q *question) findDescribed() {
	if !q.scope.AsksMetadata() || q.nothing {
		return
	}
	paths, known := map[string]bool{}, map[string]bool{}
	q.service.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		if h.Op != contract.OpPut && h.Op != contract.OpSkipped || !bus.Head(q.sight, &h) {
			return true
		}
		for key := range q.scope.Metadata {
			known[key] = known[key] || h.Metadata.Has(key)
		}
		if len(paths) <= mostDescribed && q.inScope(&h) {
			paths[string(h.Path)] = true
		}
		return true
	})
	for _, key := range slices.Sorted(maps.Keys(q.scope.Metadata)) {
		if !known[key] {
			q.degrade("metadata: no document has the key %s", key)
		}
	}
	if len(paths) > 0 && len(paths) <= mostDescribed {
		q.few = slices.Sorted(maps.Keys(paths))
	}
}
