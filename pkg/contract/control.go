package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Kinds of source.
const (
	SourceFolder   = "folder"   // a plain directory
	SourceWorktree = "worktree" // a git work tree: the files on disk are the truth
	SourceBare     = "bare"     // a bare repository: the branch's tree is the truth
	SourceAPI      = "api"      // documents that come by freshet.files.put: the log is the truth
)

// SourceInfo describes a registered source.
type SourceInfo struct {
	Source document.Source `json:"source"`
	Root   string          `json:"root"` // absolute path; empty for kind api
	// Remote is the address of the git repository that the source follows; Root
	// is the watcher's copy of it then.
	Remote string        `json:"remote,omitempty"`
	Kind   string        `json:"kind"`
	View   document.View `json:"view"`
	Branch string        `json:"branch,omitempty"`
	// Watched is false for a source that this run was not given.
	Watched bool `json:"watched"`
	// Scanned is the token of the last finished comparison with the source.
	Scanned   document.Token `json:"scanned"`
	ScannedAt time.Time      `json:"scanned_at,omitzero"`
	Commit    string         `json:"commit,omitempty"`
	Documents int            `json:"documents"`
	Skipped   int            `json:"skipped"`
	Bytes     int64          `json:"bytes"`
	// Scanning is true while a comparison runs.
	Scanning bool `json:"scanning"`
	// Held says why nothing of the source is published: it is larger than the
	// limits and was not accepted.
	Held string `json:"held,omitempty"`
	// Gone says why the root cannot be read, and the fix. What was read of it
	// is kept, and may be past.
	Gone string `json:"gone,omitempty"`
	// Degraded says what does not work as it should, and the fix.
	Degraded []string `json:"degraded,omitempty"`
	// Actions are what can be done about Held, Gone and Degraded.
	Actions []document.Action `json:"actions,omitempty"`
	// Exclude are the globs that leave paths out of it.
	Exclude []string `json:"exclude,omitempty"`
	Git     string   `json:"git,omitempty"` // "git" or "go-git": what reads blobs
}

// SourceAdd is the body of a request on freshet.sources.add.
type SourceAdd struct {
	// Kind is SourceAPI for a source without a root; else it is left out, and
	// the root tells it.
	Kind string `json:"kind,omitempty" limit:"64"`
	Root string `json:"root,omitempty" limit:"65536"`
	// Remote is the address of a git repository on another machine, in place of
	// Root: https, ssh, git or file, or USER@HOST:PATH. The watcher keeps a copy of
	// the branch and fetches it from time to time, and when it is announced. The
	// source is followed until it is removed.
	Remote string          `json:"remote,omitempty" limit:"4096"`
	Source document.Source `json:"source,omitempty"`              // default: made from the root; kind api needs one
	Branch string          `json:"branch,omitempty" limit:"1024"` // bare repositories and remotes only
	// Exclude are globs that leave paths out, each a line of a .gitignore at the
	// root without "!". They win over every other rule. Where they are given for a
	// source that is registered, they replace those that it has, and an empty list
	// takes them back; where they are not, those stay.
	Exclude []string `json:"exclude,omitzero" limit:"256,1024"`
	// Once asks for one comparison without watching: the source is listed as
	// not watched, and the reply's token covers the comparison. A source that
	// is watched already stays so.
	Once bool `json:"once,omitempty"`
	// Accept lets a source be as large as it is now, which is remembered. A
	// source that is too large is refused without.
	Accept bool `json:"accept,omitempty"`
}

// SourceRemove is the body of a request on freshet.sources.remove.
type SourceRemove struct {
	Source document.Source `json:"source"`
}

// SourceList is the reply of freshet.sources.*.
type SourceList struct {
	Sources []SourceInfo `json:"sources"`
	// Token covers everything that the request led to.
	Token document.Token `json:"token"`
	// Receipt is that of a removal.
	Receipt *Receipt `json:"receipt,omitempty"`
}

// Receipt says what a removal took away, and what it could not.
type Receipt struct {
	Source    document.Source `json:"source"`
	Documents int             `json:"documents"`       // that the log had
	Bodies    int             `json:"bodies"`          // large bodies, each in an object of its own
	Feedback  int             `json:"feedback"`        // events that named a hit of the source
	Audit     int             `json:"audit,omitempty"` // entries of the audit log that named a document of it
	Letters   int             `json:"letters"`         // dead letters
	// Erased counts what was overwritten in files: messages of the log, and
	// passages of stores. ErasedBytes are those of the log.
	Erased      int   `json:"erased"`
	ErasedBytes int64 `json:"erased_bytes"`
	// Left says, in sentences, where something of it may still stand, and Actions
	// what can be done about that.
	Left    []string          `json:"left,omitempty"`
	Actions []document.Action `json:"actions,omitempty"`
}

// EraseReply is the answer on freshet.index.erase and freshet.log.erase. Either
// overwrites what anybody has removed, not only the one who asks.
type EraseReply struct {
	Items int   `json:"items"` // messages of the log, passages of stores
	Bytes int64 `json:"bytes"` // of the log's files
	// Left names the stores that cannot be told to.
	Left []string `json:"left,omitempty"`
}

// Announce is the body of a request on freshet.files.announce: look at these
// paths, or at the whole repository, now.
type Announce struct {
	// Paths are absolute files or folders. Empty with an empty Repository:
	// every watched source is compared.
	Paths []string `json:"paths,omitempty" limit:"4096,65536"`
	// Repository is the absolute path of a git repository that a hook ran in, or
	// the address of one that a source follows: that is fetched first.
	Repository string `json:"repository,omitempty" limit:"65536"`
	Hook       string `json:"hook,omitempty" limit:"256"` // name of the hook, for the log
}

