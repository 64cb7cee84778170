package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// BucketLeases is the key-value bucket of the leases: what was given to whom, without
// its text. A lease that nobody extends ends after LeaseTime.
const (
	BucketLeases = "freshet_leases"
	LeaseTime    = 24 * time.Hour
)

// LeaseNew stands in a request for a lease that is to be opened.
const LeaseNew = "new"

// MostLeased is how many passages a lease holds; of more the oldest leave it.
const MostLeased = 1000

// Lease is the value of a key of BucketLeases; the key is the lease's id.
type Lease struct {
	// Owner is who opened it, where they see only a part of what is indexed: it is
	// nobody else's then.
	Owner    string          `json:"owner,omitempty"`
	Token    document.Token  `json:"token"` // of the newest answer that extended it
	Passages []LeasedPassage `json:"passages"`
	// Forgotten counts passages of sources that were removed since the last answer:
	// nothing else of them is kept.
	Forgotten int `json:"forgotten,omitempty"`
}

// LeasedPassage is a text that was given, by its place and hash.
type LeasedPassage struct {
	Source    document.Source `json:"source"`
	View      document.View   `json:"view"`
	Path      document.Path   `json:"path"`
	StartLine int             `json:"start_line"`
	EndLine   int             `json:"end_line"`
	Column    int             `json:"column,omitempty"` // bytes of the first line before it
	Size      int             `json:"size"`             // bytes
	Breaks    int             `json:"breaks,omitempty"` // line breaks in it
	Hash      document.Hash   `json:"hash"`             // of its bytes
	// Version is the newest of the document in which it is known to stand there.
	Version document.Version `json:"version"`
}

// What can have become of a passage.
const (
	LeaseChanged = "changed" // its text stands nowhere in the document any more
	LeaseMoved   = "moved"   // its text stands at other lines
	LeaseGone    = "gone"    // the document has no text any more
)

// LeaseCheck is the body of a request on freshet.lease.check.
type LeaseCheck struct {
	Lease string `json:"lease" limit:"64"`
	// Settle takes what is told out of the lease, as an answer with the lease does;
	// else it is told again.
	Settle bool `json:"settle,omitempty"`
	// Token asks for an answer at least as fresh; without one it is of what the log
	// had accepted when the request arrived.
	Token      string `json:"token,omitempty" limit:"64"`
	DeadlineMS int    `json:"deadline_ms,omitempty"`
}

// LeaseNews is what an answer says of a lease.
type LeaseNews struct {
	Lease   string `json:"lease"`   // its id, for the next request
	Holds   int    `json:"holds"`   // passages
	Seconds int    `json:"seconds"` // until it ends, unless it is extended
	// Changes are the passages that are no longer what was given, each told once by
	// an answer that carries the lease.
	Changes []LeaseChange `json:"changes,omitempty"`
	// Forgotten counts passages of sources that were removed.
	Forgotten int `json:"forgotten,omitempty"`
	// Dropped counts passages that left the lease because it holds no more.
	Dropped int `json:"dropped,omitempty"`
	// Unchecked counts passages whose document could not be read; they are looked at
	// by the next answer.
	Unchecked int            `json:"unchecked,omitempty"`
	Token     document.Token `json:"token"` // up to which changes are told
}

// LeaseChange is what has become of a passage.
type LeaseChange struct {
	What      string          `json:"what"` // changed, moved or gone
	Source    document.Source `json:"source"`
	View      document.View   `json:"view"`
	Path      document.Path   `json:"path"`
	StartLine int             `json:"start_line"` // as it was given
	EndLine   int             `json:"end_line"`
	// NowStart and NowEnd are its lines now, where it moved.
	NowStart int              `json:"now_start,omitempty"`
	NowEnd   int              `json:"now_end,omitempty"`
	Version  document.Version `json:"version,omitempty"` // in which that was seen
}
