package contract

import "github.com/freshet-dev/freshet/pkg/document"

// What an answer on freshet.query.files lists.
const (
	FilesIndexed = "indexed" // documents whose text the log has
	FilesSkipped = "skipped" // documents that are known and left out, with the reason
)

// FilesRequest is the body of a request on freshet.query.files.
type FilesRequest struct {
	Show string `json:"show,omitempty" limit:"64"` // indexed (default), skipped
	// Paths asks for names alone: nothing is read for the answer, and its files
	// have source, view, path and version.
	Paths bool `json:"paths,omitempty"`
	// Limit bounds the documents that are listed; 0: all are. The others are
	// counted.
	Limit       int                   `json:"limit,omitempty"`
	Collections []document.Collection `json:"collections,omitempty" limit:"64"`
	// Filter narrows the documents. Kinds are of passages, and refused here;
	// languages are not asked of what is skipped.
	Filter Filter `json:"filter,omitzero"`
	// Token asks for a list at least as fresh. Without one, too, it includes
	// whatever the log had accepted when the request arrived.
	Token string `json:"token,omitempty" limit:"64"`
	// Commit asks for a list that includes a git commit of a source in scope, by
	// its id or the beginning of one.
	Commit     string `json:"commit,omitempty" limit:"256"`
	DeadlineMS int    `json:"deadline_ms,omitempty"` // default 30,000, or the longest allowed
}

// FilesPart is one message of the answer on freshet.query.files: some files, or
// the summary, which comes last.
type FilesPart struct {
	// Files are by source, path and view, also from one part to the next.
	Files   []FileEntry   `json:"files,omitempty"`
	Summary *FilesSummary `json:"summary,omitempty"`
}

// FileEntry is a document as one view has it.
type FileEntry struct {
	Source  document.Source  `json:"source"`
	View    document.View    `json:"view"`
	Path    document.Path    `json:"path"`
	Version document.Version `json:"version"`
	Size    int64            `json:"size,omitempty"` // bytes in the source
	// Language is what the chunker sees; empty where it knows none.
	Language   string              `json:"language,omitempty"`
	Collection document.Collection `json:"collection,omitempty"`
	Metadata   document.Metadata   `json:"metadata,omitempty"` // that was put with it
	// Passages are those of the path in all views that have it, 0 while this
	// version is not cut.
	Passages int       `json:"passages,omitempty"`
	State    FileStand `json:"state,omitempty"`
	// Stage is the one that gave up on it, and Reason why; of what is skipped,
	// Reason is why it is left out.
	Stage  Stage  `json:"stage,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// FileStand says how far a document has come.
type FileStand string

// How far a document has come.
const (
	FileSearchable FileStand = "searchable" // both engines show this version
	FilePending    FileStand = "pending"    // it is on its way
	FileDead       FileStand = "dead"       // a stage gave up on it: there is a dead letter
	FileSkipped    FileStand = "skipped"    // its text is left out
)

// FilesSummary is what the answer comes to, listed or not.
type FilesSummary struct {
	// Documents are those in scope that the request asks to list, with Bytes
	// bytes in their sources and Passages passages.
	Documents int   `json:"documents"`
	Bytes     int64 `json:"bytes"`
	Passages  int   `json:"passages"`
	// Searchable, Pending and Dead are how many of them have come how far.
	// Where names alone are asked for, these and Passages are 0.
	Searchable int `json:"searchable,omitempty"`
	Pending    int `json:"pending,omitempty"`
	Dead       int `json:"dead,omitempty"`
	// Skipped counts the documents in scope that are left out, by reason. What
	// is ignored is not among them.
	Skipped map[string]int `json:"skipped,omitempty"`
	More    int            `json:"more,omitempty"` // documents that are not listed
	// Complete says that the list has every document in scope, as it was in the
	// state of the log that Token names.
	Complete bool           `json:"complete"`
	Token    document.Token `json:"token"`
	Degraded []string       `json:"degraded,omitempty"`
	// Actions are what can be done about what is degraded.
	Actions []document.Action `json:"actions,omitempty"`
	TookMS  float64           `json:"took_ms"`
}
