package query

import (
	"bytes"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/cover"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/member"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

func hitOf(q *search, s *resolve.Shown, marks *excerpt.Marks) contract.Hit {
	c := &s.Candidate
	at := placesOf(q, c, &s.Head, s.Span.StartLine, s.Span.EndLine)
	named := -1
	if len(at) > 0 {
		named = at[0].Line - s.Span.StartLine
	}
	h := hitAt(q, s, marks, named)
	h.Places = at
	return h
}

// hitAt is a hit whose best line is the one that is named, from 0 in the passage; -1:
// that which matches best.
func hitAt(q *search, s *resolve.Shown, marks *excerpt.Marks, named int) contract.Hit {
	c := &s.Candidate
	in := lookInto(s, marks, typedIn(q, c), named)
	h := contract.Hit{
		Source: s.Head.Source, View: s.Head.View, Path: s.Head.Path,
		StartLine: s.Span.StartLine, EndLine: s.Span.EndLine, Line: s.Span.StartLine + in.best,
		Symbol: s.Span.Symbol, Names: s.Span.Names, Kind: s.Span.Kind, Language: s.Language, Collection: contract.CollectionOf(c.Generation), Headings: s.Span.Headings, Metadata: s.Head.Metadata.Metadata(),
		Score: c.Final, Confidence: c.Confidence, Version: s.Head.Version, ID: c.ID, Pending: s.Pending,
		Place: s.Part, Channels: make(map[string]contract.Channel, 2),
	}
	h.NameAs(in.symbol)
	words := "lexical"
	if q.found.lexicalDown {
		words = "keyword"
	}
	for name, channel := range map[string]contract.Channel{words: c.Lexical, "vector": c.Vector, "pending": c.Pending, "verbatim": c.Verbatim, "named": c.Named, "quoted": c.Quoted, "place": c.Placed, "part": c.Part} {
		if channel.Rank > 0 {
			h.Channels[name] = channel
		}
	}
	switch q.req.Show {
	case contract.TextFull:
		h.Text = excerpt.Valid(s.Text)
		h.Matches = marks.Find(h.Text)
	case contract.TextExcerpt:
		var cut excerpt.Excerpt
		before := 0
		if n := q.req.Around; n > 0 {
			own := in.lines
			if last := len(own) - 1; last > 0 && len(own[last]) == 0 {
				own = own[:last] // what ends the last line
			}
			above, below := beside(s, n-in.best, n-(len(own)-1-in.best))
			before = len(above)
			cut = marks.Around(slices.Concat(above, own, below), before+in.first, before+in.best, n, q.service.cfg.Excerpt)
		} else {
			cut = marks.Cut(in.lines, in.ratings, in.first, in.best, q.service.cfg.Excerpt)
		}
		h.Text, h.Matches = cut.Text, cut.Matches
		h.Lines = numbered(cut.Lines, s.Span.StartLine-before)
	}
	h.Matches = markTyped(h.Text, h.Matches, typedIn(q, c))
	listed := s.Copies[:min(len(s.Copies), contract.MostCopies)]
	h.MoreCopies = len(s.Copies) - len(listed)
	for i := range listed {
		o := &listed[i]
		h.Copies = append(h.Copies, contract.Copy{
			Source: o.Head.Source, View: o.Head.View, Path: o.Head.Path, StartLine: o.Span.StartLine, EndLine: o.Span.EndLine, Version: o.Head.Version, Differs: o.Differs,
		})
	}
	if q.req.Explain {
		h.Evidence = c.Evidence
		h.Signals = c.Explain()
	}
	return h
}

// beside returns up to so many lines above and below a passage in its content.
func beside(s *resolve.Shown, above, below int) (before, after [][]byte) {
	if s.Content == nil {
		return nil, nil
	}
	head, rest := s.Content[:s.Span.StartByte], s.Content[s.Span.EndByte:]
	if head = bytes.TrimSuffix(head, []byte("\n")); above > 0 && s.Span.StartByte > len(head) {
		before = excerpt.Lines(head)
		before = before[max(len(before)-above, 0):]
	}
	// A passage ends with its last line, or with what ends that.
	ended := bytes.HasSuffix(s.Text, []byte("\n"))
	if !ended && bytes.HasPrefix(rest, []byte("\n")) {
		rest, ended = rest[1:], true
	}
	if rest = bytes.TrimSuffix(rest, []byte("\n")); below > 0 && ended && len(rest) > 0 {
		after = excerpt.Lines(rest)
		after = after[:min(below, len(after))]
	}
	return before, after
}

// numbered turns places in a passage into numbers of lines, 0 for an elision.
func numbered(places []int, first int) []int {
	out := make([]int, len(places))
	for i, place := range places {
		if place >= 0 {
			out[i] = first + place
		}
	}
	return out
}

// marksOf returns what passages are looked at for: the question as it is meant,
// and its other wordings.
func marksOf(q *search) *excerpt.Marks {
	text := strings.Join(append([]string{meant(q)}, q.req.Variants...), "\n")
	words := cover.New(text, q.service.analyzer, func(word string) float64 {
		idf, ok := q.idf(word)
		if !ok {
			return 1
		}
		return idf
	})
	return excerpt.NewMarks(words, analysis.Identifiers(text), q.service.analyzer)
}

// insight is what a look into a passage finds.
type insight struct {
	lines   [][]byte
	ratings []excerpt.Rating
	best    int    // the line that matches best
	first   int    // the one that says what the passage is
	symbol  string // whose definition the best line belongs to; "" for no match
}

// lookInto looks for the line of a passage that matches best, and for the name whose
// definition it belongs to. One that defines what is asked for by its name goes
// before all others, but the line that the question names; without any match it is that
// of the definition.
func lookInto(s *resolve.Shown, marks *excerpt.Marks, typed []byte, named int) insight {
	in := insight{lines: excerpt.Lines(s.Text)}
	in.ratings = marks.Rate(in.lines)
	defined := member.Places(in.lines, definedBy(s), s.Language)
	of := slices.IndexFunc(defined, func(p member.Place) bool { return p.Name == s.Span.Symbol })
	best := named
	if best < 0 || best >= len(in.lines) {
		best = typedLine(in.lines, typed)
	}
	if best < 0 {
		best = bestLine(in.ratings, defined, marks)
	}
	if at := member.Of(defined, in.lines, max(best, 0)); best >= 0 && at >= 0 {
		of = surest(defined, at, marks)
		in.symbol = defined[of].Name
	}
	in.first = max(slices.IndexFunc(in.lines, func(line []byte) bool { return len(bytes.TrimSpace(line)) > 0 }), 0)
	if of >= 0 {
		in.first = defined[of].Line
	}
	if in.best = best; best < 0 {
		in.best = in.first
	}
	return in
}

// typedIn is the first line of the question where a passage holds it as it was
// typed, else that of what stands in quotes, which every passage holds; empty where
// there is neither.
func typedIn(q *search, c *candidate.Candidate) []byte {
	text := quotedIn(q)
	if c.Verbatim.Rank > 0 {
		text = q.exactly.typed
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return []byte(strings.TrimSpace(line))
}

// markTyped marks what was typed as a whole where a text holds it, in place of its
// words; a word alone is marked already.
func markTyped(text string, matches []contract.Match, typed []byte) []contract.Match {
	start := strings.Index(text, string(typed))
	if start < 0 || !bytes.ContainsFunc(typed, func(r rune) bool { return !inWord(r) }) {
		return matches
	}
	end := start + len(typed)
	var out []contract.Match
	for _, m := range matches {
		if m.End <= start {
			out = append(out, m)
		}
	}
	out = append(out, contract.Match{Start: start, End: end})
	for _, m := range matches {
		if m.Start >= end {
			out = append(out, m)
		}
	}
	return out
}

// quotedIn is the first text in quotes, "" for none.
func quotedIn(q *search) string {
	for _, c := range q.req.Reading.Must {
		if len(c) == 1 && c[0].Is == reading.Verbatim && !c[0].AnyCase {
			return c[0].Text
		}
	}
	return ""
}

// typedLine returns the place of the line that holds what was typed, one that is
// nothing else before others, and -1 where none does.
func typedLine(lines [][]byte, typed []byte) int {
	if len(typed) == 0 {
		return -1
	}
	if whole := slices.IndexFunc(lines, func(line []byte) bool { return bytes.Equal(bytes.TrimSpace(line), typed) }); whole >= 0 {
		return whole
	}
	return slices.IndexFunc(lines, func(line []byte) bool { return bytes.Contains(line, typed) })
}

// bestLine returns the place of the line that matches best, the first of several,
// and -1 where none does.
func bestLine(ratings []excerpt.Rating, defined []member.Place, marks *excerpt.Marks) int {
	best, most := -1, 0.0
	for i, r := range ratings {
		weight, bonus := marks.Weight(r), 0.0
		for _, p := range defined {
			if p.Line == i {
				bonus = max(bonus, definitionBonus(p.Name, marks, weight))
			}
		}
		if weight += bonus; weight > most {
			best, most = i, weight
		}
	}
	return best
}

// surest returns the place in the line of another one whose name is asked for most.
func surest(defined []member.Place, of int, marks *excerpt.Marks) int {
	best := of
	for i, p := range defined {
		if p.Line == defined[of].Line && marks.Asks(p.Name) > marks.Asks(defined[best].Name) {
			best = i
		}
	}
	return best
}

// Weights beside those of a line's rating, which are 2 at most: a definition of a
// name of the question goes before every other line, the surest first; of two that
// match alike the definition is the better.
const (
	definesAsked = 2
	definesSure  = 4
	defines      = 1e-6
)

func definitionBonus(name string, marks *excerpt.Marks, weight float64) float64 {
	switch asked := marks.Asks(name); {
	case asked > 0:
		return definesAsked + definesSure*asked
	case weight > 0:
		return defines
	}
	return 0
}

// definedBy returns the names that the text of a passage may define.
func definedBy(s *resolve.Shown) []string {
	if s.Span.Symbol == "" || isLater(&s.Span) {
		return s.Span.Names
	}
	return append([]string{s.Span.Symbol}, s.Span.Names...)
}

// isLater reports whether a passage is a later part of what its symbol names: it has the
// signature of something else above it, and none of its own.
func isLater(s *document.Span) bool { return s.Context != "" && s.Signature == "" }
