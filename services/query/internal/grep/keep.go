package grep

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
)

// keep are the documents that match or were not searched. The lines of those that
// are too far behind to be listed are let go, so that its memory is bounded by what
// an answer holds, and by the number of documents.
type keep struct {
	items       map[bus.FileKey]*item
	limit, room int // lines and bytes of an answer

	lines, bytes int   // of the items
	end          *item // lines of what comes behind are not kept; nil: all are
}

// slack is how many answers are kept before what is too much is let go.
const slack = 4

func (k *keep) wants(it *item) bool { return k.end == nil || inOrder(it, k.end) <= 0 }

func (k *keep) add(it *item) {
	if !k.wants(it) {
		it.lines = nil
	}
	k.items[it.key] = it
	k.lines += len(it.lines)
	k.bytes += it.bytes
	if k.bytes > slack*k.room || k.lines > slack*maxLimit {
		k.prune()
	}
}

// matches are the documents with a match, in order.
func (k *keep) matches() []*item { return k.list(func(it *item) bool { return it.reason == "" }) }

// unsearched are the documents that were not searched, in order.
func (k *keep) unsearched() []*item { return k.list(func(it *item) bool { return it.reason != "" }) }

func (k *keep) list(is func(*item) bool) (out []*item) {
	for _, it := range k.items {
		if is(it) {
			out = append(out, it)
		}
	}
	slices.SortFunc(out, inOrder)
	return out
}

// prune lets the lines go that are behind one answer.
func (k *keep) prune() {
	k.lines, k.bytes = 0, 0
	matching := 0
	for _, it := range k.matches() {
		if matching > k.limit || k.bytes > k.room {
			it.lines, it.bytes = nil, 0
			continue
		}
		k.lines, k.bytes = k.lines+len(it.lines), k.bytes+it.bytes
		if matching += it.count; matching > k.limit || k.bytes > k.room {
			k.end = it
		}
	}
}