// AnnounceReply carries the token that covers what was seen.
type AnnounceReply struct {
	Token   document.Token    `json:"token"`
	Sources []document.Source `json:"sources"`
	Changed int               `json:"changed"` // versions published
	// Unread are documents that were looked at and cannot be read: the token
	// does not cover what they hold. Nil for none.
	Unread *Unread `json:"unread,omitempty"`
}

// Report is a service's part of the status: the reply on freshet.report.
type Report struct {
	Service  string            `json:"service"`
	Instance string            `json:"instance"` // HOST:PID-LETTERS, of one run
	Started  time.Time         `json:"started"`
	Counters map[string]uint64 `json:"counters,omitempty"` // since start
	Degraded []string          `json:"degraded,omitempty"`
	Actions  []document.Action `json:"actions,omitempty"` // about Degraded
	Sources  []SourceInfo      `json:"sources,omitempty"` // watcher only
	Stores   []StoreInfo       `json:"stores,omitempty"`  // indexer only
	Spent    *Spent            `json:"spent,omitempty"`   // embedder only, with a server
	Memory   uint64            `json:"memory,omitempty"`  // resident bytes of helper processes
	// Build is what the process is configured to make; nil where it makes none, and
	// in one that does not say so. Beside is another that it makes, or asks, until
	// Build takes its place; "" for none.
	Build  *Build  `json:"build,omitempty"`
	Beside BuildID `json:"beside,omitempty"`
}

// StoreInfo describes one store of one generation.
type StoreInfo struct {
	Generation document.Generation `json:"generation"`
	Sink       document.Sink       `json:"sink"`
	ID         string              `json:"id"`
	Chunks     int                 `json:"chunks"`
	Position   uint64              `json:"position"` // INDEXED sequence up to which it is complete
}

// StatusReply is the answer on freshet.query.status.
type StatusReply struct {
	Version string         `json:"version"`
	Token   document.Token `json:"token"`
	// Ready is true when every watched source was compared once and nothing
	// is pending.
	Ready      bool                  `json:"ready"`
	Documents  int                   `json:"documents"`
	Chunks     int                   `json:"chunks"`
	Skipped    map[string]int        `json:"skipped,omitempty"` // by reason
	Pending    map[Stage]int         `json:"pending,omitempty"` // documents by the stage they wait for
	Failed     []FailedPath          `json:"failed,omitempty"`
	Degraded   []string              `json:"degraded,omitempty"`
	Actions    []document.Action     `json:"actions,omitempty"` // about Degraded
	Sources    []SourceInfo          `json:"sources"`
	Reports    []Report              `json:"reports"`
	Streams    map[string]StreamInfo `json:"streams"`
	Embedder   string                `json:"embedder,omitempty"`
	Generation []document.Generation `json:"generations"`
	// Serving is the build that answers are made of. Next is another one that is
	// built beside it and takes its place once it is complete; nil for none.
	Serving *Build     `json:"serving,omitempty"`
	Next    *NextBuild `json:"next,omitempty"`
	// Verify is how the last comparison of sources, log and stores ended.
	Verify *VerifySummary `json:"verify,omitempty"`
	// Answers is the language model that answers from passages; "" for none.
	Answers string `json:"answers,omitempty"`
	// Reranker is the learned reranker that is served; nil for none.
	Reranker *RerankerState `json:"reranker,omitempty"`
	// KeptRanking is how answers are ordered and withheld, where that is kept; nil where it is as
	// configured.
	KeptRanking *KeptRanking `json:"kept_ranking,omitempty"`
	// Trigrams are what the process that answers knows of the texts, for a grep;
	// nil where it has no memory for that.
	Trigrams *TrigramState `json:"trigrams,omitempty"`
	// EndsIdleMS is after how many milliseconds without a question the process that
	// answers ends; 0 never.
	EndsIdleMS int64 `json:"ends_idle_ms,omitempty"`
	// Usage is what was asked and given, by way.
	Usage []Usage `json:"usage,omitempty"`
	// Summaries is how far a language model has summarized the passages; nil where none is
	// to.
	Summaries *SummariesState `json:"summaries,omitempty"`
}

// TrigramState is of how many of the distinct texts a query process knows what they
// may hold, in how many bytes of memory.
type TrigramState struct {
	Texts int   `json:"texts"`
	Known int   `json:"known"`
	Bytes int64 `json:"bytes"`
}

// StreamInfo is the size of a stream.
type StreamInfo struct {
	Messages uint64 `json:"messages"`
	Bytes    uint64 `json:"bytes"`
	LastSeq  uint64 `json:"last_seq"`
}

// SweepReply is the answer on freshet.index.sweep.
type SweepReply struct {
	Removed   int `json:"removed"`  // in a store, listed nowhere
	Restored  int `json:"restored"` // listed, missing in a store
	Compared  int `json:"compared"` // ids looked at
	Documents int `json:"documents"`
}

// ErrorReply is the body of a reply that failed; the headers
// Nats-Service-Error-Code and Nats-Service-Error carry kind and message too. The
// actions stand in the body alone.
type ErrorReply struct {
	Error document.Error `json:"error"`
	// RetryAfterMS is after how many milliseconds to ask again, where too many
	// ask; the header Freshet-Retry-After-Ms says it too.
	RetryAfterMS int64 `json:"retry_after_ms,omitempty"`
}
