package mcpserver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// GrepArgs are the arguments of the tool grep.
type GrepArgs struct {
	Pattern    string            `json:"pattern" jsonschema:"regular expression (RE2), matched line by line"`
	Fixed      bool              `json:"fixed,omitempty" jsonschema:"the pattern is text, no expression"`
	IgnoreCase bool              `json:"ignore_case,omitempty"`
	Word       bool              `json:"word,omitempty" jsonschema:"whole words only"`
	Path       string            `json:"path,omitempty" jsonschema:"only this file, folder or glob"`
	Source     string            `json:"source,omitempty" jsonschema:"only this source; all: everything that is indexed; default: the project"`
	Languages  []string          `json:"languages,omitempty" jsonschema:"only these languages, such as go or python"`
	Metadata   document.Metadata `json:"metadata,omitempty" jsonschema:"only what was put with this, such as kind: [core]"`
	Context    int               `json:"context,omitempty" jsonschema:"lines on both sides of a match, 0 to 100"`
	Show       string            `json:"show,omitempty" jsonschema:"lines (default), files or counts"`
	Limit      int               `json:"limit,omitempty" jsonschema:"matching lines, or files, 1 to 1000; default 50; the others are counted"`
	MaxTokens  int               `json:"max_tokens,omitempty" jsonschema:"tokens of the answer, 200 to 24000; default 2000"`
	Token      string            `json:"token,omitempty" jsonschema:"answer at least as fresh as this token of an answer"`
	Lease      string            `json:"lease,omitempty" jsonschema:"new, or the lease of an answer: says what of all that was given under it has changed since"`
}

// GrepOut is the answer of grep as a structure.
type GrepOut struct {
	Files []GrepFile `json:"files"`
	// Matched are the documents with a match, and Lines the matching lines.
	Matched  int  `json:"matched" jsonschema:"documents with a match, listed or not"`
	Lines    int  `json:"lines" jsonschema:"matching lines, listed or not"`
	Complete bool `json:"complete" jsonschema:"every document in scope was searched"`
	Common
}

// GrepFile is a document with a match.
type GrepFile struct {
	Path  string `json:"path"`
	Count int    `json:"count,omitempty"`
	Text  string `json:"text,omitempty" jsonschema:"lines with their numbers"`
}

const (
	grepLimit = 50
	grepMost  = 1000
)

func (s *Server) grep(ctx context.Context, in GrepArgs) (answer[GrepOut], error) {
	var none answer[GrepOut]
	b, err := s.budgetOf(in.MaxTokens)
	if err != nil {
		return none, err
	}
	limit := cmp.Or(in.Limit, grepLimit)
	if limit < 1 || limit > grepMost {
		return none, document.Errorf(document.InvalidRequest, "limit is %d: choose 1 to %d", limit, grepMost)
	}
	at, err := s.look(ctx)
	if err != nil {
		return none, err
	}
	req := contract.GrepRequest{
		Pattern: in.Pattern, Fixed: in.Fixed, IgnoreCase: in.IgnoreCase, Word: in.Word, Before: in.Context, After: in.Context,
		Show: in.Show, Limit: &limit, LineBytes: widest, Token: in.Token, Lease: in.Lease,
	}
	if req.Filter, err = at.scope(in.Source, in.Path); err != nil {
		return none, err
	}
	req.Filter.Languages, req.Filter.Metadata = in.Languages, in.Metadata
	reply, err := client.Grep.Ask(ctx, at.nc, req)
	if err != nil {
		return none, err
	}
	return s.matched(at, b, reply, in.Show)
}

func (s *Server) matched(at *scene, b budget, reply contract.GrepReply, show string) (answer[GrepOut], error) {
	var parts []part
	for i := range reply.Files {
		f := &reply.Files[i]
		head := at.path(f.Source, f.Path)
		if f.Count > 0 {
			head += fmt.Sprintf(" (%d)", f.Count)
		}
		if len(f.Lines) == 0 {
			parts = append(parts, part{i, head, ""})
		}
		for n := range f.Lines {
			parts = append(parts, part{i, head, grepLine(&f.Lines[n])})
		}
	}
	notes := append(append(at.notes, at.leased(reply.Lease)...), degraded(reply.Degraded, reply.Actions)...)
	for i, u := range reply.Unsearched {
		if i == listed {
			notes = append(notes, fmt.Sprintf("%d more documents were not searched", len(reply.Unsearched)-listed+reply.MoreUnsearched))
			break
		}
		notes = append(notes, "not searched: "+at.path(u.Source, u.Path)+" ("+string(u.Reason)+")")
	}
	if reply.More > 0 {
		what := "matching lines"
		if show == contract.GrepFiles || show == contract.GrepCounts {
			what = "files with a match"
		}
		notes = append(notes, fmt.Sprintf("%d more %s: raise limit, or narrow with path or languages", reply.More, what))
	}
	if reply.Matched == 0 {
		note := fmt.Sprintf("no line matches in the %d documents that were searched", reply.Searched)
		if !reply.Complete {
			note += ", which are not all"
		}
		notes = append(notes, note)
	}
	text, out, err := b.pack(len(parts), func(n int) (string, any) {
		notes := notes
		if left := len(parts) - n; left > 0 {
			notes = append(notes[:len(notes):len(notes)], b.left(left, "lines were", "narrow with path or languages, or ask with show files"))
		}
		out := GrepOut{Files: []GrepFile{}, Matched: reply.Matched, Lines: reply.Lines, Complete: reply.Complete, Common: b.common(reply.Token, reply.Lease, notes)}
		for _, p := range parts[:n] {
			if p.of == len(out.Files) {
				f := &reply.Files[p.of]
				out.Files = append(out.Files, GrepFile{Path: at.path(f.Source, f.Path), Count: f.Count})
			}
			if p.line != "" {
				out.Files[p.of].Text += p.line + "\n"
			}
		}
		return write(parts[:n], notes), out
	})
	if err != nil {
		return answer[GrepOut]{}, err
	}
	return answer[GrepOut]{text, out.(GrepOut)}, nil
}

// grepLine is a line with what is left out of it; the service cuts long ones at the
// match.
func grepLine(l *contract.GrepLine) string {
	text := l.Text
	if l.Bytes != nil {
		text = string(l.Bytes)
	}
	text, _ = clean(text)
	if l.From > 0 {
		text = fmt.Sprintf("…(%d bytes) %s", l.From, text)
	}
	if l.Left > 0 {
		text += fmt.Sprintf(" …(%d bytes)", l.Left)
	}
	return framed(l.Line, text)
}
