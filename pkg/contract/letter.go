package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// DeadFilter narrows a choice of dead letters. Empty lists do not narrow;
// within a list any entry may match, and every list must match.
type DeadFilter struct {
	Sources []document.Source `json:"sources,omitempty" limit:"256"`
	Stages  []Stage           `json:"stages,omitempty" limit:"16"`
	// Paths are folders, files or globs, as in a search.
	Paths []string      `json:"paths,omitempty" limit:"256,65536"`
	Kinds []FailureKind `json:"kinds,omitempty" limit:"16"`
	// Past includes letters that are dismissed, and those of documents that
	// have a newer version, which is on its way.
	Past bool `json:"past,omitempty"`
}

// Narrows reports whether f leaves anything out for a reason that was named.
func (f *DeadFilter) Narrows() bool {
	return len(f.Sources)+len(f.Stages)+len(f.Paths)+len(f.Kinds) > 0
}

// DeadListRequest is the body of a request on freshet.dlq.list.
type DeadListRequest struct {
	Filter DeadFilter `json:"filter,omitzero"`
	Limit  int        `json:"limit,omitempty"`                // 1 to 1,000; default 1,000
	After  string     `json:"after,omitempty" limit:"131072"` // the next of the reply before
}

// DeadListReply is the answer, ordered by source, path and stage.
type DeadListReply struct {
	Letters []DeadLetter `json:"letters"`
	Total   int          `json:"total"` // that match, on all pages
	// Next asks for the next page; empty at the last one.
	Next string `json:"next,omitempty"`
}

// DeadLetter is the last failure of a stage on a document.
type DeadLetter struct {
	Source   document.Source `json:"source"`
	Path     document.Path   `json:"path"`
	Stage    Stage           `json:"stage"`
	State    LetterState     `json:"state"`
	Kind     FailureKind     `json:"kind,omitempty"`
	Reason   string          `json:"reason"`
	Attempts int             `json:"attempts"`
	FailedAt time.Time       `json:"failed_at,omitzero"`
	// Versions are those that the stage gave up on, by view.
	Versions map[document.View]document.Version `json:"versions"`
	// Newest is true where one of them is still the document's newest.
	Newest bool   `json:"newest"`
	Seq    uint64 `json:"seq"` // of the letter, in DEAD
}

// DeadShowRequest is the body of a request on freshet.dlq.show.
type DeadShowRequest struct {
	Filter DeadFilter `json:"filter"`
}

// DeadShowReply has at most 100 letters; More counts the others.
type DeadShowReply struct {
	Letters []DeadDetail `json:"letters"`
	More    int          `json:"more,omitempty"`
}

// DeadDetail is a letter with what stands in its body, and what the log says
// of the document now. Its reason is the whole one.
type DeadDetail struct {
	DeadLetter
	// InputSubject and InputSeq name the message that could not be handled.
	InputSubject string `json:"input_subject"`
	InputSeq     uint64 `json:"input_seq"`
	// Now are the newest versions, by view.
	Now map[document.View]document.Version `json:"now"`
}

// DeadChange is the body of a request on freshet.dlq.retry and
// freshet.dlq.drop. It changes at most 1,000 letters at a time.
type DeadChange struct {
	Filter DeadFilter `json:"filter,omitzero"`
	// All has to be set where the filter narrows nothing.
	All   bool   `json:"all,omitempty"`
	After string `json:"after,omitempty" limit:"131072"` // the next of the reply before
}

// DeadChangeReply names the letters that now are what was asked for, those
// that were so already included.
type DeadChangeReply struct {
	Letters []DeadRef `json:"letters"`
	// Next asks for the next letters; empty after the last one.
	Next string `json:"next,omitempty"`
}

// DeadRef names a letter as a change left it.
type DeadRef struct {
	Source   document.Source                    `json:"source"`
	Path     document.Path                      `json:"path"`
	Stage    Stage                              `json:"stage"`
	Versions map[document.View]document.Version `json:"versions" limit:"1000"`
	Seq      uint64                             `json:"seq"` // of the letter, in DEAD
}

// DeadOutcomeRequest is the body of a request on freshet.dlq.outcome.
type DeadOutcomeRequest struct {
	Letters []DeadRef `json:"letters" limit:"1000"` // at most 1,000
}

// DeadOutcomeReply has one outcome for each letter asked for, in order.
type DeadOutcomeReply struct {
	Outcomes []DeadOutcome `json:"outcomes"`
}

// RetryOutcome says what has become of a retry.
type RetryOutcome string

// The outcomes of a retry.
const (
	RetryWaiting   RetryOutcome = "waiting"   // for the stage
	RetryIndexing  RetryOutcome = "indexing"  // the stage did it, the later ones have not yet
	RetryDone      RetryOutcome = "done"      // nothing is left to do for the document
	RetryFailed    RetryOutcome = "failed"    // again, at this stage or at a later one
	RetryDismissed RetryOutcome = "dismissed" // dropped meanwhile
)

// RetryOutcomes lists every outcome.
var RetryOutcomes = []RetryOutcome{RetryWaiting, RetryIndexing, RetryDone, RetryFailed, RetryDismissed}

// DeadOutcome is what has become of a retry.
type DeadOutcome struct {
	Outcome RetryOutcome `json:"outcome"`
	Stage   Stage        `json:"stage,omitempty"`  // of a failure
	Reason  string       `json:"reason,omitempty"` // of a failure
}
