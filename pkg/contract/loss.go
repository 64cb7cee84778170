package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// LossKind says what was lost.
type LossKind string

// What the log holds and nothing else does, so that it cannot be made again.
const (
	LossDocument LossKind = "document" // a version that was put by request
	LossSource   LossKind = "source"   // an entry of the list of sources
	LossModel    LossKind = "model"    // what was trained
	LossFeedback LossKind = "feedback" // an event
	LossAudit    LossKind = "audit"    // an entry of the audit log
	LossKey      LossKind = "key"      // a key by which somebody is let in
	LossGolden   LossKind = "golden"   // a golden question, or what was found by them
	LossLetter   LossKind = "letter"   // a dead letter, which may have been dismissed
	LossRecord   LossKind = "record"   // the list of what was lost before
)

// LossKinds lists the kinds.
var LossKinds = []LossKind{LossDocument, LossSource, LossModel, LossFeedback, LossAudit, LossKey, LossGolden, LossLetter, LossRecord}

// Loss is one thing that the log has lost and that cannot be made again. Until
// somebody accepts it, no comparison ends as equal.
type Loss struct {
	What LossKind `json:"what"`
	// Source, View and Path tell which document, as far as that is known.
	Source document.Source `json:"source,omitempty"`
	View   document.View   `json:"view,omitempty"`
	Path   document.Path   `json:"path,omitempty"`
	// Name tells which one of the others, or which document where its path is
	// not known; empty where there may be any number of them.
	Name  string    `json:"name,omitempty"`
	Found time.Time `json:"found"`
}

// LossList is the reply on freshet.log.losses, and on freshet.log.accept: what
// was accepted.
type LossList struct {
	Losses []Loss `json:"losses"`
}
