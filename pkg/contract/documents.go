package contract

import "github.com/freshet-dev/freshet/pkg/document"

// PutRequest is the body of a request on freshet.files.put: documents of a
// source of kind api. Each is written, or refused, on its own.
type PutRequest struct {
	Source document.Source `json:"source"`
	View   document.View   `json:"view,omitempty"` // default worktree
	// Documents are 1 to 1,000 with different paths.
	Documents []PutDocument `json:"documents" limit:"1000"`
}

// PutDocument is one document as it is to be. Either Text or Content is set.
type PutDocument struct {
	// Path is in the encoded form, as answers have it.
	Path    document.Path `json:"path"`
	Text    *string       `json:"text,omitempty" limit:"8388608"`
	Content []byte        `json:"content,omitempty" limit:"8388608"` // any bytes (base64 in JSON)
	// Collection is made from the path by default.
	Collection document.Collection `json:"collection,omitempty"`
	// Metadata is all that the document has of it: none takes away what it had.
	Metadata document.Metadata `json:"metadata,omitempty" limit:"16,64,2048"`
	// IfVersion is the version that the document must have, 0 for one that is
	// not there; nil writes whatever it has.
	IfVersion *document.Version `json:"if_version,omitempty"`
}

// DeleteRequest is the body of a request on freshet.files.delete.
type DeleteRequest struct {
	Source    document.Source  `json:"source"`
	View      document.View    `json:"view,omitempty"` // default worktree
	Documents []DeleteDocument `json:"documents" limit:"1000"`
}

// DeleteDocument is one document that is to go.
type DeleteDocument struct {
	Path      document.Path     `json:"path"`
	IfVersion *document.Version `json:"if_version,omitempty"`
}

// WriteReply is the reply of freshet.files.put and freshet.files.delete.
type WriteReply struct {
	// Token covers every document of the request as it is now.
	Token     document.Token    `json:"token"`
	Documents []WrittenDocument `json:"documents"` // in the request's order
}

// WrittenDocument is what became of one document.
type WrittenDocument struct {
	Path document.Path `json:"path"`
	// Op is put, skipped or delete; empty where Error is set.
	Op      Op               `json:"op,omitempty"`
	Version document.Version `json:"version,omitempty"` // 0: there never was one
	Reason  string           `json:"reason,omitempty"`  // of skipped
	// Unchanged says that it was so already and nothing was written.
	Unchanged bool `json:"unchanged,omitempty"`
	// Error says why the document was refused; the others are not concerned.
	Error *document.Error `json:"error,omitempty"`
}
