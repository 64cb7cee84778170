package vulture

import (
	"fmt"
	"time"

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
	// Unequal is what `freshet verify` finds when all has come to rest.
	Unequal Kind = "unequal"
	// Untold is a passage that was given under a lease and does not stand any more,
	// and of which an answer with the lease says nothing.
	Untold Kind = "untold"
	// FalseAlarm is what an answer tells of a passage that stands as it was given, that
	// its lease does not hold, or of which it was told before.
	FalseAlarm Kind = "false alarm"
	// Failure is an error instead of an answer, or a document given up.
	Failure Kind = "failure"
)

// Violation is one broken promise, with what is needed to look into it.
type Violation struct {
	Kind        Kind            `json:"kind"`
	Seed        uint64          `json:"seed"`
	Source      document.Source `json:"source,omitempty"`
	Path        document.Path   `json:"path,omitempty"`
	Class       string          `json:"class,omitempty"` // of the question
	Question    string          `json:"question,omitempty"`
	Options     string          `json:"options,omitempty"` // of the request
	Token       string          `json:"token,omitempty"`   // of the question
	AnswerToken string          `json:"answer_token,omitempty"`
	At          time.Time       `json:"at"`
	Took        time.Duration   `json:"-"`
	Expected    string          `json:"expected"`
	Seen        string          `json:"seen"`
	// History is what was written to the path, and what the log was seen to say of it.
	History string `json:"history,omitempty"`
}

// String returns all of it in one line.
func (v Violation) String() string {
	return fmt.Sprintf("%s: %s:%s: asked %q%s (%s) with token %q at %s, answered in %s with token %q: expected %s, saw %s (seed %d); %s",
		v.Kind, v.Source, v.Path, v.Question, v.Options, v.Class, v.Token, v.At.Format("15:04:05.000000"), v.Took.Round(time.Microsecond), v.AnswerToken, v.Expected, v.Seen, v.Seed, v.History)
}
