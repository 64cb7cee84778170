package query

import (
	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// seenOf is what a sight sees of a document: the newest versions of those views that are
// not hidden. What stages wrote is of several views and versions at once, and may be told
// as far as these are seen.
type seenOf struct {
	bus    *bus.Bus
	sight  *access.Sight
	source document.Source
	doc    document.DocID
}

func (s *engine) seenOf(sight *access.Sight, source document.Source, doc document.DocID) seenOf {
	return seenOf{s.bus, sight, source, doc}
}

// version reports whether a version is seen. From whom an earlier one was hidden is not
// known any more.
func (s seenOf) version(view document.View, v document.Version) bool {
	if s.sight == nil {
		return true
	}
	h, ok := s.bus.Files().Get(bus.FileKey{Source: s.source, Doc: s.doc, View: view})
	return ok && h.Version == v && bus.Head(s.sight, &h)
}

// all reports whether each version is seen that something is of.
func (s seenOf) all(covers contract.Covers) bool {
	for view, c := range covers.All() {
		if !s.version(view, c.Version) {
			return false
		}
	}
	return true
}

// texts reports whether each version is seen whose passages something counts: a view in
// which the document is gone has none.
func (s seenOf) texts(covers contract.Covers) bool {
	for view, c := range covers.All() {
		if c.Hash != "" && !s.version(view, c.Version) {
			return false
		}
	}
	return true
}

// gaveUp is told instead of a reason that may be of a version that is hidden.
const gaveUp = "the stage gave up on it"

// letter reduces a dead letter to the versions that are seen; ok is false where there is
// none. A letter has one reason for all its versions, so beside a hidden one it is not
// told, nor how often and when the stage failed.
func (s seenOf) letter(d contract.DeadHead) (told contract.DeadHead, ok bool) {
	if s.sight == nil || s.all(d.Covers) {
		return d, true
	}
	var covers contract.Covers
	for view, c := range d.Covers.All() {
		if !s.version(view, c.Version) {
			continue
		}
		covers = covers.With(view, c)
		if h, there := s.bus.Files().Get(bus.FileKey{Source: s.source, Doc: s.doc, View: view}); there && h.Time.After(told.Time) {
			told.Time = h.Time
		}
	}
	told.Stage, told.Source, told.Doc, told.Build, told.Path = d.Stage, d.Source, d.Doc, d.Build, d.Path
	told.Covers, told.State, told.Cleared, told.Reason, told.Attempts = covers, d.State, d.Cleared, gaveUp, 1
	return told, covers.Len() > 0
}
