package vulture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Kind is a way in which a promise is broken.
type Kind string

// The kinds of violation.
const (
	// Stale is a passage that the path cannot have held at the answer's token.
	Stale Kind = "stale"
	// Ghost is a passage of a path that was gone at the answer's token.
	Ghost Kind = "ghost"
	// Missing is a word that the question's token covers and no hit shows.
	Missing Kind = "missing"
	// WrongVersion is a hit that names another version than the log held at the
	// answer's token, although its text is the same.
	WrongVersion Kind = "wrong version"
	// Late is a document that is pending in an answer before its deadline,
	// although the question's token covers it.
	Late Kind = "late"
	// Duplicate is a passage that stands twice in one answer.
	Duplicate Kind = "duplicate"
	// WrongLines is a text that does not stand in the lines named.
	WrongLines Kind = "wrong lines"
	// Backwards is an answer whose token is older than what was acknowledged
	// before it was asked for.
	Backwards Kind = "backwards"
	// Unfresh is a share of fresh answers below the promise.
	Unfresh Kind = "unfresh"
	// Unseen is a write that never came into the log.
	Unseen Kind = "unseen"
	// Orphan is a chunk in a store that only a sweep or a query's report
	// removed.
	Orphan Kind = "orphan"
	// Lost is a chunk that is listed and that a store did not hold.
	Lost Kind = "lost"
	// Failure is an error instead of an answer, or a document given up.
	Failure Kind = "failure"
)

// Violation is one broken promise, with what is needed to look into it.
type Violation struct {
	Kind        Kind
	Seed        uint64
	Path        document.Path
	Class       string // of the question
	Question    string
	Token       string // of the question
	AnswerToken string
	At          time.Time
	Took        time.Duration
	Expected    string
	Seen        string
}

// String returns all of it in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s: %s: asked %q (%s) with token %q at %s, answered in %s with token %q: expected %s, saw %s (seed %d)",
		v.Kind, v.Path, v.Question, v.Class, v.Token, v.At.Format("15:04:05.000000"), v.Took.Round(time.Microsecond), v.AnswerToken, v.Expected, v.Seen, v.Seed)
}

// Quantiles of a duration.
type Quantiles struct{ P50, P99, Max time.Duration }

func quantiles(all []time.Duration) Quantiles {
	if len(all) == 0 {
		return Quantiles{}
	}
	s := slices.Sorted(slices.Values(all))
	at := func(q float64) time.Duration { return s[min(len(s)-1, int(q*float64(len(s))))] }
	return Quantiles{P50: at(0.5), P99: at(0.99), Max: s[len(s)-1]}
}

func (q Quantiles) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, max %s", q.P50.Round(time.Millisecond/10), q.P99.Round(time.Millisecond/10), q.Max.Round(time.Millisecond/10))
}

// Report is what a vulture did and found.
type Report struct {
	Seed        uint64
	Interrupted bool
	Duration    time.Duration
	Writes      map[string]int // by operation
	Announced   int            // writes with a token
	Questions   map[string]int // by class
	Hits        int            // of the vulture's files
	Exact       int            // hits compared with the very version that the log held
	Errors      int            // failed requests
	Degraded    map[string]int // answers by what they were degraded by

	WithToken int // questions with a token that were answered
	Young     int // of those, asked within 100 ms of the token
	Fresh     int // of those, answered within 2 s with nothing pending that the token covers
	Certain   int // questions whose word stood in every possible content
	// Wait is the time from question to answer of questions with a token.
	Wait Quantiles
	// Noticed is the time from the end of a write that nobody announced to
	// its version in the log.
	Noticed Quantiles
	// Files, Words and Swept are of the state at rest.
	Files int // that exist
	Words int // looked for at rest
	Swept contract.SweepReply
	// Repaired is how many chunks the deployment removed during the run
	// because a query was given them by a store and found them in no log.
	Repaired uint64

	violations []Violation
}

// Violations returns every broken promise, in the order of discovery.
func (r Report) Violations() []Violation { return slices.Clone(r.violations) }

// Count is the number of violations of a kind.
func (r Report) Count(k Kind) int {
	n := 0
	for _, v := range r.violations {
		if v.Kind == k {
			n++
		}
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

// String returns a table.
func (r Report) String() string {
	var b strings.Builder
	t := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	row := func(name string, format string, args ...any) {
		_, _ = fmt.Fprintf(t, "%s\t"+format+"\n", append([]any{name}, args...)...)
	}
	row("seed", "%d", r.Seed)
	row("time", "%s", r.Duration.Round(time.Millisecond))
	row("writes", "%s", tally(r.Writes))
	row("announced", "%d", r.Announced)
	row("questions", "%s", tally(r.Questions))
	row("hits judged", "%d, %d against the very version in the log", r.Hits, r.Exact)
	row("with token", "%d, %d of a token younger than %s, %d of a word that must be there", r.WithToken, r.Young, youngAge, r.Certain)
	row("fresh in time", "%d of %d (%.2f %%)", r.Fresh, r.WithToken, 100*r.FreshShare())
	row("wait with token", "%s", r.Wait)
	row("write to log", "%s (not announced)", r.Noticed)
	row("failed requests", "%d", r.Errors)
	if len(r.Degraded) > 0 {
		row("degraded", "%s", tally(r.Degraded))
	}
	row("at rest", "%d files, %d words looked for", r.Files, r.Words)
	row("swept", "%d removed, %d restored of %d", r.Swept.Removed, r.Swept.Restored, r.Swept.Compared)
	row("repaired", "%d removed after a query had met them", r.Repaired)
	row("violations", "%d", len(r.violations))
	kinds := map[string]int{}
	for _, v := range r.violations {
		kinds[string(v.Kind)]++
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		row("  "+k, "%d", kinds[k])
	}
	_ = t.Flush() // a strings.Builder does not fail
	return b.String()
}

// tally returns the sum and its parts.
func tally(counts map[string]int) string {
	sum := 0
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(counts)) {
		sum += counts[k]
		parts = append(parts, fmt.Sprintf("%s %d", k, counts[k]))
	}
	return fmt.Sprintf("%d (%s)", sum, strings.Join(parts, ", "))
}
