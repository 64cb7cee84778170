package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// BucketStanding is the key-value bucket of the questions that are kept. One that
// nobody extends ends after StandingTime.
const (
	BucketStanding = "freshet_standing"
	StandingTime   = 24 * time.Hour
)

// KeyStanding is the key in BucketMeta of the version up to which everything that
// kept questions ask for was told, in decimal digits.
const KeyStanding = "standing"

// MostStanding is how many questions are kept at a time.
const MostStanding = 2000

// MostOwnStanding is how many of them a principal keeps who is not the owner of the
// whole, so that nobody takes the room of all.
const MostOwnStanding = 200

// DefaultRelevance is the least relevance of a passage that is told where the
// question names none.
const DefaultRelevance = .3

// Standing is the value of a key of BucketStanding; the key is the question's id.
type Standing struct {
	Question StandingQuestion `json:"question"`
	// Named are the sources that the question names: it goes with the first of them
	// that is removed.
	Named []document.Source `json:"named,omitempty"`
	// After is the version up to which all was searchable when the question was kept:
	// only what is newer is told.
	After document.Version `json:"after"`
	// Until is when it ends, unless it is extended.
	Until time.Time `json:"until"`
	// Owner is the name of the principal that keeps it: it is told what that one may
	// see at that moment. Nobody is one who sees everything.
	Owner string `json:"owner,omitempty"`
}

// WatchAdd is the body of a request on freshet.watch.add, with one of both.
type WatchAdd struct {
	// Question is one that is to be kept.
	Question *StandingQuestion `json:"question,omitempty"`
	// ID is that of a question whose end is put off.
	ID string `json:"id,omitempty" limit:"64"`
}

// StandingQuestion is what a kept question asks for.
type StandingQuestion struct {
	Query       string                `json:"query" limit:"4096"`
	Collections []document.Collection `json:"collections,omitempty" limit:"64"`
	Filter      Filter                `json:"filter,omitzero"`
	// MinRelevance is the least relevance of a passage that is told, above 0 to 1.
	MinRelevance float64 `json:"min_relevance,omitempty"`
}

// Watched is a question that is kept.
type Watched struct {
	ID       string           `json:"id"`
	Question StandingQuestion `json:"question"`
	// Subject is where its hits are told.
	Subject string `json:"subject"`
	Seconds int    `json:"seconds"` // until it ends, unless it is extended
	// Token is the state of the log that it tells what is newer than.
	Token document.Token `json:"token"`
}

// WatchRemove is the body of a request on freshet.watch.remove.
type WatchRemove struct {
	ID string `json:"id" limit:"64"`
}

// WatchList is the answer on freshet.watch.list and freshet.watch.remove: what is
// kept, by id.
type WatchList struct {
	Questions []Watched `json:"questions"`
}

// StandingHit is a message on freshet.standing.<id>: a document has a new version
// that is searchable, with a new passage that answers a kept question. It is core
// NATS: who does not listen misses it. It is told once for a version of a document;
// after a process was killed it may be told again.
type StandingHit struct {
	ID string `json:"id"` // of the question
	// Relevance is the probability that the passage is what the question asks for.
	Relevance float64 `json:"relevance"`
	// Hit is the new passage of the document that answers best, and More how many
	// others answer, too.
	Hit  Hit `json:"hit"`
	More int `json:"more,omitempty"`
	// Owner is the principal that keeps the question, where one is known.
	Owner string `json:"owner,omitempty"`
	// Token is the state of the log that nothing in the message contradicts.
	Token document.Token `json:"token"`
}

// AllStanding are the subjects on which hits of kept questions are told.
const AllStanding = "freshet.standing.*"

// OwnStanding is the place below a user's inbox where the hits of its own question of an
// id are told as well, "*" for all: there it hears them where rules keep it from the
// others'.
func OwnStanding(user, id string) string { return InboxOf(user) + ".standing." + id }

// StandingSubject is the core NATS subject on which the hits of a kept question are
// told.
func StandingSubject(id string) string { return "freshet.standing." + id }
