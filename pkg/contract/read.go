package contract

import "github.com/freshet-dev/freshet/pkg/document"

// ReadRequest is the body of a request on freshet.query.read.
type ReadRequest struct {
	// Source may be left out where one source alone has a document of that path.
	Source document.Source `json:"source,omitempty"`
	Path   document.Path   `json:"path"` // in the encoded form, as answers have it
	// View is the worktree where there is one, else the first by name.
	View document.View `json:"view,omitempty"`
	// From and To are the first and the last line, from 1; 0: of the document.
	From int `json:"from,omitempty"`
	To   int `json:"to,omitempty"`
	// Limit bounds the lines of the answer, 1 to 10,000; default 2,000.
	Limit int `json:"limit,omitempty"`
	// LineBytes bounds what is shown of one line, 1 to 65,536; default 4,096.
	LineBytes int `json:"line_bytes,omitempty"`
	// MaxBytes bounds the text of the answer, 1 to 524,288; default 131,072.
	MaxBytes int `json:"max_bytes,omitempty"`
	// Token asks for an answer at least as fresh. Without one, too, the answer
	// is of what the log had accepted when the request arrived.
	Token string `json:"token,omitempty" limit:"64"`
	// Commit asks for an answer that includes a git commit of the source, by its
	// id or the beginning of one.
	Commit     string `json:"commit,omitempty" limit:"256"`
	DeadlineMS int    `json:"deadline_ms,omitempty"`      // default 2,000
	Lease      string `json:"lease,omitempty" limit:"64"` // as in a search
}

// ReadReply is the answer: lines of a document as the log has them in the state
// that Token names.
type ReadReply struct {
	Source   document.Source   `json:"source"`
	View     document.View     `json:"view"`
	Path     document.Path     `json:"path"`
	Version  document.Version  `json:"version"`
	Hash     document.Hash     `json:"hash"`               // of the whole document
	Metadata document.Metadata `json:"metadata,omitempty"` // that was put with it
	Language string            `json:"language,omitempty"`
	Size     int64             `json:"size"`  // bytes of the whole document
	Total    int               `json:"total"` // lines of the whole document
	// Format is how the lines are made of the document, with its version; "" where they
	// are its own. Size and Total are of what was made.
	Format string `json:"format,omitempty"`
	// From and To are the lines that Text holds, both 0 for an empty document.
	From int `json:"from"`
	To   int `json:"to"`
	// Text is the lines with their line breaks, and Bytes stands in its place
	// where it is not valid UTF-8 (base64 in JSON). Both are empty for an empty
	// document.
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	// Cut are the lines of which not all is there.
	Cut []ReadCut `json:"cut,omitempty"`
	// Next is the line to go on with, 0 where what was asked for is all there.
	Next int `json:"next,omitempty"`
	// Pending says that a search may not find this text yet: the version is not
	// in both sinks.
	Pending bool `json:"pending,omitempty"`
	// Token is the state of the log that nothing in the answer contradicts.
	Token    document.Token `json:"token"`
	Degraded []string       `json:"degraded,omitempty"`
	// Actions are what can be done about what is degraded.
	Actions []document.Action `json:"actions,omitempty"`
	TookMS  float64           `json:"took_ms"`
	Lease   *LeaseNews        `json:"lease,omitempty"`
}

// ReadCut is a line of which only the beginning is shown.
type ReadCut struct {
	Line int `json:"line"` // from 1
	Left int `json:"left"` // bytes that are left out behind what is shown
}
