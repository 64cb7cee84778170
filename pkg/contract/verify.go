package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// VerifyStage names a place whose content verify compares with the one before.
type VerifyStage string

// The places, in the order in which a change passes them.
const (
	VerifyFiles   VerifyStage = "files"
	VerifyChunks  VerifyStage = "chunks"
	VerifyVectors VerifyStage = "vectors"
	VerifyIndexed VerifyStage = "indexed"
	VerifyStore   VerifyStage = "store"
)

// VerifyStages lists the places.
var VerifyStages = []VerifyStage{VerifyFiles, VerifyChunks, VerifyVectors, VerifyIndexed, VerifyStore}

// VerifyFault says how a place differs from what it should hold.
type VerifyFault string

// The faults.
const (
	FaultMissing    VerifyFault = "missing"    // it lacks what the place before has
	FaultExtra      VerifyFault = "extra"      // it holds what the place before does not have
	FaultDifferent  VerifyFault = "different"  // it holds something else
	FaultUnreadable VerifyFault = "unreadable" // it cannot be read
)

// VerifyFaults lists the faults.
var VerifyFaults = []VerifyFault{FaultMissing, FaultExtra, FaultDifferent, FaultUnreadable}

// VerifyRequest is the body of a request on freshet.verify.
type VerifyRequest struct {
	// Source narrows the comparison to one source.
	Source document.Source `json:"source,omitempty"`
	// Repair publishes again, or deletes, exactly what differs.
	Repair bool `json:"repair,omitempty"`
}

// VerifyFilesRequest is the body of a request on freshet.files.verify: compare
// sources with FILES, reading every file.
type VerifyFilesRequest struct {
	// Source narrows the comparison to one source.
	Source document.Source `json:"source,omitempty"`
	Repair bool            `json:"repair,omitempty"`
	// Lost names documents of Source that outputs still show and FILES no
	// longer holds. With them nothing else is compared: what is in the source
	// is put, the rest is deleted in the log.
	Lost []LostDocument `json:"lost,omitempty"`
}

// LostDocument is a document in a view.
type LostDocument struct {
	View document.View `json:"view"`
	Path document.Path `json:"path"`
}

// VerifyPart is one message of the answer on freshet.verify and
// freshet.files.verify: one of its fields is set. The summary comes last.
type VerifyPart struct {
	Progress   *VerifyProgress `json:"progress,omitempty"`
	Difference *Difference     `json:"difference,omitempty"`
	Summary    *VerifySummary  `json:"summary,omitempty"`
}

// VerifyProgress says how far a comparison is.
type VerifyProgress struct {
	// Doing is what is being compared: "log", a source, a store, or a
	// generation.
	Doing string `json:"doing"`
	Done  int    `json:"done"`
	Total int    `json:"total,omitempty"` // 0 where it is not known
}

// Difference is one thing that should be equal and is not.
type Difference struct {
	Stage VerifyStage `json:"stage"`
	// Generation and Sink tell which output; empty for FILES.
	Generation document.Generation `json:"generation,omitempty"`
	Sink       document.Sink       `json:"sink,omitempty"`
	Source     document.Source     `json:"source"`
	// Doc is the document, and Path its path, where that is known: a store
	// knows only the first.
	Doc  document.DocID `json:"doc"`
	Path document.Path  `json:"path,omitempty"`
	View document.View  `json:"view,omitempty"`
	What VerifyFault    `json:"what"`
	// Detail says it in a sentence.
	Detail string             `json:"detail"`
	IDs    []document.ChunkID `json:"ids,omitempty"`
	// Repaired is true where it was repaired, and looked at again.
	Repaired bool `json:"repaired,omitempty"`
}

// VerifySummary is how a comparison ended. Equal sources, log and stores have
// equal counts: what a source holds is what FILES holds of it, and every
// passage of CHUNKS is held by both stores, or known to have no vector, or
// waits, or failed.
type VerifySummary struct {
	Started time.Time `json:"started"`
	// TookMS is how long it took.
	TookMS int64 `json:"took_ms"`
	// Only is the source that it was narrowed to.
	Only   document.Source `json:"only,omitempty"`
	Repair bool            `json:"repair"`
	// Equal is true when no difference is left. What waits, and what nobody
	// could compare, is no difference.
	Equal       bool `json:"equal"`
	Differences int  `json:"differences"` // found
	Repaired    int  `json:"repaired"`
	// Pending is how many documents were still on their way.
	Pending int `json:"pending"`
	// Failed is how many documents a stage gave up on.
	Failed      int                `json:"failed"`
	Sources     []VerifySource     `json:"sources"`
	Generations []VerifyGeneration `json:"generations"`
}

// VerifySource counts one source.
type VerifySource struct {
	Source document.Source `json:"source"`
	View   document.View   `json:"view,omitempty"`
	// NotCompared says why the source itself could not be read; then the first
	// two counts are 0.
	NotCompared string `json:"not_compared,omitempty"`
	Documents   int    `json:"documents"` // with content, in the source
	Skipped     int    `json:"skipped"`   // known but not indexed, in the source
	// The same as FILES has it.
	LogDocuments int `json:"log_documents"`
	LogSkipped   int `json:"log_skipped"`
}

// VerifyGeneration counts what the log lists of one generation, and what its
// stores hold.
type VerifyGeneration struct {
	Generation document.Generation `json:"generation"`
	Documents  int                 `json:"documents"` // with passages
	Chunks     int                 `json:"chunks"`    // in CHUNKS
	Vectors    int                 `json:"vectors"`   // in VECTORS
	Bare       int                 `json:"bare"`      // in VECTORS, without a vector
	// Listed is what INDEXED lists, and Held what the store has, by sink.
	Listed map[document.Sink]int `json:"listed"`
	Held   map[document.Sink]int `json:"held"`
}
