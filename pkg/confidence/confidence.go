// Package confidence turns what is known of an answer into the probability
// that it is right. The query service applies what `freshet eval calibrate`
// fitted.
package confidence

import (
	"encoding/json"
	"math"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Calibration is what was fitted on tasks.
type Calibration struct {
	// Answer tells whether an answer is among the hits, Hit whether a hit is one, of
	// questions of a kind that has none of its own.
	Answer Model `json:"answer"`
	Hit    Model `json:"hit"`
	// Kinds are the kinds of questions that were fitted by themselves, by name.
	Kinds map[string]Kind `json:"kinds,omitempty"`
	// Passage tells whether a passage is what a question asks for by these two alone:
	// nothing else was found beside it that it could be held against.
	Passage Model `json:"passage"`
	// Low is the confidence below which there is nothing relevant, for questions of a
	// kind that has none of its own.
	Low float64 `json:"low"`
	// Tasks and Unanswerable count what it was fitted on.
	Tasks        int `json:"tasks"`
	Unanswerable int `json:"unanswerable"`
}

// Kind are the models for one kind of question.
type Kind struct {
	Answer Model `json:"answer"`
	Hit    Model `json:"hit"`
	// Low is the confidence below which there is nothing relevant; 0 where that is
	// never said of such a question.
	Low float64 `json:"low"`
}

// Kinds of questions that are told apart: by a text that stands so in some hit, by
// a name, by a file, an issue of several paragraphs, one that documentation answers, and
// everything else.
const (
	Text     = "text"
	Name     = "name"
	File     = "file"
	Issue    = "issue"
	Prose    = "prose"
	Sentence = "sentence"
)

// Kinds lists all of these. It must not be changed.
var Kinds = []string{Text, Name, File, Issue, Prose, Sentence}

// Evidence that tells the kind, 1 or 0: some hit holds the question as it was typed,
// or defines the name that it is; it looks like a name, or like the name of a file; it
// is an issue; at least half of the hits are in documentation.
const (
	AsTyped = "as_typed"
	AsNamed = "as_named"
	Symbol  = "symbol"
	Path    = "path"
	Report  = "issue"
	InProse = "in_prose"
)

// Marks are all of these. It must not be changed.
var Marks = []string{AsTyped, AsNamed, Symbol, Path, Report, InProse}

// OfPassage is the evidence that a passage and a question give by themselves,
// without a search that ranks it. It must not be changed.
var OfPassage = []string{"cover", "text", "name", "cosine", "prose", Symbol, Path}

// KindOf tells the kind of a question from the evidence for its answer or for a hit.
func KindOf(evidence map[string]float64) string {
	switch {
	case evidence[AsTyped] > 0 && evidence[Symbol] == 0 && evidence[AsNamed] == 0:
		return Text
	case evidence[AsNamed] > 0 || evidence[Symbol] > 0:
		return Name
	case evidence[Path] > 0:
		return File
	case evidence[Report] > 0:
		return Issue
	case evidence[InProse] > 0:
		return Prose
	}
	return Sentence
}

// OfAnswer returns the probability that an answer with this evidence has what was
// asked for among its hits, OfHit that a hit is it.
func (c *Calibration) OfAnswer(evidence map[string]float64) float64 {
	if k, ok := c.Kinds[KindOf(evidence)]; ok {
		return k.Answer.P(evidence)
	}
	return c.Answer.P(evidence)
}

// OfHit is OfAnswer for a hit.
func (c *Calibration) OfHit(evidence map[string]float64) float64 {
	if k, ok := c.Kinds[KindOf(evidence)]; ok {
		return k.Hit.P(evidence)
	}
	return c.Hit.P(evidence)
}

// LowOf returns the confidence below which an answer with this evidence has nothing
// relevant.
func (c *Calibration) LowOf(evidence map[string]float64) float64 {
	if k, ok := c.Kinds[KindOf(evidence)]; ok {
		return k.Low
	}
	return c.Low
}

// Relevance returns the probability that a passage is what a question asks for, by
// the evidence of OfPassage.
func (c *Calibration) Relevance(evidence map[string]float64) float64 { return c.Passage.P(evidence) }

// Model is a logistic regression over evidence, and a curve that corrects it
// where it is too sure or not sure enough.
type Model struct {
	Bias    float64  `json:"bias"`
	Weights []Weight `json:"weights"`
	// Curve are points of a function that never falls, from isotonic regression
	// (Barlow and others 1972), by At; between them it is linear. Without points
	// it is the logistic function itself, as in Platt scaling (1999).
	Curve []Point `json:"curve,omitempty"`
}

// Weight is what the evidence of a name counts.
type Weight struct {
	Name string  `json:"name"`
	By   float64 `json:"by"`
}

// Point says that a sum of At has the probability P.
type Point struct {
	At float64 `json:"at"`
	P  float64 `json:"p"`
}

// Surest is the most that is ever claimed; 1 − Surest the least. A few thousand
// tasks show no more.
const Surest = .99

// Parse reads a Calibration and checks that it can be applied.
func Parse(raw []byte) (*Calibration, error) {
	var c Calibration
	if err := json.Unmarshal(raw, &c); err != nil {
		return nil, document.Errorf(document.InvalidRequest, "the calibration is no JSON as a calibration writes it: %w", err).Do(document.DoCalibrate)
	}
	all := map[string]*Model{"answer": &c.Answer, "hit": &c.Hit, "passages": &c.Passage}
	for name, k := range c.Kinds {
		all["answers by "+name], all["hits by "+name] = &k.Answer, &k.Hit
	}
	for name, m := range all {
		if len(m.Weights) == 0 {
			return nil, document.Errorf(document.InvalidRequest, "the calibration has no weights for %s: fit it again", name)
		}
		for i, p := range m.Curve {
			if p.P < 0 || p.P > 1 || i > 0 && (p.At <= m.Curve[i-1].At || p.P < m.Curve[i-1].P) {
				return nil, document.Errorf(document.InvalidRequest, "the calibration's curve for %s falls at %v: fit it again", name, p.At)
			}
		}
	}
	lows := map[string]float64{"all questions": c.Low}
	for name, k := range c.Kinds {
		lows[name] = k.Low
	}
	for name, low := range lows {
		if !(low >= 0 && low <= 1) {
			return nil, document.Errorf(document.InvalidRequest, "the calibration has low %v for %s: use 0 to 1", low, name)
		}
	}
	return &c, nil
}

// Sum returns the weighted sum of evidence. What the model does not know, or
// the evidence has not, counts nothing.
func (m *Model) Sum(evidence map[string]float64) float64 {
	sum := m.Bias
	for _, w := range m.Weights {
		sum += w.By * evidence[w.Name]
	}
	return sum
}

// P returns the probability for evidence.
func (m *Model) P(evidence map[string]float64) float64 { return m.At(m.Sum(evidence)) }

// At returns the probability for a sum.
func (m *Model) At(sum float64) float64 {
	return min(max(m.curve(sum), 1-Surest), Surest)
}

func (m *Model) curve(sum float64) float64 {
	c := m.Curve
	if len(c) == 0 {
		return Logistic(sum)
	}
	if sum <= c[0].At {
		return c[0].P
	}
	for i := 1; i < len(c); i++ {
		if sum <= c[i].At {
			part := (sum - c[i-1].At) / (c[i].At - c[i-1].At)
			return c[i-1].P + part*(c[i].P-c[i-1].P)
		}
	}
	return c[len(c)-1].P
}

// Logistic is 1/(1 + e^−x).
func Logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
