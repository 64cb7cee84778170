package contract

import "github.com/freshet-dev/freshet/pkg/document"

// What an answer on freshet.query.grep lists.
const (
	GrepLines  = "lines"  // each matching line
	GrepFiles  = "files"  // each document with a match; it is read no further than to its first
	GrepCounts = "counts" // each document with a match, and its matching lines
)

// GrepRequest is the body of a request on freshet.query.grep.
type GrepRequest struct {
	// Pattern is a regular expression in Go's syntax (RE2), matched against one
	// line at a time, without its line break.
	Pattern string `json:"pattern" limit:"16384"`
	// Fixed takes the pattern as text, not as an expression.
	Fixed bool `json:"fixed,omitempty"`
	// IgnoreCase lets letters match whatever their case.
	IgnoreCase bool `json:"ignore_case,omitempty"`
	// Word lets a match count only where no letter, digit or underscore stands
	// beside it.
	Word bool `json:"word,omitempty"`
	// Invert selects the lines that do not match.
	Invert bool `json:"invert,omitempty"`
	// Before and After are the lines of context around each match, 0 to 100.
	Before int `json:"before,omitempty"`
	After  int `json:"after,omitempty"`
	// MaxCount ends the search of a document after so many matching lines; 0: none.
	MaxCount int `json:"max_count,omitempty"`
	// Limit bounds the matching lines that are listed, or the documents where no
	// lines are; 1 to 10,000, default 1,000. The others are counted.
	Limit *int `json:"limit,omitempty"`
	// LineBytes bounds what is shown of one line, 1 to 65,536; default 4,096.
	LineBytes int `json:"line_bytes,omitempty"`
	// MaxBytes bounds the text that is searched, in bytes; 0: the deadline alone
	// does.
	MaxBytes int64 `json:"max_bytes,omitempty"`

	Show        string                `json:"show,omitempty" limit:"64"` // lines (default), files, counts
	Collections []document.Collection `json:"collections,omitempty" limit:"64"`
	// Filter narrows the documents. Kinds are of passages, and refused here.
	Filter Filter `json:"filter,omitzero"`
	// Token asks for an answer at least as fresh. Without one, too, the answer
	// includes whatever the log had accepted when the request arrived.
	Token string `json:"token,omitempty" limit:"64"`
	// Commit asks for an answer that includes a git commit of a source in
	// scope, by its id or the beginning of one.
	Commit     string `json:"commit,omitempty" limit:"256"`
	DeadlineMS int    `json:"deadline_ms,omitempty"`      // default 30,000, or the longest allowed
	Lease      string `json:"lease,omitempty" limit:"64"` // as in a search
}

// GrepReply is the answer.
type GrepReply struct {
	// Files are the documents with a match, by source and path.
	Files []GrepFile `json:"files"`
	// Matched are the documents with a match, and Lines the matching lines in
	// them, listed or not. Where documents are listed without their lines, Lines is 0.
	Matched int `json:"matched"`
	Lines   int `json:"lines"`
	// More counts what is not listed of them: documents where Show is files or
	// counts, else lines.
	More int `json:"more,omitempty"`
	// Complete says that every document in scope was searched, as it was in the
	// state of the log that Token names.
	Complete bool `json:"complete"`
	// Unsearched are documents in scope of which nothing is known, and
	// MoreUnsearched counts those that are not listed.
	Unsearched     []GrepUnsearched `json:"unsearched,omitempty"`
	MoreUnsearched int              `json:"more_unsearched,omitempty"`
	// Searched are the documents that were read, with Bytes bytes.
	Searched int   `json:"searched"`
	Bytes    int64 `json:"bytes"`
	// PassedOver are the documents that were not read, since their text is known to
	// hold nothing that matches.
	PassedOver int `json:"passed_over,omitempty"`
	// Unindexed are the documents that were read because what they hold is not known
	// yet, or there is no memory to know it.
	Unindexed int `json:"unindexed,omitempty"`
	// Scan says that every document had to be read: no text of three bytes stands in
	// whatever matches the pattern, or lines are asked for that do not match.
	Scan bool `json:"scan,omitempty"`
	// Skipped counts the documents in scope whose text the log does not have,
	// by reason. Documents that are ignored are not among them.
	Skipped map[string]int `json:"skipped,omitempty"`
	// Token is the state of the log that nothing in the answer contradicts.
	Token    document.Token `json:"token"`
	Degraded []string       `json:"degraded,omitempty"`
	// Actions are what can be done about what is degraded.
	Actions []document.Action `json:"actions,omitempty"`
	TookMS  float64           `json:"took_ms"`
	Lease   *LeaseNews        `json:"lease,omitempty"`
}

// GrepFile is a document with a match.
type GrepFile struct {
	Source  document.Source  `json:"source"`
	View    document.View    `json:"view"`
	Path    document.Path    `json:"path"`
	Version document.Version `json:"version"`
	// Format is how the lines are made of the document, with its version; "" where they
	// are its own.
	Format string `json:"format,omitempty"`
	// Count is the number of matching lines, listed or not; 0 where the
	// document was read no further than to its first.
	Count int        `json:"count,omitempty"`
	Lines []GrepLine `json:"lines,omitempty"`
}

// GrepLine is a line of a document, without its line break. Offsets are in bytes.
type GrepLine struct {
	Line   int   `json:"line"`   // from 1
	Offset int64 `json:"offset"` // of the line's first byte in the content
	// Text is the line, and Bytes stands in its place where it is not valid
	// UTF-8 (base64 in JSON). Both are empty for an empty line.
	Text  string `json:"text,omitempty"`
	Bytes []byte `json:"bytes,omitempty"`
	// From is how much of a long line is left out before what is shown, and
	// Left how much behind it.
	From int `json:"from,omitempty"`
	Left int `json:"left,omitempty"`
	// Matches are the first hundred matches in what is shown. Of an inverted
	// match there are none.
	Matches []GrepRange `json:"matches,omitempty"`
	// Context marks a line that stands beside a match and is none.
	Context bool `json:"context,omitempty"`
}

// GrepRanges is how many matches of a line are given at most.
const GrepRanges = 100

// GrepRange is a match, in bytes of what is shown of its line.
type GrepRange struct {
	Start int `json:"start"`
	End   int `json:"end"` // behind the last byte
}

// GrepReason says why a document was not searched.
type GrepReason string

// The reasons for which a document is not searched.
const (
	GrepUnreadable GrepReason = "unreadable" // the log does not give its text, which is being made again
	GrepDeadline   GrepReason = "deadline"   // the time was up
	GrepBytes      GrepReason = "bytes"      // max_bytes were searched
	GrepChanged    GrepReason = "changed"    // it changed each time it was read
	GrepPending    GrepReason = "pending"    // the text of its format is still to be made
)

// GrepUnsearched is a document that was not searched.
type GrepUnsearched struct {
	Source  document.Source  `json:"source"`
	View    document.View    `json:"view"`
	Path    document.Path    `json:"path"`
	Version document.Version `json:"version"`
	Reason  GrepReason       `json:"reason"`
}
