package vulture

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Report is what a vulture did and found.
type Report struct {
	Seed        uint64         `json:"seed"`
	Settings    Settings       `json:"settings,omitempty"` // of the deployment, as far as they were drawn
	Interrupted bool           `json:"interrupted"`
	Duration    time.Duration  `json:"-"`
	Writes      map[string]int `json:"writes"`    // by operation
	Announced   int            `json:"announced"` // writes with a token
	Questions   map[string]int `json:"questions"` // by class
	Checked     int            `json:"checked"`   // answers that came and were judged
	Hits        int            `json:"hits"`      // of the vulture's files
	Exact       int            `json:"exact"`     // hits compared with the very version that the log held
	Errors      int            `json:"errors"`    // failed requests
	Degraded    map[string]int `json:"degraded"`  // answers by what they were degraded by

	WithToken int `json:"with_token"` // questions with a token that were answered
	Young     int `json:"young"`      // of those, asked within 100 ms of the token
	Fresh     int `json:"fresh"`      // of those, answered within 2 s with nothing pending that the token covers
	Certain   int `json:"certain"`    // questions whose word stood in every possible content
	// Lined are the documents whose lines were shown and judged, LinedExact those
	// compared with the very version that the log held, LinedCertain those that had
	// to be shown, and Unsearched those of them that an answer told as not searched.
	Lined        int `json:"lined"`
	LinedExact   int `json:"lined_exact"`
	LinedCertain int `json:"lined_certain"`
	Unsearched   int `json:"unsearched"`
	// Read are the answers with lines of a document, Outlined those with what one
	// defines, by Defined definitions (Uncut: not known yet), Folders those with what is
	// in a folder, Packed the passages in contexts, Related the answers with what is
	// related to a passage, by Relatives passages, CertainRelatives the relations that
	// these had to show, SaidGone the answers that there is no such document; ShownExact
	// of all these were compared with the very version that the log held.
	Read             int `json:"read"`
	Outlined         int `json:"outlined"`
	Defined          int `json:"defined"`
	Uncut            int `json:"uncut"`
	Folders          int `json:"folders"`
	Packed           int `json:"packed"`
	Related          int `json:"related"`
	Relatives        int `json:"relatives"`
	CertainRelatives int `json:"certain_relatives"`
	SaidGone         int `json:"said_gone"`
	ShownExact       int `json:"shown_exact"`
	// KeptTold is how often kept questions were told something, and KeptCertain how many
	// of them had to be.
	KeptTold    int `json:"kept_told"`
	KeptCertain int `json:"kept_certain"`
	// Leased are the passages that were given under a lease, Told what answers told of
	// them afterwards, by what became of them, ToldExact of it what was compared with
	// the very version named, and LeaseUnchecked the passages that an answer told as
	// not looked at.
	Leased         int            `json:"leased"`
	Told           map[string]int `json:"told"`
	ToldExact      int            `json:"told_exact"`
	LeaseUnchecked int            `json:"lease_unchecked"`
	// Wait is the time from question to answer of questions with a token.
	Wait Quantiles `json:"wait"`
	// Noticed is the time from the end of a write that nobody announced to
	// its version in the log.
	Noticed Quantiles `json:"noticed"`
	// Overlooked are the files whose last write only a comparison of the
	// sources found.
	Overlooked int `json:"overlooked"`
	// Rested says that the deployment was compared at rest; Files, Words and
	// Swept are of then.
	Rested bool                `json:"rested"`
	Files  int                 `json:"files"` // that exist
	Words  int                 `json:"words"` // looked for at rest
	Swept  contract.SweepReply `json:"swept"`
	// Repaired is how many chunks the deployment removed during the run
	// because a query was given them by a store and found them in no log.
	Repaired uint64 `json:"repaired"`
	// Counts are the violations by their kind.
	Counts map[Kind]int `json:"counts"`

	violations []Violation
}

// maxViolations is how many violations are kept in full; all are counted.
const maxViolations = 1000

func (r *Report) add(v Violation) {
	r.Counts[v.Kind]++
	if len(r.violations) < maxViolations {
		r.violations = append(r.violations, v)
	}
}

// Violations returns broken promises, in the order of discovery; the first
// 1000 of them.
func (r Report) Violations() []Violation { return slices.Clone(r.violations) }

// Broken is the number of all violations.
func (r Report) Broken() int {
	n := 0
	for _, count := range r.Counts {
		n += count
	}
	return n
}

// FreshShare is the share of questions with a token that were answered fresh
// in time; 1 when none was asked.
func (r Report) FreshShare() float64 {
	if r.WithToken == 0 {
		return 1
	}
	return float64(r.Fresh) / float64(r.WithToken)
}

// MarshalJSON returns everything, with the violations.
func (r Report) MarshalJSON() ([]byte, error) {
	type plain Report
	return json.Marshal(struct {
		plain
		Seconds    float64     `json:"seconds"`
		FreshShare float64     `json:"fresh_share"`
		Violations []Violation `json:"violations"`
	}{plain(r), r.Duration.Seconds(), r.FreshShare(), r.violations})
}
