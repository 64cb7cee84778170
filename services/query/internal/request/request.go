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
	"github.com/freshet-dev/freshet/pkg/pathset"
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

// Latest is the token that stands for the log's last sequence at arrival.
const Latest = "latest"

// Limits are what the configuration allows.
type Limits struct {
	K, MaxK               int
	Deadline, MaxDeadline time.Duration
	Collections           []document.Collection // that are served
}

// Request is a search request that has been checked.
type Request struct {
	Text        string   // without inline filters, never empty
	Variants    []string // other wordings, none empty
	Collections []document.Collection
	Sources     []document.Source
	Views       []document.View
	Languages   []string
	Kinds       []string
	Paths       *pathset.Set // never nil
	K           int
	MinScore    float64
	// MinConfidence is what an answer must have to list hits, 0 to 1.
	MinConfidence float64
	Token         document.Token // zero: none, or the latest
	Latest        bool
	Commit        string // lower case; empty for none
	Deadline      time.Duration
	Show          string // one of the contract's Text constants
	Explain       bool
	off           []string
}

// Off reports whether the caller left a stage out.
func (r *Request) Off(stage string) bool { return slices.Contains(r.off, stage) }

// WantsToken reports whether the answer must have a certain freshness.
func (r *Request) WantsToken() bool { return r.Latest || !r.Token.IsZero() || r.Commit != "" }

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
		Views: in.Filter.Views, Deadline: limits.Deadline,
	}
	for _, step := range []func() error{
		func() error { return r.bounds(in, limits) },
		func() error { return r.modes(in) },
		func() error { return r.variants(in.Variants) },
		func() error { return r.token(in.Token) },
		func() error { return r.commit(in.Commit) },
		func() error { return r.collections(in.Collections, limits.Collections) },
		func() error { return r.filter(in.Filter, inline) },
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
	if in.DeadlineMS < 0 {
		return document.Errorf(document.InvalidRequest, "deadline_ms is %d: choose 1 to %d", in.DeadlineMS, limits.MaxDeadline.Milliseconds())
	}
	if in.DeadlineMS > 0 {
		if int64(in.DeadlineMS) > limits.MaxDeadline.Milliseconds() {
			return document.Errorf(document.InvalidRequest, "deadline_ms is %d: choose 1 to %d", in.DeadlineMS, limits.MaxDeadline.Milliseconds())
		}
		r.Deadline = time.Duration(in.DeadlineMS) * time.Millisecond
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

func (r *Request) token(text string) error {
	switch text {
	case "":
		return nil
	case Latest:
		r.Latest = true
		return nil
	}
	t, err := document.ParseToken(text)
	if err != nil {
		return err
	}
	r.Token = t
	return nil
}

// The length of a commit's id: git shows no fewer than four digits, and SHA-256
// has 64.
const minCommit, maxCommit = 4, 64

func (r *Request) commit(text string) error {
	r.Commit = strings.ToLower(text)
	if text == "" {
		return nil
	}
	if len(text) < minCommit || len(text) > maxCommit || strings.Trim(r.Commit, "0123456789abcdef") != "" {
		return document.Errorf(document.InvalidRequest, "the commit %q is no id: give %d to %d hexadecimal digits, as `git rev-parse` prints them", text, minCommit, maxCommit)
	}
	return nil
}

func (r *Request) collections(asked, served []document.Collection) error {
	if len(asked) == 0 {
		r.Collections = served
		return nil
	}
	for _, c := range asked {
		if !slices.Contains(served, c) {
			return document.Errorf(document.InvalidRequest, "collection %q is not served: choose from %s", c, join(served))
		}
	}
	r.Collections = asked
	return nil
}

func (r *Request) filter(f contract.Filter, inline Inline) error {
	f.Sources, f.Paths = slices.Concat(f.Sources, inline.Sources), slices.Concat(f.Paths, inline.Paths)
	f.Languages, f.Kinds = slices.Concat(f.Languages, inline.Languages), slices.Concat(f.Kinds, inline.Kinds)
	if err := contract.CheckLimits(struct {
		Filter contract.Filter `json:"filter"`
	}{f}); err != nil {
		return err // with those in the query there are too many
	}
	for _, s := range f.Sources {
		if _, err := document.ParseSource(string(s)); err != nil {
			return err
		}
		r.Sources = append(r.Sources, s)
	}
	for _, l := range f.Languages {
		if strings.TrimSpace(l) == "" {
			return document.Errorf(document.InvalidRequest, "a language of the filter is empty: leave it out")
		}
		if err := r.addLanguage(l); err != nil {
			return err
		}
	}
	for _, k := range f.Kinds {
		if strings.TrimSpace(k) == "" {
			return document.Errorf(document.InvalidRequest, "a kind of the filter is empty: leave it out")
		}
		kind := strings.ToLower(k)
		if !slices.Contains(document.Kinds, kind) {
			return unknown("kind", kind, document.Kinds, "choose from "+strings.Join(document.Kinds, ", "))
		}
		r.Kinds = append(r.Kinds, kind)
	}
	if slices.Contains(f.Views, "") {
		return document.Errorf(document.InvalidRequest, "a view of the filter is empty: leave it out")
	}
	var err error
	r.Paths, err = ParsePaths(f.Paths)
	return err
}

// ParsePaths checks the paths of a filter. An error is an InvalidRequest.
func ParsePaths(entries []string) (*pathset.Set, error) {
	p, err := pathset.Parse(entries)
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "the filter's path %w", err)
	}
	return p, nil
}

func join[T ~string](list []T) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
