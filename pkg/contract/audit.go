package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// MostAudited is how many documents an entry names; of more it has the number.
const MostAudited = 200

// AuditEntry is the body of a message of the stream AUDIT: who asked what and saw which
// documents. It has no text of a document and no path: where a document is gone from the
// log, nothing tells its name any more.
type AuditEntry struct {
	// Who is the name of the principal; "" where nobody said who asks.
	Who  string `json:"who"`
	Role Role   `json:"role,omitempty"`
	// Subject is that of the request, or of what was told.
	Subject string `json:"subject"`
	// Question is the query or the pattern as it was asked, cut at 4,096 bytes.
	Question string `json:"question,omitempty"`
	// Documents are those of which the answer shows something, each once.
	Documents []AuditedDocument `json:"documents,omitempty"`
	More      int               `json:"more,omitempty"` // documents that are not listed
	// Refused is the kind of the error where there was no answer.
	Refused document.ErrorKind `json:"refused,omitempty"`
}

// AuditedDocument is a document that somebody saw.
type AuditedDocument struct {
	Source  document.Source  `json:"source"`
	Doc     document.DocID   `json:"doc"`
	Version document.Version `json:"version,omitempty"`
	// Path is where it is, as far as the log has it still; only in a list.
	Path document.Path `json:"path,omitempty"`
}

// AuditListRequest is the body of a request on freshet.audit.list.
type AuditListRequest struct {
	Limit int    `json:"limit,omitempty"` // 1 to 1,000; default 1,000
	After uint64 `json:"after,omitempty"` // the next of the reply before
	// Who leaves the entries of all others out.
	Who string `json:"who,omitempty" limit:"256"`
}

// AuditListReply is the answer, the oldest entry first.
type AuditListReply struct {
	Entries []AuditListed `json:"entries"`
	// Next asks for the next page; 0 at the last one.
	Next uint64 `json:"next,omitempty"`
}

// AuditListed is an entry that the log keeps.
type AuditListed struct {
	AuditEntry
	Seq  uint64    `json:"seq"`  // in AUDIT
	Time time.Time `json:"time"` // when it was kept
}
