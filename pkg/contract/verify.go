package contract

import (
	"slices"
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
	VerifyDead    VerifyStage = "dead" // the dead letters; only for what cannot be read
)

// VerifyStages lists the places.
var VerifyStages = []VerifyStage{VerifyFiles, VerifyChunks, VerifyVectors, VerifyIndexed, VerifyStore, VerifyDead}

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

// LostAtOnce is how many documents a VerifyFilesRequest names at most; the tag of
// Lost says the same.
const LostAtOnce = 1000

// VerifyFilesRequest is the body of a request on freshet.files.verify: compare
// sources with FILES, reading every file.
type VerifyFilesRequest struct {
	// Source narrows the comparison to one source.
	Source document.Source `json:"source,omitempty"`
	Repair bool            `json:"repair,omitempty"`
	// Lost names documents of Source that outputs still show and FILES no
	// longer holds. With them nothing else is compared: what is in the source
	// is put, the rest is deleted in the log.
	Lost []LostDocument `json:"lost,omitempty" limit:"1000"`
	// Unread names documents of Source whose content the log may not give any
	// more. With them nothing else is compared: where that is so, what is in the
	// source is written again, and what was given by request is noted as lost.
	Unread []LostDocument `json:"unread,omitempty" limit:"1000"`
	// Again says that those of Unread whose content the log does give are written
	// again too, as they are: what was made of them cannot be read.
	Again bool `json:"again,omitempty"`
	// Accepted says that nobody will put them again where the source is given by
	// request: they are deleted in the log there too.
	Accepted bool `json:"accepted,omitempty"`
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
	// Outcome is what it came to. Equal is true for OutcomeEqual alone: what
	// waits is no difference, what nobody could compare is not equal.
	Outcome VerifyOutcome `json:"outcome,omitempty"`
	Equal   bool          `json:"equal"`
	// NotCompared says why the comparison as a whole is not complete, beside
	// what stands at each source and generation.
	NotCompared string `json:"not_compared,omitempty"`
	Differences int    `json:"differences"` // found
	Repaired    int    `json:"repaired"`
	// Pending is how many documents were still on their way.
	Pending int `json:"pending"`
	// Failed is how many documents a stage gave up on.
	Failed int `json:"failed"`
	// Losses are what the log has lost and cannot make again; while there is
	// one that nobody has accepted, nothing is equal.
	Losses      []Loss             `json:"losses,omitempty"`
	Sources     []VerifySource     `json:"sources"`
	Generations []VerifyGeneration `json:"generations"`
}

// Conclude sets Outcome and Equal from the rest.
func (s *VerifySummary) Conclude() {
	switch {
	case s.Differences > s.Repaired, len(s.Losses) > 0:
		s.Outcome = OutcomeDifferent
	case s.complete():
		s.Outcome = OutcomeEqual
	default:
		s.Outcome = OutcomeIncomplete
	}
	s.Equal = s.Outcome == OutcomeEqual
}

func (s *VerifySummary) complete() bool {
	return s.NotCompared == "" &&
		!slices.ContainsFunc(s.Sources, func(c VerifySource) bool { return !c.Complete() }) &&
		!slices.ContainsFunc(s.Generations, func(g VerifyGeneration) bool { return g.NotCompared != "" })
}

// VerifyOutcome is what a comparison came to.
type VerifyOutcome string

// The outcomes.
const (
	OutcomeEqual     VerifyOutcome = "equal"     // everything was compared, and no difference is left
	OutcomeDifferent VerifyOutcome = "different" // differences or losses are left
	// OutcomeIncomplete is for no difference in what was compared, where
	// something was not: nobody knows whether all is equal.
	OutcomeIncomplete VerifyOutcome = "incomplete"
)

// VerifyOutcomes lists the outcomes.
var VerifyOutcomes = []VerifyOutcome{OutcomeEqual, OutcomeDifferent, OutcomeIncomplete}

// VerifyGap is why a source was not compared.
type VerifyGap string

// The gaps.
const (
	// GapGiven is an API source: the log is all that there is of it, so nothing
	// is lacking.
	GapGiven        VerifyGap = "given"
	GapUnwatched    VerifyGap = "unwatched"    // this run was not given it
	GapHeld         VerifyGap = "held"         // it is larger than the limits
	GapUnreadable   VerifyGap = "unreadable"   // its folder or repository cannot be read
	GapSilent       VerifyGap = "silent"       // no watcher answered
	GapUnregistered VerifyGap = "unregistered" // the log has documents of it, the list of sources lacks it
)

// VerifyGaps lists the gaps.
var VerifyGaps = []VerifyGap{GapGiven, GapUnwatched, GapHeld, GapUnreadable, GapSilent, GapUnregistered}

// VerifySource counts one source.
type VerifySource struct {
	Source document.Source `json:"source"`
	View   document.View   `json:"view,omitempty"`
	// NotCompared says why the source itself was not compared, Gap says so in a
	// word, Next and Actions what to do; all are empty where it was. Then the first
	// two counts are 0.
	NotCompared string            `json:"not_compared,omitempty"`
	Gap         VerifyGap         `json:"gap,omitempty"`
	Next        string            `json:"next,omitempty"`
	Actions     []document.Action `json:"actions,omitempty"`
	Documents   int               `json:"documents"` // with content, in the source
	Skipped     int               `json:"skipped"`   // known but not indexed, in the source
	// Unread are documents of a source that was compared which could not be
	// read; nil for none.
	Unread *Unread `json:"unread,omitempty"`
	// The same as FILES has it.
	LogDocuments int `json:"log_documents"`
	LogSkipped   int `json:"log_skipped"`
}

// Complete reports whether everything that the source has was compared.
func (s VerifySource) Complete() bool {
	return (s.NotCompared == "" || s.Gap == GapGiven) && s.Unread == nil
}

// VerifyGeneration counts what the log lists of one generation, and what its
// stores hold.
type VerifyGeneration struct {
	Generation document.Generation `json:"generation"`
	// NotCompared says why the comparison stopped; then the counts are not
	// those of the whole.
	NotCompared string `json:"not_compared,omitempty"`
	Documents   int    `json:"documents"` // with passages
	Chunks      int    `json:"chunks"`    // in CHUNKS
	Vectors     int    `json:"vectors"`   // in VECTORS
	Bare        int    `json:"bare"`      // in VECTORS, without a vector
	// Listed is what INDEXED lists, and Held what the store has, by sink.
	Listed map[document.Sink]int `json:"listed"`
	Held   map[document.Sink]int `json:"held"`
}
