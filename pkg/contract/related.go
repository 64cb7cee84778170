package contract

import "github.com/freshet-dev/freshet/pkg/document"

// How one passage is related to another.
const (
	RelatedCalls    = "calls"     // it defines a name that the passage uses
	RelatedCalledBy = "called_by" // it uses a name that the passage defines
	RelatedTests    = "tests"     // the same, of a test
	RelatedNear     = "near"      // it says something alike, by its vector
)

// Relations lists them, in the order in which an answer has them.
var Relations = []string{RelatedCalls, RelatedCalledBy, RelatedTests, RelatedNear}

// RelatedRequest is the body of a request on freshet.query.related: what has to do
// with one passage.
type RelatedRequest struct {
	// Source may be left out where one source alone has a document of that path.
	Source document.Source `json:"source,omitempty"`
	Path   document.Path   `json:"path"` // in the encoded form, as answers have it
	// View is the worktree where there is one, else the first by name. Related
	// passages are those of the same view, where it is named.
	View document.View `json:"view,omitempty"`
	// Line is one of the passage, from 1; of a passage that defines several names it
	// tells which is meant.
	Line int `json:"line,omitempty"`
	// ID is that of the passage, in place of a line.
	ID *document.ChunkID `json:"id,omitempty"`
	// Relations are those that are wanted; all by default.
	Relations []string `json:"relations,omitempty" limit:"4,64"`
	// Limit bounds the passages of each relation, 1 to 50; default 5.
	Limit int `json:"limit,omitempty"`
	// Filter narrows what is related, and not the passage itself; it names no views.
	Filter     Filter `json:"filter,omitzero"`
	Text       string `json:"text,omitempty" limit:"64"`  // none, excerpt (default), full
	Token      string `json:"token,omitempty" limit:"64"` // as in a search
	Commit     string `json:"commit,omitempty" limit:"256"`
	DeadlineMS int    `json:"deadline_ms,omitempty"`      // default 2,000
	Lease      string `json:"lease,omitempty" limit:"64"` // as in a search
}

// RelatedReply is the answer.
type RelatedReply struct {
	Of RelatedOf `json:"of"`
	// Related are the passages, by their first relation in the order of Relations,
	// and the best first.
	Related []Related `json:"related"`
	// Token is the state of the log that nothing in the answer contradicts.
	Token    document.Token `json:"token"`
	Pending  []PendingPath  `json:"pending,omitempty"`
	Failed   []FailedPath   `json:"failed,omitempty"`
	Degraded []string       `json:"degraded,omitempty"`
	// Actions are what can be done about Degraded.
	Actions []document.Action `json:"actions,omitempty"`
	TookMS  float64           `json:"took_ms"`
	Lease   *LeaseNews        `json:"lease,omitempty"`
}

// RelatedOf is the passage that was asked about.
type RelatedOf struct {
	Source    document.Source `json:"source"`
	View      document.View   `json:"view"`
	Path      document.Path   `json:"path"`
	StartLine int             `json:"start_line"`
	EndLine   int             `json:"end_line"`
	// Names are those that the passage defines and that are meant: whose uses were
	// looked for.
	Names    []string         `json:"names,omitempty"`
	Kind     string           `json:"kind,omitempty"`
	Language string           `json:"language,omitempty"`
	Headings []string         `json:"headings,omitempty"`
	Version  document.Version `json:"version"`
	ID       document.ChunkID `json:"id"`
	Pending  bool             `json:"pending,omitempty"` // as that of a hit
}

// Related is a passage that has to do with another.
type Related struct {
	// Why says how, in the order of Relations.
	Why []Relation `json:"why"`
	// Passage has in Line the use, or the definition.
	Passage Hit `json:"passage"`
}

// Relation is how a passage is related.
type Relation struct {
	Relation string `json:"relation"`
	// Name is what is used there, or here; "" for what is near.
	Name string `json:"name,omitempty"`
}
