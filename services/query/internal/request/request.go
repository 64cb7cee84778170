// Package request checks a search request and puts it into the form that the
// stages of a search work with.
package request

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Stages that a request can leave out.
const (
	OffLexical = "lexical"
	OffVector  = "vector"
	OffSignals = "signals"
	OffPending = "pending"
	// OffLearned leaves out the reranker that was trained on tasks.
	OffLearned = "learned"
	OffRerank  = "rerank"
	// OffDiversify lets passages that say the same follow each other, and one file
	// have any number of hits.
	OffDiversify = "diversify"
	// OffKeyword leaves out what stands in for a lexical index that is down.
	OffKeyword = "keyword"
	// OffConfidence leaves out how sure the answer is of itself.
	OffConfidence = "confidence"
	// OffSpelling leaves a word alone that no passage has.
	OffSpelling = "spelling"
	// OffExact does not look for passages that hold the text as it was typed or
	// define the name that it is.
	OffExact = "exact"
)

var offNames = []string{OffLexical, OffVector, OffSignals, OffPending, OffLearned, OffRerank, OffConfidence, OffKeyword, OffDiversify, OffSpelling, OffExact}

// Limits are what the configuration allows.
type Limits struct {
	K, MaxK               int
	Deadline, MaxDeadline time.Duration
	Collections           []document.Collection // that are served
}

// Request is a search request that has been checked.
type Request struct {
	Scope
	Text     string   // without inline filters, never empty
	Variants []string // other wordings, none empty
	K        int
	MinScore float64
	// MinConfidence is what an answer must have to list hits, 0 to 1.
	MinConfidence float64
	Show          string // one of the contract's Text constants
	Explain       bool
	off           []string
}

// Off reports whether the caller left a stage out.
func (r *Request) Off(stage string) bool { return slices.Contains(r.off, stage) }

// Parse checks in. Every error is an InvalidRequest that names what is wrong
// and what would be right.
func Parse(in contract.SearchRequest, limits Limits) (*Request, error) {
	if err := contract.CheckLimits(in); err != nil {
		return nil, err // a longer query is a paste by mistake
	}
	if !utf8.ValidString(in.Query) {
		return nil, document.Errorf(document.InvalidRequest, "the query is not valid UTF-8: send it as UTF-8")
	}
	if strings.TrimSpace(in.Query) == "" {
		return nil, document.Errorf(document.InvalidRequest, "the query is empty: say what to look for")
	}
	text, inline := SplitInline(in.Query)
	if text == "" {
		return nil, document.Errorf(document.InvalidRequest, "the query %q has only filters: add what to look for", in.Query)
	}
	r := &Request{
		Text: text, K: limits.K, MinScore: in.MinScore, MinConfidence: in.MinConfidence, Show: in.Text, Explain: in.Explain, off: in.Off,
	}
	wants := Wants{Collections: in.Collections, Filter: in.Filter, Token: in.Token, Commit: in.Commit, DeadlineMS: in.DeadlineMS}
	for _, step := range []func() error{
		func() error { return r.bounds(in, limits) },
		func() error { return r.modes(in) },
		func() error { return r.variants(in.Variants) },
		func() error { return r.Scope.parse(wants, inline, limits) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Request) bounds(in contract.SearchRequest, limits Limits) error {
	if in.K != nil {
		r.K = *in.K
		if r.K < 1 || r.K > limits.MaxK {
			return document.Errorf(document.InvalidRequest, "k is %d: choose 1 to %d", r.K, limits.MaxK)
		}
	}
	if in.MinScore < 0 || math.IsNaN(in.MinScore) || math.IsInf(in.MinScore, 0) {
		return document.Errorf(document.InvalidRequest, "min_score is %v: choose 0 or more", in.MinScore)
	}
	if !(in.MinConfidence >= 0 && in.MinConfidence <= 1) {
		return document.Errorf(document.InvalidRequest, "min_confidence is %v: choose 0 to 1", in.MinConfidence)
	}
	if in.MinConfidence > 0 && r.Off(OffConfidence) {
		return document.Errorf(document.InvalidRequest, "min_confidence needs the stage confidence: take it out of off")
	}
	return nil
}

func (r *Request) modes(in contract.SearchRequest) error {
	switch in.Text {
	case "":
		r.Show = contract.TextExcerpt
	case contract.TextNone, contract.TextExcerpt, contract.TextFull:
	default:
		return document.Errorf(document.InvalidRequest, "text is %q: choose none, excerpt or full", in.Text)
	}
	for _, name := range in.Off {
		if !slices.Contains(offNames, name) {
			return document.Errorf(document.InvalidRequest, "off names %q: choose from %s", name, strings.Join(offNames, ", "))
		}
	}
	if r.Off(OffLexical) && r.Off(OffVector) {
		return document.Errorf(document.InvalidRequest, "off leaves out lexical and vector: keep at least one of them")
	}
	return nil
}

func (r *Request) variants(wordings []string) error {
	for _, v := range wordings {
		if !utf8.ValidString(v) {
			return document.Errorf(document.InvalidRequest, "a variant of the query is not valid UTF-8: send it as UTF-8")
		}
		if strings.TrimSpace(v) == "" {
			return document.Errorf(document.InvalidRequest, "a variant of the query is empty: word it, or leave it out")
		}
		if _, in := SplitInline(v); len(in.Languages)+len(in.Paths)+len(in.Sources)+len(in.Kinds) > 0 {
			return document.Errorf(document.InvalidRequest, "the variant %q has a filter: filters stand in the query, for all wordings", v)
		}
		r.Variants = append(r.Variants, strings.TrimSpace(v))
	}
	return nil
}
