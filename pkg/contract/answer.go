package contract

import (
	"cmp"

	"github.com/freshet-dev/freshet/pkg/document"
)

// How an answer ended.
const (
	AnswerGiven   = "answered"
	AnswerUnknown = "unknown" // the passages do not hold it, says the model
	AnswerRefused = "refused" // nothing relevant was found, so no model was asked
)

// Why a sentence is not supported.
const (
	NoCitation   = "no_citation"    // it names no passage
	NoPassage    = "no_passage"     // it names one that there is not
	NotInPassage = "not_in_passage" // the passages that it names do not say it
)

// AnswerRequest is the body of a request on freshet.query.answer: a question, or a
// conversation of which the last turn is one, that a language model answers from packed
// passages. What is not said here is as in a ContextRequest.
type AnswerRequest struct {
	Query       string                `json:"query,omitempty" limit:"65536"`
	Turns       []Turn                `json:"turns,omitempty" limit:"64"`
	Collections []document.Collection `json:"collections,omitempty" limit:"64"`
	Filter      Filter                `json:"filter,omitzero"`
	TopK        int                   `json:"top_k,omitempty"`
	Preset      string                `json:"preset,omitempty" limit:"64"`
	// MinConfidence is the confidence below which no model is asked, 0 to 1.
	MinConfidence float64 `json:"min_confidence,omitempty"`
	// MaxTokens is what the packed passages may have.
	MaxTokens int    `json:"max_tokens,omitempty"`
	Token     string `json:"token,omitempty" limit:"64"`
	Commit    string `json:"commit,omitempty" limit:"256"`
	// DeadlineMS is the time for the passages, as in a search. The model has that of the
	// configuration.
	DeadlineMS int `json:"deadline_ms,omitempty"`
}

// AnswerPart is one message of the answer on freshet.query.answer: first the passages
// that the model was given, then its sentences as they come, each held against them, and
// the summary last. One of them is set.
type AnswerPart struct {
	Sources  []ContextPassage `json:"sources,omitempty"`
	Sentence *AnswerSentence  `json:"sentence,omitempty"`
	Summary  *AnswerSummary   `json:"summary,omitempty"`
}

// AnswerSentence is what the model said up to the end of a sentence, a line or a block of
// code; all of them in order are what it said.
type AnswerSentence struct {
	Text string `json:"text"`
	// Cites are the passages that it names and that say it, by their N.
	Cites []int `json:"cites,omitempty"`
	// Supported says that the passages that it names have its numbers, its names and most
	// of its words; Why is set where they do not.
	Supported bool   `json:"supported,omitempty"`
	Why       string `json:"why,omitempty"`
}

// AnswerSummary is how an answer ended.
type AnswerSummary struct {
	Outcome string `json:"outcome"`
	Model   string `json:"model,omitempty"` // that was asked
	Query   string `json:"query,omitempty"` // what was searched, where it is not what was asked
	// Sentences and Unsupported count what the model said.
	Sentences   int          `json:"sentences,omitempty"`
	Unsupported int          `json:"unsupported,omitempty"`
	Cut         bool         `json:"cut,omitempty"` // the model came to the end of what it may write
	Usage       *AnswerUsage `json:"usage,omitempty"`
	// Plan is how the question was searched beside its own words; nil where the model was
	// not asked for that.
	Plan *AnswerPlan `json:"plan,omitempty"`

	Confidence      *float64          `json:"confidence,omitempty"`
	NothingRelevant bool              `json:"nothing_relevant,omitempty"`
	Token           document.Token    `json:"token"`
	Pending         []PendingPath     `json:"pending,omitempty"`
	Failed          []FailedPath      `json:"failed,omitempty"`
	Degraded        []string          `json:"degraded,omitempty"`
	Actions         []document.Action `json:"actions,omitempty"`
	TookMS          float64           `json:"took_ms"`
}

// AnswerPlan is what the model proposed to search beside the question.
type AnswerPlan struct {
	// Class is one of AnswerClasses, as the model sees the question; empty where it has not
	// said. Preset is how many passages were packed for it, where the request left that open
	// and it is not the usual.
	Class    string   `json:"class,omitempty"`
	Preset   string   `json:"preset,omitempty"`
	Wordings []string `json:"wordings,omitempty"`
	// Why says why there are none: PlanLate, PlanFailed or PlanEmpty.
	Why    string  `json:"why,omitempty"`
	TookMS float64 `json:"took_ms"`
}

// The classes of questions.
const (
	ClassFact     = "fact"     // one place answers it
	ClassHowTo    = "how_to"   // the steps of one task do
	ClassOverview = "overview" // how several parts work together
	ClassList     = "list"     // every place of a kind
)

// AnswerClasses lists them.
var AnswerClasses = []string{ClassFact, ClassHowTo, ClassOverview, ClassList}

// Why a question is searched as it is.
const (
	PlanLate   = "late"   // the model took longer than it may
	PlanFailed = "failed" // its server did not answer as it should
	PlanEmpty  = "empty"  // it proposed nothing that could be searched
)

// AnswerUsage is what the model read and wrote, in tokens.
type AnswerUsage struct {
	In  int `json:"in"`
	Out int `json:"out"`
	// Counted says that the server counted them; else they are counted here, by the
	// tokenizer of the model or one like it.
	Counted bool `json:"counted,omitempty"`
	// Cost is by the prices of the configuration, in their currency; absent without any.
	Cost *float64 `json:"cost,omitempty"`
}

// And is both together; other may be nil.
func (u *AnswerUsage) And(other *AnswerUsage) *AnswerUsage {
	if u == nil || other == nil {
		return cmp.Or(u, other)
	}
	sum := &AnswerUsage{In: u.In + other.In, Out: u.Out + other.Out, Counted: u.Counted && other.Counted}
	if u.Cost != nil && other.Cost != nil {
		cost := *u.Cost + *other.Cost
		sum.Cost = &cost
	}
	return sum
}
