package contract

import "github.com/freshet-dev/freshet/pkg/document"

// BucketSummaries is the key-value bucket of what a language model says of passages, by
// document. What is gone from the document leaves it.
const BucketSummaries = "freshet_summaries"

// KeySummaries is the key in BucketMeta of how far the summaries are made, and the name
// of the role of the process that makes them.
const KeySummaries = "summaries"

// MostSummaries is how many passages of one document are summarized, the first ones, so
// that they have room in a message together.
const MostSummaries = 1000

// LongestSummary bounds a summary in bytes.
const LongestSummary = 400

// SummariesKey is the key of a document in BucketSummaries.
func SummariesKey(s document.Source, d document.DocID) string { return string(s) + "." + string(d) }

// SummariesOf are the keys of a source in BucketSummaries, as a pattern.
func SummariesOf(s document.Source) string { return string(s) + ".*" }

// Summaries is the value of a key of BucketSummaries.
type Summaries struct {
	// By is what made them: the model, and the version of what it is told.
	By string `json:"by"`
	// Chunks is the message of CHUNKS whose passages all have one, or need none, and Version
	// the newest version in it; 0 while some are still to be made.
	Chunks   uint64           `json:"chunks,omitempty"`
	Version  document.Version `json:"version,omitempty"`
	Passages []Summary        `json:"passages"`
}

// Summary is what a language model says of a passage.
type Summary struct {
	ID     document.ChunkID `json:"id"`
	Digest document.Hash    `json:"digest"` // of what the passage is
	// Text is empty where the model had nothing to say, or said what the passage does not.
	Text string `json:"text,omitempty"`
}

// Why no summaries are made although some are missing.
const (
	SummariesSpent  = "spent"  // the tokens of the day are: it goes on at midnight, UTC
	SummariesFailed = "failed" // the model does not answer, and is asked again
)

// SummariesState is how far the summaries are made.
type SummariesState struct {
	Model string `json:"model"`
	// Documents have all of their summaries; Left are those that lack some.
	Documents int `json:"documents"`
	Left      int `json:"left"`
	// Day is the one, UTC, on which the model took so many Tokens, read and written, of the
	// PerDay that it may take.
	Day    string `json:"day"`
	Tokens int    `json:"tokens"`
	PerDay int    `json:"per_day"`
	// Waits is one of the reasons above, "" while they are made or none is missing; Error is
	// what the model's server said.
	Waits string `json:"waits,omitempty"`
	Error string `json:"error,omitempty"`
}
