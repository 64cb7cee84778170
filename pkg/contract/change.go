package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Change is a message on freshet.changes.<source>.<view>: a version that the
// log has taken, told after its PubAck. It is core NATS: who does not listen
// misses it, and loses nothing but the news.
type Change struct {
	Source document.Source `json:"source"`
	View   document.View   `json:"view"`
	// Path is empty for a marker, which says that the view is in the log as a
	// comparison found it: its token covers all of Commit.
	Path       document.Path       `json:"path,omitempty"`
	Op         Op                  `json:"op"`
	Version    document.Version    `json:"version"`
	Token      document.Token      `json:"token"`
	Collection document.Collection `json:"collection,omitempty"`
	Metadata   document.Metadata   `json:"metadata,omitempty"`  // of a put or skipped; of a delete the roles alone
	Size       int64               `json:"size,omitempty"`      // bytes of a put or skipped
	Reason     string              `json:"reason,omitempty"`    // of skipped
	Commit     string              `json:"commit,omitempty"`    // git commit, if any
	Documents  int                 `json:"documents,omitempty"` // of a marker: with content in the view
	Time       time.Time           `json:"time"`
	// Access are the texts of the rules that stand in the source, once there are rules of
	// access: who sees the document has to be shown it by each.
	Access []string `json:"access,omitempty"`
}

// ChangeOf returns the message about a head; token is that of its version.
func ChangeOf(h FileHead, token document.Token) Change {
	return Change{
		Source: h.Source, View: h.View, Path: h.Path, Op: h.Op, Version: h.Version, Token: token,
		Collection: h.Collection, Metadata: h.Metadata.Metadata(), Size: h.Size, Reason: h.Reason, Commit: h.Commit, Documents: h.Count, Time: h.Time,
	}
}

// AllChanges are the subjects on which all changes are told.
const AllChanges = "freshet.changes.*.*"

// ChangeSubject is the core NATS subject on which the changes of a view are
// told.
func ChangeSubject(s document.Source, v document.View) string {
	return "freshet.changes." + string(s) + "." + EncodeView(v)
}
