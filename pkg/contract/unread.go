package contract

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/document"
)

// MaxUnread is how many documents of an Unread are named.
const MaxUnread = 20

// Unread are documents that are there and cannot be read, so that nobody knows
// what they hold.
type Unread struct {
	Count int `json:"count"`
	// First are at most MaxUnread of them.
	First []UnreadDocument `json:"first"`
}

// UnreadDocument is a document that cannot be read, and why.
type UnreadDocument struct {
	Source document.Source `json:"source"`
	Path   document.Path   `json:"path"`
	Reason string          `json:"reason"`
}

// And returns the documents of both, as far as there is room to name them.
// Either may be nil; neither is changed.
func (u *Unread) And(more *Unread) *Unread {
	if u == nil {
		return more
	}
	if more == nil {
		return u
	}
	sum := &Unread{Count: u.Count + more.Count, First: slices.Concat(u.First, more.First)}
	sum.First = sum.First[:min(len(sum.First), MaxUnread)]
	return sum
}
