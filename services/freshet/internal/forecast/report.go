package forecast

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Report is what is to be expected. Sizes are bytes of content.
type Report struct {
	Root   string `json:"root"`
	Kind   string `json:"kind"` // as of contract.SourceInfo
	Branch string `json:"branch,omitempty"`
	Commit string `json:"commit,omitempty"`
	Git    string `json:"git,omitempty"`

	Collections []Collection `json:"collections"` // those that have documents
	Total       Collection   `json:"total"`       // its name is empty
	Sample      Sample       `json:"sample"`
	Disk        Disk         `json:"disk"`

	Folders []Folder `json:"folders"` // the largest, each with what is below it
	Skipped []Left   `json:"skipped"` // by reason, the largest first
	Ignored []Left   `json:"ignored"` // by rule, the largest first

	// AboveLimits is true for a source that will be held until it is accepted.
	AboveLimits bool `json:"above_limits"`
	// Advice are sentences that tell what to do next.
	Advice []string `json:"advice"`
	// Actions are what can be done beside them.
	Actions []document.Action `json:"actions,omitempty"`
}

// Estimate is a number that was counted, or extrapolated from a sample.
type Estimate struct {
	Value int64 `json:"value"`
	// Margin is half of the 95 % confidence interval; 0 for what was counted.
	Margin int64 `json:"margin"`
}

// Collection is what documents of one collection come to.
type Collection struct {
	Collection document.Collection `json:"collection,omitempty"`
	Documents  int                 `json:"documents"`
	Bytes      int64               `json:"bytes"`
	Passages   Estimate            `json:"passages"`
	Tokens     Estimate            `json:"tokens"` // of the embedder's input
	Embedder   string              `json:"embedder"`
	Cost       float64             `json:"cost"` // of embedding, in the currency of the price
	CostNote   string              `json:"cost_note"`
	Seconds    float64             `json:"seconds"` // on this machine, until all is searchable
}

// Sample says what was really cut and embedded.
type Sample struct {
	Exact     bool    `json:"exact"` // everything was
	Documents int     `json:"documents"`
	Bytes     int64   `json:"bytes"`
	Cutting   float64 `json:"cutting_seconds"`
	Embedding float64 `json:"embedding_seconds"`
}

// Disk is what the state folder will hold, in bytes.
type Disk struct {
	Log    int64  `json:"log"`
	Stores int64  `json:"stores"`
	Note   string `json:"note"` // where the figures are from
}

// Folder is a folder with documents.
type Folder struct {
	Path      document.Path `json:"path"`
	Documents int           `json:"documents"`
	Bytes     int64         `json:"bytes"`
	Share     float64       `json:"share"` // of all bytes, 0 to 1
}

// Left is what is left out for one reason.
type Left struct {
	Reason string `json:"reason"`
	Files  int    `json:"files"`
	Bytes  int64  `json:"bytes"`
	// Largest are some of them.
	Largest []Offender `json:"largest"`
}

// Offender is a file, or a folder that is left out as a whole.
type Offender struct {
	Path   document.Path `json:"path"`
	Folder bool          `json:"folder,omitempty"`
	Files  int           `json:"files"`
	Bytes  int64         `json:"bytes"`
}

func newReport(s contract.SourceInfo) Report {
	return Report{
		Root: s.Root, Kind: s.Kind, Branch: s.Branch, Commit: s.Commit, Git: s.Git,
		Collections: []Collection{}, Folders: []Folder{}, Skipped: []Left{}, Ignored: []Left{}, Advice: []string{},
	}
}
