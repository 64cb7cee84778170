package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// PassagesRequest is the body of a request on freshet.query.passages: what documents
// are cut into, in the state that the log has now. Whoever wants all of them lists the
// documents first, and asks for those of the list, some at a time.
type PassagesRequest struct {
	Documents []PassagesOf `json:"documents" limit:"256"`
	// Token asks for an answer at least as fresh, and has it wait for passages that are
	// being made, until the deadline.
	Token      string `json:"token,omitempty" limit:"64"`
	DeadlineMS int    `json:"deadline_ms,omitempty"` // default 2,000
}

// PassagesOf names a document.
type PassagesOf struct {
	Source document.Source `json:"source"`
	Path   document.Path   `json:"path"` // in the encoded form, as answers have it
	View   document.View   `json:"view"`
	// Version is the one that is meant; 0: the newest. Of another one nothing is told.
	Version document.Version `json:"version,omitempty"`
	From    int              `json:"from,omitempty"` // passages to pass over
}

// PassagesReply is the answer: what there is of the documents in the order of the
// request, as many as fit.
type PassagesReply struct {
	Documents []DocumentPassages `json:"documents"`
	// More are the last documents of the request, of which nothing is told for want of
	// room: ask for them again.
	More   int     `json:"more,omitempty"`
	TookMS float64 `json:"took_ms"`
}

// DocumentPassages is one document and passages of it. It does not change as long as
// the version is the newest.
type DocumentPassages struct {
	Source  document.Source  `json:"source"`
	Path    document.Path    `json:"path"`
	View    document.View    `json:"view"`
	Version document.Version `json:"version,omitempty"`
	// State says whether the passages are there.
	State      PassagesState       `json:"state"`
	Hash       document.Hash       `json:"hash,omitempty"`
	Size       int64               `json:"size,omitempty"` // bytes in the source
	Collection document.Collection `json:"collection,omitempty"`
	Metadata   document.Metadata   `json:"metadata,omitempty"` // that was put with it
	Language   string              `json:"language,omitempty"`
	Format     string              `json:"format,omitempty"` // how its text was made of it
	Commit     string              `json:"commit,omitempty"`
	Modified   time.Time           `json:"modified,omitzero"`
	// Reason is why a stage gave up on it, or why no text could be made of it.
	Reason   string    `json:"reason,omitempty"`
	Passages []Passage `json:"passages,omitempty"` // in the order of the text
	// Next is how many passages to pass over to go on, 0 where these were the last.
	Next int `json:"next,omitempty"`
}

// PassagesState says whether the passages of a document are there.
type PassagesState string

// Whether the passages of a document are there.
const (
	PassagesThere   PassagesState = "there"
	PassagesPending PassagesState = "pending" // they are being made
	PassagesFailed  PassagesState = "failed"  // a stage gave up on them: there is a dead letter
	PassagesMoved   PassagesState = "moved"   // no document of that version is there, or none that may be seen
)

// Passage is a passage of a document.
type Passage struct {
	ID        document.ChunkID `json:"id"`
	Kind      string           `json:"kind,omitempty"`
	StartLine int              `json:"start_line"`
	EndLine   int              `json:"end_line"`
	StartByte int              `json:"start_byte"`
	EndByte   int              `json:"end_byte"`
	Headings  []string         `json:"headings,omitempty"`
	// Text is that of the passage, and Bytes stands in its place where it is not valid
	// UTF-8 (base64 in JSON).
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	// Symbols are the definitions that begin in it.
	Symbols []PassageSymbol `json:"symbols,omitempty"`
	// References are names that it calls, and errors that it raises: the first of them.
	References []string `json:"references,omitempty"`
}

// PassageSymbol is a definition.
type PassageSymbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind,omitempty"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"` // it may end in a later passage
	Signature string `json:"signature,omitempty"`
}
