// Package gate decides how sure an answer may be of itself, from what a search
// has at hand.
package gate

import (
	_ "embed" // for the calibration
	"math"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/confidence"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// calibration is written by `freshet eval calibrate --write`; see
// docs/how-to/confidence.md for the tasks that it was fitted on.
//
//go:embed calibration.json
var calibration []byte

// Bundled returns the calibration that comes with the program.
func Bundled() (*confidence.Calibration, error) { return confidence.Parse(calibration) }

// Depth is how many hits are looked at; tasks are asked for as many.
const Depth = 10

// Search is what a search knows beside its hits.
type Search struct {
	Words *cover.Words
	// Unknown is the share of the query's weight in words that no passage of the
	// index holds.
	Unknown float64
	Class   analysis.Class
	// Issue says that the question is one, of several paragraphs.
	Issue bool
	// Passages is how many the index has.
	Passages int
	// Lexical and Vector are what the channels found, best first.
	Lexical, Vector []candidate.Found
}

// Evidence is what speaks for and against an answer and each of its hits, by
// name. All of it is between 0 and 1, whatever the store.
type Evidence struct {
	Answer map[string]float64
	Hits   []map[string]float64
}

// Weigh looks at the best hits of an answer, best first.
func Weigh(s *Search, hits []resolve.Shown) Evidence {
	hits = hits[:min(len(hits), Depth)]
	e := Evidence{Answer: s.whole()}
	docs := 0.0
	for i := range hits {
		docs += prose(&hits[i].Candidate)
		if c := &hits[i].Candidate; c.Verbatim.Rank > 0 {
			e.Answer[confidence.AsTyped] = 1
		} else if c.Named.Rank > 0 {
			e.Answer[confidence.AsNamed] = 1
		}
	}
	if len(hits) == 0 {
		return e
	}
	if e.Answer["prose"] = docs / float64(len(hits)); e.Answer["prose"] >= mostly {
		e.Answer[confidence.InProse] = 1
	}
	var together cover.Set
	best, both := 0.0, 0.0
	for i := range hits {
		h := &hits[i]
		text := s.Words.In(h.Text)
		name := s.Words.In([]byte(h.Head.Path.Raw() + " " + h.Span.Symbol + " " + strings.Join(h.Span.Names, " ")))
		for _, heading := range h.Span.Headings {
			name |= s.Words.In([]byte(heading))
		}
		together |= text | name
		c := &h.Candidate
		one := map[string]float64{
			"cover": s.Words.Share(text | name), "text": s.Words.Share(text), "name": s.Words.Share(name),
			"cosine": share(c.Vector.Score, 1), "lexical_rank": inverse(c.Lexical.Rank), "vector_rank": inverse(c.Vector.Rank),
			"rank": inverse(i + 1), "relative": share(c.Final, hits[0].Candidate.Final), "defines": min(c.Signals[candidate.Definition], 1),
			"stem": min(c.Signals[candidate.Stem], 1), "unknown": s.Unknown, "size": e.Answer["size"], "prose": prose(c), "verbatim": share(c.Verbatim.Score, 1), "named": held(c.Named), "placed": held(c.Placed),
		}
		for _, kind := range confidence.Marks {
			one[kind] = e.Answer[kind]
		}
		best = max(best, one["cover"])
		if c.Lexical.Rank > 0 && c.Vector.Rank > 0 {
			both++
		}
		e.Hits = append(e.Hits, one)
	}
	for name, x := range e.Hits[0] {
		if name != "rank" && name != "relative" && name != "unknown" && name != "size" && name != "prose" && !slices.Contains(confidence.Marks, name) {
			e.Answer["first_"+name] = x
		}
	}
	last := &hits[len(hits)-1].Candidate
	e.Answer["cover"], e.Answer["together"] = best, s.Words.Share(together)
	e.Answer["both"] = both / float64(len(hits))
	e.Answer["gap"], e.Answer["fall"] = 1, 1-share(last.Final, hits[0].Candidate.Final)
	if len(hits) > 1 {
		e.Answer["gap"] = 1 - share(hits[1].Candidate.Final, hits[0].Candidate.Final)
	}
	return e
}

// mostly is the share of hits in documentation from which an answer is of it.
const mostly = .5

// prose is 1 for a passage of the collection docs: what is near in prose is
// more often meant than what is near in code.
func prose(c *candidate.Candidate) float64 {
	if contract.CollectionOf(c.Generation).Prose() {
		return 1
	}
	return 0
}

// size is the decimal logarithm of a number of passages, 1 for a million and more:
// among many, more are near by chance, and the right one has more beside it.
func size(passages int) float64 { return min(math.Log10(float64(1+passages))/6, 1) }

// held is 1 for a passage that a channel gave.
func held(c contract.Channel) float64 { return min(float64(c.Rank), 1) }

// whole is what is known without hits.
func (s *Search) whole() map[string]float64 {
	out := map[string]float64{
		"unknown": s.Unknown, "words": min(float64(s.Words.Len())/12, 1),
		"error": 0, confidence.Symbol: 0, confidence.Path: 0, confidence.Report: 0, confidence.InProse: 0, confidence.AsTyped: 0, confidence.AsNamed: 0,
		"size":         size(s.Passages),
		"lexical_fall": fall(s.Lexical), "vector_fall": fall(s.Vector), "cosine": 0,
	}
	switch s.Class {
	case analysis.Symbol:
		out[confidence.Symbol] = 1
	case analysis.Path:
		out[confidence.Path] = 1
	case analysis.Error:
		out["error"] = 1
	}
	if s.Issue {
		out[confidence.Report] = 1
	}
	if len(s.Vector) > 0 {
		out["cosine"] = share(s.Vector[0].Score, 1)
	}
	return out
}

// fall is how much less the tenth passage of a channel has than the first, or
// the last where there are fewer.
func fall(found []candidate.Found) float64 {
	if len(found) == 0 {
		return 0
	}
	return 1 - share(found[min(len(found), Depth)-1].Score, found[0].Score)
}

func share(part, whole float64) float64 {
	if !(whole > 0) || math.IsInf(whole, 1) {
		return 0
	}
	return min(max(part/whole, 0), 1)
}

func inverse(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}
