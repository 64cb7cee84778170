package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// What a ReindexRequest asks for.
const (
	ReindexTell     = ""         // nothing is changed
	ReindexBegin    = "begin"    // the index is made once more
	ReindexRollback = "rollback" // the one before is to answer again
)

// ReindexRequest is the body of a request on freshet.build.reindex.
type ReindexRequest struct {
	Do string `json:"do,omitempty" limit:"16"`
	// Collection is the one that is made once more, and that is counted; "" is all.
	Collection document.Collection `json:"collection,omitempty" limit:"64"`
}

// ReindexReply is the answer on freshet.build.reindex: what the index is made of, how
// far the next one is, and what it takes to make one.
type ReindexReply struct {
	// Collections are those that were made again for themselves.
	Collections []document.Collection `json:"collections,omitempty"`

	Serving   BuildID   `json:"serving"`    // answers are made of it
	Again     int       `json:"again"`      // how often all of it was made again
	Since     time.Time `json:"since"`      // when that began
	Documents int       `json:"documents"`  // in the log
	TextBytes int64     `json:"text_bytes"` // of them
	Passages  int       `json:"passages"`   // in what answers
	// Vectors are the passages that keep theirs where the index is made again: those
	// that have one.
	Vectors int `json:"vectors"`
	// Seconds is what the last one took that was made for these documents; 0 where
	// none was.
	Seconds float64 `json:"seconds,omitempty"`
	// Next is the one that is made, "" for none; of its documents Pending are not
	// searchable in it yet.
	Next    BuildID `json:"next,omitempty"`
	Pending int     `json:"pending,omitempty"`
	// Begun is when that was asked for; nil where nobody has asked for it.
	Begun *time.Time `json:"begun,omitempty"`
	// Former is what a rollback would have answer; "" where there is nothing to go
	// back to.
	Former BuildID `json:"former,omitempty"`
}
