package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// SearchArgs are the arguments of the tool search.
type SearchArgs struct {
	Query     string            `json:"query" jsonschema:"question, name, error message or copied line"`
	Queries   []string          `json:"queries,omitempty" jsonschema:"the same question in other words, at most 8"`
	Path      string            `json:"path,omitempty" jsonschema:"only this file, folder or glob"`
	Source    string            `json:"source,omitempty" jsonschema:"only this source; all: everything that is indexed; default: the project"`
	Languages []string          `json:"languages,omitempty" jsonschema:"only these languages, such as go or python"`
	Metadata  document.Metadata `json:"metadata,omitempty" jsonschema:"only what was put with this, such as kind: [core]"`
	Limit     int               `json:"limit,omitempty" jsonschema:"passages, 1 to 50; default 5"`
	PerFile   *int              `json:"per_file,omitempty" jsonschema:"most passages of one file"`
	Snippet   *int              `json:"snippet_lines,omitempty" jsonschema:"lines of text a passage; 0: none; -1: all; default 10"`
	MaxTokens int               `json:"max_tokens,omitempty" jsonschema:"tokens of the answer, 200 to 24000; default 2000"`
	Token     string            `json:"token,omitempty" jsonschema:"wait until this token of an answer is searchable; latest: everything accepted"`
	Lease     string            `json:"lease,omitempty" jsonschema:"new, or the lease of an answer: says what of all that was given under it has changed since"`
}

// SearchOut is the answer of search as a structure.
type SearchOut struct {
	Hits []Hit `json:"hits"`
	// NothingRelevant says that probably nothing in the sources answers the question.
	NothingRelevant bool `json:"nothing_relevant,omitempty"`
	Common
}

// Hit is a passage.
type Hit struct {
	Path      string            `json:"path"`
	Line      int               `json:"line" jsonschema:"the line that matches best"`
	StartLine int               `json:"start_line"`
	EndLine   int               `json:"end_line"`
	Symbol    string            `json:"symbol,omitempty"`
	Metadata  document.Metadata `json:"metadata,omitempty" jsonschema:"what was put with the document"`
	Score     float64           `json:"score"`
	Text      string            `json:"text,omitempty" jsonschema:"lines with their numbers"`
	Pending   bool              `json:"pending,omitempty"`
	// Copies are the other places of the same text, as PATH:LINE.
	Copies []string `json:"copies,omitempty" jsonschema:"other places of the same text"`
}

const (
	searchLimit  = 5
	searchMost   = 50
	snippetLines = 10
)

func (s *Server) search(ctx context.Context, in SearchArgs) (answer[SearchOut], error) {
	var none answer[SearchOut]
	b, err := s.budgetOf(in.MaxTokens)
	if err != nil {
		return none, err
	}
	k, snippet := cmp.Or(in.Limit, searchLimit), snippetLines
	if k < 1 || k > searchMost {
		return none, document.Errorf(document.InvalidRequest, "limit is %d: choose 1 to %d", k, searchMost)
	}
	if in.Snippet != nil {
		snippet = *in.Snippet
	}
	if snippet < -1 {
		return none, document.Errorf(document.InvalidRequest, "snippet_lines is %d: choose 0 for none, -1 for all, or a number of lines", snippet)
	}
	at, err := s.look(ctx)
	if err != nil {
		return none, err
	}
	req := contract.SearchRequest{Query: in.Query, Variants: in.Queries, K: &k, Token: in.Token, Lease: in.Lease, PerFile: in.PerFile, Text: contract.TextFull}
	if snippet == 0 {
		req.Text = contract.TextNone
	}
	if req.Filter, err = at.scope(in.Source, in.Path); err != nil {
		return none, err
	}
	req.Filter.Languages, req.Filter.Metadata = in.Languages, in.Metadata
	if at.own != "" {
		req.Own = []document.Source{at.own}
	}
	reply, err := client.Search.Ask(ctx, at.nc, req)
	if err != nil {
		return none, err
	}
	return s.found(at, b, reply, snippet)
}

