package origin

import (
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/watcher/internal/classify"
	"github.com/freshet-dev/freshet/services/watcher/internal/scan"
)

// Outcome says what a comparison with an empty log would make of a path.
type Outcome string

// The outcomes.
const (
	Indexed Outcome = "indexed" // a document with content
	Skipped Outcome = "skipped" // a document without, for a reason that the log keeps
	Ignored Outcome = "ignored" // left out by a rule; the log knows nothing of it
)

// Entry is one path of a source.
type Entry struct {
	// Path is that of a file, or of a Folder that is left out as a whole.
	Path       document.Path
	Folder     bool
	Outcome    Outcome
	Collection document.Collection // "" for what is ignored
	// Reason is the one that the log would have, or the rule with the file and
	// line that it stands in; "" for Indexed.
	Reason string
	Files  int // 1, or how many lie below a folder
	Bytes  int64
	// Content is that of an indexed document. It belongs to the visit.
	Content []byte
}

// entryOf returns the entry of a finding; ok is false where there is none.
func entryOf(f scan.Finding) (e Entry, ok bool) {
	e = Entry{Path: f.Path, Collection: f.Collection, Reason: string(f.Reason), Files: 1, Bytes: f.Size}
	switch f.Kind {
	case scan.Put:
		e.Outcome, e.Content = Indexed, f.Content
	case scan.Skip:
		e.Outcome = Skipped
		if f.Reason == classify.Submodule {
			e.Bytes = 0 // its files are not this source's
		}
	case scan.Unstable:
		e.Outcome, e.Reason = Skipped, "it kept changing while it was read"
	case scan.Gone:
		e.Outcome, e.Collection = Ignored, ""
		return e, f.Reason != "" // else nothing is there
	default:
		return e, false // a directory: what is in it comes by itself
	}
	return e, true
}
