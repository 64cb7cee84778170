package contract

import (
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// BucketEvaluations is the key-value bucket of golden questions, by source, and of what
// evaluations by them found.
const BucketEvaluations = "freshet_evaluations"

// How much of either is kept: each list has room in one message.
const (
	MostGolden      = 500
	MostEvaluations = 100
	// LongestGolden bounds a golden question in bytes, as JSON.
	LongestGolden = 1600
)

// GoldenKey is the key of a golden question in BucketEvaluations.
func GoldenKey(s document.Source, id string) string { return string(s) + "." + id }

// GoldenOf are the keys of the golden questions of a source, as a pattern.
func GoldenOf(s document.Source) string { return GoldenKey(s, "*") }

// EvaluationKey is the key of an evaluation in BucketEvaluations: no source has capitals.
func EvaluationKey(id string) string { return "RUN." + id }

// GoldenQuestion is a question whose answer somebody knows: what freshet.golden.put keeps,
// in place of one of the same words to the same source.
type GoldenQuestion struct {
	// ID is made of the words, By and Time say who put it and when: the service fills
	// them in.
	ID string `json:"id,omitempty" limit:"32"`
	// Source is the one that is asked.
	Source document.Source `json:"source"`
	Query  string          `json:"query" limit:"1024"`
	// Answers are the places that answer it; none: nothing in the source does.
	Answers []GoldenAnswer `json:"answers,omitempty" limit:"8"`
	By      string         `json:"by,omitempty" limit:"256"`
	Time    time.Time      `json:"time,omitzero"`
}

// GoldenAnswer is a document, or lines of it, both included and from 1.
type GoldenAnswer struct {
	Path      document.Path `json:"path"`
	StartLine int           `json:"start_line,omitempty"`
	EndLine   int           `json:"end_line,omitempty"`
}

// GoldenList answers requests on freshet.golden.list, .put and .remove.
type GoldenList struct {
	Questions []GoldenQuestion `json:"questions"` // by source and words
}

// GoldenRemove is the body of a request on freshet.golden.remove.
type GoldenRemove struct {
	Source document.Source `json:"source"`
	ID     string          `json:"id" limit:"32"`
}

// EvaluateRequest is the body of a request on freshet.evaluation.run: the golden
// questions are asked as it is configured, and once more in each other way.
type EvaluateRequest struct {
	Note string          `json:"note,omitempty" limit:"256"` // what it is about
	Arms []EvaluationArm `json:"arms,omitempty" limit:"3"`
}

// EvaluationArm is a way to ask: what it names takes the place of what is configured.
type EvaluationArm struct {
	Name string `json:"name" limit:"64"`
	// Off, Ranking and MinConfidence are as in SearchRequest.
	Off           []string          `json:"off,omitempty" limit:"64,64"`
	Ranking       map[string]string `json:"ranking,omitempty" limit:"64,64,64"`
	MinConfidence float64           `json:"min_confidence,omitempty"`
}

// EvaluationPart is one message of the answer: how far it is, and last what was found.
type EvaluationPart struct {
	Done       int         `json:"done"`  // questions that were asked, in all ways
	Total      int         `json:"total"` // that are to be
	Evaluation *Evaluation `json:"evaluation,omitempty"`
}

// Evaluation is what was found. It is kept, and has no text of a question or document.
type Evaluation struct {
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	By      string    `json:"by,omitempty"`
	Note    string    `json:"note,omitempty"`
	Version string    `json:"version"` // of freshet
	// Answerable and Unanswerable are how many questions there were of each kind.
	Answerable   int `json:"answerable"`
	Unanswerable int `json:"unanswerable"`
	// Arms are the ways in which they were asked; the first is as configured.
	Arms []EvaluatedArm `json:"arms"`
	// Questions are the single ones; a list of evaluations leaves them out.
	Questions []EvaluatedQuestion `json:"questions,omitempty"`
}

// EvaluatedArm is what was found in one way.
type EvaluatedArm struct {
	Arm EvaluationArm `json:"arm"`
	// Figures are means over the answerable questions, each from 0 to 1, by their names,
	// such as mrr and ndcg@10_files.
	Figures map[string]EvaluatedFigure `json:"figures"`
	// Refused are the unanswerable questions for which nothing was listed, or nothing
	// relevant.
	Refused int `json:"refused"`
	Failed  int `json:"failed,omitempty"` // questions without an answer in time
	// P50MS and P99MS are milliseconds from question to answer.
	P50MS float64 `json:"p50_ms"`
	P99MS float64 `json:"p99_ms"`
}

// EvaluatedFigure is a mean with its 95 % interval.
type EvaluatedFigure struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	// Against compares with the first arm, question by question; nil of that one.
	Against *EvaluatedDifference `json:"against,omitempty"`
}

// EvaluatedDifference is how much a figure differs from that of the first arm.
type EvaluatedDifference struct {
	Value float64 `json:"value"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	P     float64 `json:"p"`    // how often chance makes as much
	Wins  int     `json:"wins"` // questions that are better
	Loses int     `json:"loses"`
}

// EvaluatedQuestion says where the answers of a question stood.
type EvaluatedQuestion struct {
	Source document.Source `json:"source"`
	ID     string          `json:"id"`
	// Ranks are those of the first right file, by arm; 0: it is not among the first ten.
	// Of an unanswerable question 1 says that it was refused.
	Ranks []int `json:"ranks"`
}

// EvaluationListRequest is the body of a request on freshet.evaluation.list.
type EvaluationListRequest struct {
	// ID asks for one alone, with its questions.
	ID string `json:"id,omitempty" limit:"32"`
}

// EvaluationList is the answer, and that on freshet.evaluation.remove.
type EvaluationList struct {
	Evaluations []Evaluation `json:"evaluations"` // the newest first
}

// EvaluationRemove is the body of a request on freshet.evaluation.remove.
type EvaluationRemove struct {
	ID string `json:"id" limit:"32"`
}