func (s *Server) found(at *scene, b budget, reply contract.SearchReply, snippet int) (answer[SearchOut], error) {
	var parts []part
	for i := range reply.Hits {
		parts = append(parts, at.hit(i, &reply.Hits[i], snippet)...)
	}
	notes := at.told(reply.Lease, reply.Degraded, reply.Actions, reply.Pending, reply.Failed)
	for _, c := range reply.Corrected {
		notes = append(notes, terminal.Printable(fmt.Sprintf("no passage has the word %q, searched instead: %s", c.From, strings.Join(c.To, ", "))))
	}
	switch {
	case reply.NothingRelevant:
		notes = append(notes, "probably nothing here answers this: try other words, or grep for an exact text")
	case len(reply.Hits) == 0:
		notes = append(notes, "no passage was found: try other words, fewer filters, source \"all\", or grep for an exact text")
	}
	text, out, err := b.pack(len(parts), func(n int) (string, any) {
		notes := notes
		if left := len(parts) - n; left > 0 {
			hits := len(reply.Hits)
			if n > 0 {
				hits -= parts[n-1].of + 1
			}
			notes = append(notes[:len(notes):len(notes)], b.left(left, fmt.Sprintf("lines, with them %d whole passages, were", hits), "read the lines that are named, or ask with snippet_lines 0"))
		}
		out := SearchOut{Hits: []Hit{}, NothingRelevant: reply.NothingRelevant, Common: b.common(reply.Token, reply.Lease, notes)}
		for _, p := range parts[:n] {
			if p.of == len(out.Hits) {
				h := &reply.Hits[p.of]
				out.Hits = append(out.Hits, at.placed(h))
			}
			if p.line != "" {
				out.Hits[p.of].Text += p.line + "\n"
			}
		}
		return write(parts[:n], notes), out
	})
	if err != nil {
		return answer[SearchOut]{}, err
	}
	return answer[SearchOut]{text, out.(SearchOut)}, nil
}

// hit is a passage as lines below its place: as many of its text as are wanted,
// around the one that matches best.
func (at *scene) hit(i int, h *contract.Hit, snippet int) []part {
	line := cmp.Or(h.Line, h.StartLine)
	head := fmt.Sprintf("%s:%d", at.path(h.Source, h.Path), line)
	if name := title(h); name != "" {
		head += " " + name
	}
	if p := h.Place; p != nil {
		head += " (" + p.String() + ")"
	}
	head += fmt.Sprintf(" (lines %d-%d)", h.StartLine, h.EndLine)
	if h.Pending {
		head += " (still being indexed)"
	}
	if copies := at.copies(h); len(copies) > 0 {
		head += fmt.Sprintf(" (and %s: %s)", terminal.Plural(len(h.Copies)+h.MoreCopies, "copy", "copies"), strings.Join(copies, ", "))
	}
	lines := strings.Split(strings.TrimSuffix(h.Text, "\n"), "\n")
	from, to := 0, len(lines)
	if snippet >= 0 && len(lines) > snippet {
		from = min(max(line-h.StartLine-snippet/3, 0), len(lines)-snippet)
		to = from + snippet
	}
	var parts []part
	offset := 0 // of the line in the text
	for n, text := range lines {
		if n >= from && n < to && h.Text != "" {
			start, end := firstMatch(h.Matches, offset, len(text))
			shown, _ := clean(around(text, start, end))
			parts = append(parts, part{i, head, framed(h.StartLine+n, shown)})
		}
		offset += len(text) + 1
	}
	if len(parts) == 0 {
		return []part{{i, head, ""}}
	}
	return parts
}

// copiesListed is how many copies of a passage are named; of the others the number
// is told.
const copiesListed = 3

// copies names the other places of a passage's text.
func (at *scene) copies(h *contract.Hit) (out []string) {
	for _, c := range h.Copies[:min(len(h.Copies), copiesListed)] {
		out = append(out, fmt.Sprintf("%s:%d", at.path(c.Source, c.Path), c.StartLine))
	}
	if left := len(h.Copies) + h.MoreCopies - copiesListed; left > 0 {
		out = append(out, fmt.Sprintf("%d more", left))
	}
	return out
}

// firstMatch is the first match within a line, in bytes of it; 0 to 0 for none.
func firstMatch(matches []contract.Match, offset, length int) (start, end int) {
	for _, m := range matches {
		if m.Start >= offset && m.End <= offset+length {
			return m.Start - offset, m.End - offset
		}
	}
	return 0, 0
}

// title is the name of a passage: its symbol, or its headings.
func title(h *contract.Hit) string {
	if h.Symbol != "" {
		return terminal.Shorten(terminal.Printable(h.Symbol), 120)
	}
	return terminal.Shorten(terminal.Printable(strings.Join(h.Headings, " > ")), 120)
}
