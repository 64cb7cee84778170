package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// ExplainQuery is the body of a request on freshet.query.explain.
type ExplainQuery struct {
	Source document.Source `json:"source"`
	// Path is a document or a folder; empty for all of the source.
	Path document.Path `json:"path,omitempty"`
	View document.View `json:"view,omitempty"` // default: every view
	// Search is a search in which the document was expected.
	Search *SearchRequest `json:"search,omitempty"`
}

// Explanation is what the log and the stores know of a document.
type Explanation struct {
	Verdict Verdict `json:"verdict"`
	// Summary is one sentence that says why; Next and Actions say what a person
	// can do.
	Summary string            `json:"summary"`
	Next    []string          `json:"next,omitempty"`
	Actions []document.Action `json:"actions,omitempty"`
	// Token is the state of the log that this holds for.
	Token    document.Token `json:"token"`
	Versions []LogVersion   `json:"versions"` // newest of each view
	Stages   []StageState   `json:"stages,omitempty"`
	Failed   []DeadLetter   `json:"failed,omitempty"`
	// Chunks are the passages of the newest contents that were cut.
	Chunks []ChunkState `json:"chunks,omitempty"`
	// Folder counts the documents below a folder by what has become of them.
	Folder   []PathGroup        `json:"folder,omitempty"`
	Degraded []string           `json:"degraded,omitempty"`
	Search   *SearchExplanation `json:"search,omitempty"`
	// Restricted says, to whoever sees everything, that there are access rules: owners see
	// the document, and the groups of which Seen says so.
	Restricted bool         `json:"restricted,omitempty"`
	Seen       []GroupSight `json:"seen,omitempty"`
}

// GroupSight says whether the members of a group see a version of a document. Where
// everybody does, the group everyone stands for all.
type GroupSight struct {
	View  document.View `json:"view"`
	Group string        `json:"group"`
	Sees  bool          `json:"sees"`
	// Rules are the places, from 0, of the rules in access.file that let them see it: those
	// that name the group, else those for everybody.
	Rules []int `json:"rules"`
	// Hidden is what hides it from them all the same: HiddenByRoles or HiddenBySource.
	Hidden string `json:"hidden,omitempty"`
}

// What hides a document from whom a rule of access.file lets see it.
const (
	HiddenByRoles  = "roles"  // it names roles, of which the group is none
	HiddenBySource = "source" // the rules in its source do not show it to them
)

// States of a stage.
const (
	StageDone    = "done"
	StageWaiting = "waiting" // its input is there
	StageIdle    = "idle"    // waits for the stage before it
	StageFailed  = "failed"
)

// StageState is how far a stage has come with a document in a view.
type StageState struct {
	Stage      Stage               `json:"stage"`
	View       document.View       `json:"view"`
	Generation document.Generation `json:"generation,omitempty"`
	State      string              `json:"state"`
	// Since is when the newest output was written where the stage is done, and
	// when its input came where it waits.
	Since time.Time `json:"since,omitzero"`
	// Version is the newest one that it covers, 0 for none.
	Version document.Version `json:"version"`
	Chunks  int              `json:"chunks"`
	// Store is the id of the store that a sink's listing is for, and Holds
	// says that the log knows it to be there still.
	Store string `json:"store,omitempty"`
	Holds bool   `json:"holds,omitempty"`
	Note  string `json:"note,omitempty"`
}

// What a sink has of a passage.
const (
	SinkHeld     = "held"     // listed, and in the store
	SinkListed   = "listed"   // listed; the store did not answer
	SinkLost     = "lost"     // listed, and not in the store
	SinkUnlisted = "unlisted" // not there yet
	SinkBare     = "bare"     // there is nothing to keep of it
)

// ChunkState is a passage and where it is found.
type ChunkState struct {
	ID        document.ChunkID         `json:"id"`
	StartLine int                      `json:"start_line"`
	EndLine   int                      `json:"end_line"`
	Symbol    string                   `json:"symbol,omitempty"`
	Kind      string                   `json:"kind,omitempty"`
	Headings  []string                 `json:"headings,omitempty"`
	Fallback  string                   `json:"fallback,omitempty"` // why a simpler splitter was used
	Born      document.Version         `json:"born"`               // version in which it came
	Views     []document.View          `json:"views"`
	Sinks     map[document.Sink]string `json:"sinks"`
}

// SearchExplanation is what a search has made of a document.
type SearchExplanation struct {
	Verdict Verdict           `json:"verdict"`
	Summary string            `json:"summary"`
	Next    []string          `json:"next,omitempty"`
	Actions []document.Action `json:"actions,omitempty"`
	// Stage is where its best passage was lost: filter, index, recall, gate,
	// resolve, diversify or k.
	Stage string `json:"stage,omitempty"`
	// Rank is that of its best hit in the answer, 0 for none.
	Rank  int    `json:"rank"`
	Hits  int    `json:"hits"`
	K     int    `json:"k"`
	Depth int    `json:"depth"` // passages that each channel was asked for at last
	Class string `json:"class"`
	// Understood is that of the answer.
	Understood *Understood `json:"understood,omitempty"`
	// Terms are what the lexical channel looks for.
	Terms []TermState `json:"terms"`
	// Corrected is that of the answer; its terms have the word as it was typed.
	Corrected []Corrected    `json:"corrected,omitempty"`
	Passages  []PassageState `json:"passages"` // best first
	Trace     []TraceStage   `json:"trace"`
	Degraded  []string       `json:"degraded,omitempty"`
}

// TermState is a term of a query.
type TermState struct {
	Term   string  `json:"term"` // as the index has it
	Word   string  `json:"word"` // as it was typed
	Weight float64 `json:"weight"`
	With   int     `json:"with"` // passages of the searched collections that hold it
	Held   bool    `json:"held"` // some passage of the document does
}

// PassageState is the way of one passage through a search.
type PassageState struct {
	ID        document.ChunkID `json:"id"`
	StartLine int              `json:"start_line"`
	EndLine   int              `json:"end_line"`
	Symbol    string           `json:"symbol,omitempty"`
	// Channels are its ranks, also behind the over-fetch; rank 0 says that it
	// is behind Beyond passages. One that a channel cannot find is not in it.
	Channels map[string]PassageRank `json:"channels"`
	// Fused is its rank after the fusion of the channels, Ranked after the
	// signals, Final in an answer without end; 0 where it did not come that
	// far. Reranked is its rank among those that a reranker looked at.
	Fused    int                `json:"fused"`
	Ranked   int                `json:"ranked"`
	Reranked int                `json:"reranked,omitempty"`
	Final    int                `json:"final"`
	Score    float64            `json:"score"`
	Signals  map[string]float64 `json:"signals,omitempty"`
	Lost     string             `json:"lost,omitempty"` // stage, as in SearchExplanation
	Why      string             `json:"why,omitempty"`
	Lacks    []string           `json:"lacks,omitempty"` // words of the query that it does not hold
}

// PassageRank is a passage's standing in one channel.
type PassageRank struct {
	Rank    int     `json:"rank"` // from 1; 0: behind Beyond others
	Score   float64 `json:"score"`
	Fetched bool    `json:"fetched"` // the channel gave it to the search
	Beyond  int     `json:"beyond,omitempty"`
}
