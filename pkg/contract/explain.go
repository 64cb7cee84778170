package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Verdict says in one word what has become of a path.
type Verdict string

// The verdicts. The first ones are the watcher's, who looks at the source; the
// second the query service's, who looks at the log; the last ones those of a
// search.
const (
	VerdictUnwatched  Verdict = "unwatched"   // no watched source holds it
	VerdictIgnored    Verdict = "ignored"     // a rule leaves it out
	VerdictSkipped    Verdict = "skipped"     // known, but not indexed, for a reason
	VerdictBehindLink Verdict = "behind_link" // a folder above it is a symbolic link
	VerdictUnreadable Verdict = "unreadable"  // the source fails just now
	VerdictChanged    Verdict = "changed"     // the log has not got yet what is there
	VerdictLogged     Verdict = "logged"      // the log has it as it is

	VerdictFolder   Verdict = "folder"   // it is no document, but holds some
	VerdictMissing  Verdict = "missing"  // nothing is there, and nothing was
	VerdictDeleted  Verdict = "deleted"  // it was there
	VerdictPending  Verdict = "pending"  // some stage has not handled its newest version
	VerdictFailed   Verdict = "failed"   // a stage gave up on it
	VerdictUnserved Verdict = "unserved" // its collection is not searched
	VerdictIndexed  Verdict = "indexed"  // both sinks show it

	VerdictFound Verdict = "found" // the answer shows it
	VerdictLost  Verdict = "lost"  // the answer does not
)

// ExplainFile is the body of a request on freshet.files.explain.
type ExplainFile struct {
	// Path is absolute, or relative to the root of Source; percent-encoded as
	// the paths of documents are. One that is in no such form is taken as it
	// is.
	Path   string          `json:"path" limit:"1048576"`
	Source document.Source `json:"source,omitempty"`
}

// FileExplanation is what the watcher knows of a path.
type FileExplanation struct {
	Verdict Verdict `json:"verdict"`
	// Summary is one sentence that says why; Next and Actions say what a person
	// can do.
	Summary string            `json:"summary"`
	Next    []string          `json:"next,omitempty"`
	Actions []document.Action `json:"actions,omitempty"`
	// Path is absolute, and relative in a bare repository; percent-encoded.
	Path string `json:"path"`
	// Source is the one that holds it, also one that is not watched.
	Source *SourceInfo `json:"source,omitempty"`
	// Document is the path below the source's root, empty for the root.
	Document document.Path `json:"document,omitempty"`
	// Type is file, folder, symbolic link, named pipe, socket, device,
	// submodule, not a regular file, or nothing.
	Type string `json:"type"`
	// Target is where the symbolic link leads that the path is, or that stands
	// above it.
	Target string      `json:"target,omitempty"`
	Rule   *IgnoreRule `json:"rule,omitempty"`
	Reason string      `json:"reason,omitempty"` // of skipped
	// Setting is the configuration's key that decided, with its value.
	Setting string     `json:"setting,omitempty"`
	Now     *FileState `json:"now,omitempty"`
	// Log is the newest version in the log, if it has any.
	Log *LogVersion `json:"log,omitempty"`
	// InStep is true where the log says what is there; else Waits says what
	// the difference waits for.
	InStep bool   `json:"in_step"`
	Waits  string `json:"waits,omitempty"`
	// Folder counts what lies below a folder. Partial says that it was too
	// much to look at all of it.
	Folder  []PathGroup `json:"folder,omitempty"`
	Partial bool        `json:"partial,omitempty"`
}

// IgnoreRule is the rule that decided on a path.
type IgnoreRule struct {
	Ignores bool   `json:"ignores"` // false for one that lets the path in
	Class   string `json:"class"`   // what kind of rule it is
	// Pattern is the line as it was written, or the name of a built-in rule.
	Pattern string `json:"pattern,omitempty"`
	// File is where the rule stands: absolute, or relative in a bare
	// repository; none for what is built in. Line counts from 1.
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// Matched is the path that the rule matched, relative to the root: this
	// one, or a folder above it.
	Matched document.Path `json:"matched"`
}

// FileState is a file as it is now.
type FileState struct {
	Size     int64         `json:"size"`           // bytes
	Hash     document.Hash `json:"hash,omitempty"` // where it was read to its end
	Modified time.Time     `json:"modified,omitzero"`
	Blob     string        `json:"blob,omitempty"` // git object id, in a bare repository
}

// LogVersion is the newest version of a path in a view.
type LogVersion struct {
	View       document.View       `json:"view"`
	Version    document.Version    `json:"version"`
	Op         Op                  `json:"op"`
	Hash       document.Hash       `json:"hash,omitempty"`
	Size       int64               `json:"size,omitempty"` // bytes
	Collection document.Collection `json:"collection,omitempty"`
	Commit     string              `json:"commit,omitempty"`
	Reason     string              `json:"reason,omitempty"` // of skipped
	Time       time.Time           `json:"time,omitzero"`    // of its publication
	Live       bool                `json:"live,omitempty"`   // seen as it happened
}

// PathGroup counts paths of one outcome below a folder.
type PathGroup struct {
	Verdict Verdict `json:"verdict"`
	Reason  string  `json:"reason,omitempty"`
	Count   int     `json:"count"`
	// Paths are the first few, relative to the root of the source.
	Paths []document.Path `json:"paths"`
}

// LogVersionOf returns a head as an explanation shows it.
func LogVersionOf(h FileHead) LogVersion {
	return LogVersion{
		View: h.View, Version: h.Version, Op: h.Op, Hash: h.Hash, Size: h.Size, Collection: h.Collection,
		Commit: h.Commit, Reason: h.Reason, Time: h.Time, Live: h.Live,
	}
}
