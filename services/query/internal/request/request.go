// Package request checks a search request and puts it into the form that the
// stages of a search work with.
package request

import (
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/issue"
	"github.com/freshet-dev/freshet/services/query/internal/places"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
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
	// OffFold lists a passage once for each place that it stands in.
	OffFold = "fold"
	// OffPlaces takes the lines of files that a question names for words.
	OffPlaces = "places"
	// OffParts takes an issue for any other text.
	OffParts = "parts"
)

var offNames = []string{OffLexical, OffVector, OffSignals, OffPending, OffLearned, OffRerank, OffConfidence, OffKeyword, OffDiversify, OffSpelling, OffExact, OffPlaces, OffParts, OffFold}

// Limits are what the configuration allows.
type Limits struct {
	K, MaxK               int
	Deadline, MaxDeadline time.Duration
	Collections           []document.Collection // that are served
}

// Request is a search request that has been checked.
type Request struct {
	Scope
	Reading *reading.Reading
	// Shortened says that Text is the beginning of what was asked.
	Shortened bool
	Headline  string         // what an issue is about; "" where the question is none
	Places    []places.Place // lines of files that the question names
	Text      string         // what is searched by words and by meaning, never empty
	Variants  []string       // other wordings, none empty
	K         int
	MinScore  float64
	// MinConfidence is what an answer must have to list hits, 0 to 1.
	MinConfidence float64
	Show          string // one of the contract's Text constants
	// PerFile is the most hits of one file; 0 where the request does not bound them.
	PerFile int
	Around  int // lines above and below the best one of an excerpt
	Explain bool
	Own     []document.Source // whose passages stand for their copies elsewhere
	off     []string
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
	read := reading.Read(in.Query)
	if read.Narrows() && !slices.Contains(in.Off, OffPlaces) && namesPlace(read.Typed) {
		read = reading.Paste(in.Query)
	}
	switch {
	case read.Text == "" && len(read.Without) > 0:
		return nil, document.Errorf(document.InvalidRequest, "the query %q says only what to leave out: add what to look for", in.Query)
	case read.Text == "":
		return nil, document.Errorf(document.InvalidRequest, "the query %q has only filters: add what to look for", in.Query)
	}
	r := &Request{
		Reading: read, Text: read.Text, K: limits.K, MinScore: in.MinScore, MinConfidence: in.MinConfidence, Show: in.Text, Around: in.Around, Explain: in.Explain, Own: in.Own, off: in.Off,
	}
	wants := Wants{Collections: in.Collections, Filter: in.Filter, Token: in.Token, Commit: in.Commit, DeadlineMS: in.DeadlineMS}
	for _, step := range []func() error{
		func() error { return r.bounds(in, limits) },
		func() error { return r.modes(in) },
		func() error { r.headline(); r.places(); r.shorten(); return nil },
		func() error { return r.variants(in.Variants) },
		func() error { return r.Scope.parse(wants, read, limits) },
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// headline takes what a question is about that is an issue.
func (r *Request) headline() {
	if !r.Off(OffParts) {
		r.Headline, r.Text = issue.Read(r.Text)
	}
}

// places takes the lines that the question names, and searches the rest of it.
func (r *Request) places() {
	if r.Off(OffPlaces) {
		return
	}
	f := places.Find(r.Text)
	r.Places = f.Places
	if slices.ContainsFunc(f.Places, isSure) {
		r.Text = f.Message
	}
}

func isSure(p places.Place) bool { return p.Sure }

// namesPlace reports whether a question names a line of a file, as what programs
// print does: then it was pasted.
func namesPlace(question string) bool {
	return slices.ContainsFunc(places.Find(question).Places, isSure)
}

// searched is how much of a question is searched by words and by meaning, in bytes:
// the cost of a search grows with its words.
const searched = 16 << 10

// shorten leaves the words of a long question that are searched.
func (r *Request) shorten() {
	if len(r.Text) <= searched {
		return
	}
	end := strings.LastIndexFunc(r.Text[:searched], unicode.IsSpace)
	if end <= 0 {
		end = searched
	}
	r.Text, r.Shortened = strings.ToValidUTF8(strings.TrimSpace(r.Text[:end]), ""), true
}

// mostAround is how many lines above and below its best one an excerpt may have: whoever
// wants more reads the document.
const mostAround = 100

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
	if in.Around < 0 || in.Around > mostAround {
		return document.Errorf(document.InvalidRequest, "around is %d: choose 0 to %d", in.Around, mostAround)
	}
	if in.PerFile != nil {
		if r.PerFile = *in.PerFile; r.PerFile < 1 || r.PerFile > limits.MaxK {
			return document.Errorf(document.InvalidRequest, "per_file is %d: choose 1 to %d", r.PerFile, limits.MaxK)
		}
		if r.Off(OffDiversify) {
			return document.Errorf(document.InvalidRequest, "per_file needs the stage diversify: take it out of off")
		}
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
		if read := reading.Read(v); len(read.Filters)+len(read.Left) > 0 {
			return document.Errorf(document.InvalidRequest, "the variant %q has a filter: filters stand in the query, for all wordings", v)
		}
		r.Variants = append(r.Variants, strings.TrimSpace(v))
	}
	return nil
}
