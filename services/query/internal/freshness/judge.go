package freshness

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// maxSteps bounds the versions that are told apart for one document.
const maxSteps = 16

// unsettled is a document in a view that a sink does not show in its newest
// version.
type unsettled struct {
	head  contract.FileHead
	cover [2]document.Version // settled up to, by sink in the order of document.Sinks
	// steps are the versions above the lower cover, ascending; the last one
	// may stand for several.
	steps []step
	at    int // place in the lineup, from 1
}

type step struct {
	lower, version document.Version
	several        bool // stands for more than one version
}

// oldest returns at most the oldest version that is not settled in a sink, 0
// when all are.
func (u *unsettled) oldest(sink int) document.Version {
	if u.cover[sink] >= u.head.Version {
		return 0
	}
	for _, s := range u.steps {
		if s.version > u.cover[sink] {
			return max(s.lower, u.cover[sink]+1)
		}
	}
	return u.cover[sink] + 1
}

// blocks reports whether a version up to t is not settled in some sink.
func (u *unsettled) blocks(t document.Version) bool {
	for sink := range document.Sinks {
		if o := u.oldest(sink); o != 0 && o <= t {
			return true
		}
	}
	return false
}

// add notes a version, of which lower is a careful first estimate.
func (u *unsettled) add(s step) {
	i, found := slices.BinarySearchFunc(u.steps, s, func(a, b step) int {
		switch {
		case a.version < b.version:
			return -1
		case a.version > b.version:
			return 1
		}
		return 0
	})
	switch {
	case found && !u.steps[i].several:
		u.steps[i].lower = max(u.steps[i].lower, s.lower)
	case found:
	case len(u.steps) < maxSteps:
		u.steps = slices.Insert(u.steps, i, s)
	case i == len(u.steps):
		u.steps[i-1].version, u.steps[i-1].several = s.version, true
	}
}

// judge looks at one document in one view. The caller holds x.mu; the tables
// are read one by one, and whatever changes after a look comes as an event.
func (x *Index) judge(e *event) {
	head, ok := x.files.Get(e.key)
	if !ok || head.Op == contract.OpMarker {
		x.settle(e.key)
		return
	}
	var cover [2]document.Version
	all := true
	for i, sink := range document.Sinks {
		cover[i] = x.coverOf(&head, sink)
		all = all && cover[i] >= head.Version
	}
	if all {
		x.settle(e.key)
		return
	}
	u, ok := x.pending.Get(e.key)
	if !ok {
		u = &unsettled{}
		x.pending.Set(e.key, u)
	}
	u.head, u.cover = head, cover
	x.lineup.put(u)
	low := min(cover[0], cover[1])
	u.steps = slices.DeleteFunc(u.steps, func(s step) bool { return s.version <= low })
	if e.kind == newVersion && e.version > low {
		u.add(step{lower: e.lower, version: e.version})
	}
	if n := len(u.steps); n == 0 || u.steps[n-1].version < head.Version && e.kind != newVersion {
		// The version is known from the table before its own event came,
		// which will raise this estimate; or nothing is known of it.
		u.add(step{lower: 1, version: head.Version})
	}
	x.waiting.tell(e.key, u)
}

func (x *Index) settle(k bus.FileKey) {
	if u, ok := x.pending.Get(k); ok {
		x.lineup.remove(u)
		x.pending.Delete(k)
	}
	x.waiting.tell(k, nil)
}

// coverOf returns the version up to which a sink has settled a document.
func (x *Index) coverOf(head *contract.FileHead, sink document.Sink) document.Version {
	if head.Op != contract.OpPut {
		return x.coverOfAbsence(head, sink)
	}
	g, ok := x.stores.Generation(head.Collection)
	if !ok {
		return head.Version // its collection is not searched at all
	}
	cover := document.Version(0)
	key := bus.OutputKey{Generation: g, Sink: sink, Source: head.Source, Doc: head.Doc}
	if out, ok := x.indexed.Get(key); ok && x.holdings.hold(key, &out) {
		cover = out.Covers.At(head.View).Version
	}
	return max(cover, x.deadVersion(head, sink))
}

// coverOfAbsence is coverOf for a deleted or skipped document: it is settled
// where no sink shows an older content of this view, in whatever generation
// that was.
func (x *Index) coverOfAbsence(head *contract.FileHead, sink document.Sink) document.Version {
	cover := head.Version
	for _, g := range x.stores.Generations() {
		key := bus.OutputKey{Generation: g, Sink: sink, Source: head.Source, Doc: head.Doc}
		out, ok := x.indexed.Get(key)
		if !ok || !x.holdings.hold(key, &out) {
			continue
		}
		if c, ok := out.Covers.Find(head.View); ok && c.Hash != "" && c.Version < cover {
			cover = c.Version
		}
	}
	if cover < head.Version {
		cover = max(cover, x.deadVersion(head, sink))
	}
	return cover
}

// stagesOf are the stages that a document passes on its way into a sink.
var stagesOf = map[document.Sink][]contract.Stage{
	document.Lexical: {contract.StageChunker, contract.StageLexical},
	document.Vector:  {contract.StageChunker, contract.StageEmbed, contract.StageVector},
}

// deadVersion returns the newest version that a stage gave up on, 0 for none.
func (x *Index) deadVersion(head *contract.FileHead, sink document.Sink) document.Version {
	var v document.Version
	for _, stage := range stagesOf[sink] {
		if d, ok := x.dead.Get(bus.DeadKey{Stage: stage, Source: head.Source, Doc: head.Doc, Build: x.stores.DeadLetters(stage, head.Collection)}); ok {
			v = max(v, d.Covers.At(head.View).Version)
		}
	}
	return v
}
