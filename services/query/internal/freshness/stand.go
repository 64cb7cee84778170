package freshness

import (
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Stand says how far a version of a document with content has come, as the tables
// have it now: it may be further than when the head was read, never less far. Of
// one that a stage gave up on, letter is the failure.
func (x *Index) Stand(head *contract.FileHead) (stand contract.FileStand, letter contract.DeadHead) {
	stand = contract.FileSearchable
	for _, sink := range document.Sinks {
		if x.shows(head, sink) {
			continue
		}
		found, dead := x.letterOf(head, sink)
		if dead {
			return contract.FileDead, found
		}
		stand = contract.FilePending
	}
	return stand, letter
}

// shows reports whether a sink shows a version, or a newer one.
func (x *Index) shows(head *contract.FileHead, sink document.Sink) bool {
	g, ok := x.stores.Generation(head.Collection)
	if !ok {
		return false
	}
	out, ok := x.indexed.Get(bus.OutputKey{Generation: g, Sink: sink, Source: head.Source, Doc: head.Doc})
	return ok && out.Covers.At(head.View).Version >= head.Version && x.Holds(&out)
}

// letterOf returns the failure because of which a version does not come into a
// sink. One that is tried again is none.
func (x *Index) letterOf(head *contract.FileHead, sink document.Sink) (contract.DeadHead, bool) {
	for _, stage := range stagesOf[sink] {
		d, ok := x.dead.Get(bus.DeadKey{Stage: stage, Source: head.Source, Doc: head.Doc, Build: x.stores.DeadLetters(stage, head.Collection)})
		if ok && d.State != contract.LetterRetrying && d.Covers.At(head.View).Version >= head.Version {
			return d, true
		}
	}
	return contract.DeadHead{}, false
}

// Textless reports whether the log has a content of a document of which a format could
// make no text. Which one it is, the body says.
func (x *Index) Textless(head *contract.FileHead) bool {
	g, ok := x.stores.Generation(head.Collection)
	if !ok {
		return false
	}
	out, ok := x.chunks.Get(bus.OutputKey{Generation: g, Source: head.Source, Doc: head.Doc})
	return ok && out.Textless
}

// Passages returns how many passages the log has of a document, 0 where it has
// none of this version yet.
func (x *Index) Passages(head *contract.FileHead) int {
	g, ok := x.stores.Generation(head.Collection)
	if !ok {
		return 0
	}
	out, ok := x.chunks.Get(bus.OutputKey{Generation: g, Source: head.Source, Doc: head.Doc})
	if !ok || out.Covers.At(head.View).Version < head.Version {
		return 0
	}
	return out.Count
}
