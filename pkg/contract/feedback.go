package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// FeedbackKind says what somebody did with hits.
type FeedbackKind string

// The kinds of feedback.
const (
	FeedbackShown  FeedbackKind = "shown"  // the hits were on a screen
	FeedbackOpened FeedbackKind = "opened" // somebody looked at them
	FeedbackUp     FeedbackKind = "up"     // they are what was asked for
	FeedbackDown   FeedbackKind = "down"   // they are not
)

// FeedbackKinds lists them, from the weakest to the strongest.
var FeedbackKinds = []FeedbackKind{FeedbackShown, FeedbackOpened, FeedbackUp, FeedbackDown}

// Feedback is the body of a request on freshet.feedback, and of a message of
// the stream FEEDBACK: what somebody did with hits of one answer.
type Feedback struct {
	Kind FeedbackKind `json:"kind"`
	// Query is the question as it was asked.
	Query string        `json:"query" limit:"16384"`
	Hits  []FeedbackHit `json:"hits" limit:"100"`
	// Token is that of the answer.
	Token document.Token `json:"token"`
	// Session and By are whatever the client tells visits and people apart by.
	Session string `json:"session,omitempty" limit:"256"`
	By      string `json:"by,omitempty" limit:"256"`
	// Owner is the principal that sent it where there are rules of access. The service
	// sets it.
	Owner string `json:"owner,omitempty" limit:"256"`
}

// FeedbackHit is a hit as the client saw it.
type FeedbackHit struct {
	Source document.Source `json:"source"`
	Path   document.Path   `json:"path"`
	// StartLine and EndLine count from 1, both included; 0 and 0 stand for the
	// whole document.
	StartLine int `json:"start_line,omitempty"`
	EndLine   int `json:"end_line,omitempty"`
	// ID is that of the passage, zero where the answer had none for it.
	ID document.ChunkID `json:"id,omitzero"`
	// Rank is its place in the answer from 1, 0 for what was not in it.
	Rank int `json:"rank,omitempty"`
}

// About names what f is about: the same hits of the same answer to the same
// visitor, whatever was done with them. It can stand in a subject.
func (f Feedback) About() (string, error) {
	f.Kind = ""
	text, err := json.Marshal(f)
	if err != nil {
		return "", fmt.Errorf("encode an event: %w", err)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16]), nil
}

// FeedbackReply says where the log keeps an event.
type FeedbackReply struct {
	Seq uint64 `json:"seq"` // in FEEDBACK
	// Repeated is true where the last event about the same hits was this one
	// already, so that nothing was written.
	Repeated bool `json:"repeated,omitempty"`
}

// FeedbackListRequest is the body of a request on freshet.feedback.list.
type FeedbackListRequest struct {
	Limit int    `json:"limit,omitempty"` // 1 to 1,000; default 1,000
	After uint64 `json:"after,omitempty"` // the next of the reply before
}

// FeedbackListReply is the answer, the oldest event first.
type FeedbackListReply struct {
	Events []FeedbackEvent `json:"events"`
	// Next asks for the next page; 0 at the last one.
	Next uint64 `json:"next,omitempty"`
}

// FeedbackEvent is feedback that the log keeps.
type FeedbackEvent struct {
	Feedback
	Seq  uint64    `json:"seq"`
	Time time.Time `json:"time"` // when it was kept
}

// FeedbackPurgeReply is the answer on freshet.feedback.purge.
type FeedbackPurgeReply struct {
	Removed uint64 `json:"removed"`
}
