package contract

import "github.com/freshet-dev/freshet/pkg/document"

// OutlineRequest is the body of a request on freshet.query.outline.
type OutlineRequest struct {
	// Source may be left out where one source alone has that document; of a folder
	// those of all sources are listed.
	Source document.Source `json:"source,omitempty"`
	// Path is a document or a folder; empty for the root.
	Path document.Path `json:"path,omitempty"`
	// View is the worktree where there is one, else the first by name.
	View document.View `json:"view,omitempty"`
	// Limit bounds the entries of the answer, 1 to 2,000; default 500.
	Limit int `json:"limit,omitempty"`
	// Token asks for an answer at least as fresh: it waits for the passages of a
	// document that is being cut.
	Token string `json:"token,omitempty" limit:"64"`
	// Commit asks for an answer that includes a git commit of the source, by its
	// id or the beginning of one.
	Commit     string `json:"commit,omitempty" limit:"256"`
	DeadlineMS int    `json:"deadline_ms,omitempty"` // default 2,000
}

// OutlineReply is the answer. One of Document and Folder is set.
type OutlineReply struct {
	Document *OutlineDocument `json:"document,omitempty"`
	Folder   *OutlineFolder   `json:"folder,omitempty"`
	// More counts the entries that are not listed.
	More int `json:"more,omitempty"`
	// Token is the state of the log that nothing in the answer contradicts.
	Token    document.Token `json:"token"`
	Degraded []string       `json:"degraded,omitempty"`
	// Actions are what can be done about what is degraded.
	Actions []document.Action `json:"actions,omitempty"`
	TookMS  float64           `json:"took_ms"`
}

// OutlineDocument is what a document defines.
type OutlineDocument struct {
	Source   document.Source  `json:"source"`
	View     document.View    `json:"view"`
	Path     document.Path    `json:"path"`
	Version  document.Version `json:"version"`
	Hash     document.Hash    `json:"hash"`
	Language string           `json:"language,omitempty"`
	Size     int64            `json:"size"`  // bytes
	Total    int              `json:"total"` // lines
	// Entries are the definitions and headings, in the order of their lines.
	Entries []OutlineEntry `json:"entries"`
	// Uncut says that the passages of this version are not there yet, so that
	// nothing is known of what it defines.
	Uncut bool `json:"uncut,omitempty"`
	// Pending says that a search may not find this version yet.
	Pending bool `json:"pending,omitempty"`
}

// OutlineEntry is a definition, or a section under a heading.
type OutlineEntry struct {
	Name      string   `json:"name"` // the symbol, or the last heading
	Kind      string   `json:"kind,omitempty"`
	StartLine int      `json:"start_line"`
	EndLine   int      `json:"end_line"`
	Signature string   `json:"signature,omitempty"`
	Headings  []string `json:"headings,omitempty"` // of a section, outermost first
}

// OutlineFolder is what a folder holds.
type OutlineFolder struct {
	Path      document.Path `json:"path,omitempty"`
	Documents int           `json:"documents"` // with text, below it
	Size      int64         `json:"size"`      // their bytes
	// Entries are what is directly in it, by source and name.
	Entries []OutlineChild `json:"entries"`
}

// OutlineChild is a document or folder in a folder.
type OutlineChild struct {
	Source document.Source `json:"source"`
	Path   document.Path   `json:"path"`
	// Documents counts those below a folder; 0 for a document.
	Documents int   `json:"documents,omitempty"`
	Size      int64 `json:"size"` // bytes
	// Skipped is why the log has no text of a document.
	Skipped string `json:"skipped,omitempty"`
}
