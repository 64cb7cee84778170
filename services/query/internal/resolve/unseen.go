package resolve

import (
	"bytes"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// span is a shown range of bytes of a content; lines says that it is plain
// lines, no chunk.
type span struct {
	start, end int
	lines      bool
}

// covered are the ranges of each version that an answer shows, or holds back.
type covered struct {
	ranges  map[document.Version][]span
	matches func(*contract.FileHead, *document.Span, []byte) bool // of Want
}

// unseen returns what of a passage the answer has not got yet, and takes note of
// it. Of a pending document plain lines stand beside chunks that did not change,
// and either may come first:
//
//   - lines that hold such a chunk are shown without it, as long as what is left
//     of them is what was looked for: what is new stands there and nowhere else;
//   - a chunk is a repetition only where lines show all of it.
//
// Chunks may overlap each other as their chunker wanted it.
func (c *covered) unseen(n *Shown) []Shown {
	at := span{n.Span.StartByte, n.Span.EndByte, n.Candidate.Window != nil}
	var others []span
	for _, o := range c.ranges[n.Head.Version] {
		if (at.lines || o.lines) && at.start < o.end && o.start < at.end {
			others = append(others, o)
		}
	}
	parts := []Shown{*n}
	switch {
	case len(others) == 0:
	case skipUnseen:
		return nil
	case at.lines:
		parts = c.without(n, others)
	case len(gaps(n.Text, at.start, others)) == 0:
		return nil
	}
	for i := range parts {
		p := &parts[i]
		c.ranges[n.Head.Version] = append(c.ranges[n.Head.Version], span{p.Span.StartByte, p.Span.EndByte, at.lines})
	}
	return parts
}

// without returns the lines of n that others leave, where they are what was
// looked for. The first part keeps the id of n.
func (c *covered) without(n *Shown, others []span) []Shown {
	var parts []Shown
	for _, g := range gaps(n.Text, n.Span.StartByte, others) {
		p := *n
		p.Text = n.Text[g.start:g.end:g.end]
		p.Span.StartByte, p.Span.EndByte = n.Span.StartByte+g.start, n.Span.StartByte+g.end
		p.Span.StartLine += bytes.Count(n.Text[:g.start], []byte{'\n'})
		p.Span.EndLine = p.Span.StartLine + bytes.Count(bytes.TrimSuffix(p.Text, []byte{'\n'}), []byte{'\n'})
		if c.matches != nil && !c.matches(&p.Head, &p.Span, p.Text) {
			continue
		}
		if len(parts) > 0 {
			p.Candidate.ID = document.NewChunkID(p.Head.Source, p.Head.Path, "lines:"+document.HashOf(p.Text), p.Span.StartByte, p.Head.Version)
		}
		p.Candidate.Window = &candidate.Window{
			View: p.Head.View, Version: p.Head.Version, Hash: p.Head.Hash, Start: p.Span.StartByte,
			StartLine: p.Span.StartLine, EndLine: p.Span.EndLine, Text: p.Text, Of: n.Candidate.ID,
		}
		parts = append(parts, p)
	}
	return parts
}

// gaps returns what others leave of a text that begins at a place of their
// content: ranges of the text, each of whole lines as far as the text has them,
// without blank ones at their ends. A line of which others have a part is in a
// gap as a whole, so that no word is cut.
func gaps(text []byte, at int, others []span) []span {
	slices.SortFunc(others, func(a, b span) int { return a.start - b.start })
	var out []span
	add := func(from, to int) {
		left := bytes.TrimSpace(text[from:max(from, to)])
		if len(left) == 0 {
			return
		}
		from += bytes.Index(text[from:to], left)
		to = from + len(left)
		from = bytes.LastIndexByte(text[:from], '\n') + 1
		if i := bytes.IndexByte(text[to:], '\n'); i >= 0 {
			to += i + 1
		} else {
			to = len(text)
		}
		if n := len(out); n > 0 && from < out[n-1].end {
			out[n-1].end = max(out[n-1].end, to) // both have a part of one line
			return
		}
		out = append(out, span{start: from, end: to})
	}
	from := 0
	for _, o := range others {
		add(from, min(o.start-at, len(text)))
		from = max(from, min(o.end-at, len(text)))
	}
	add(from, len(text))
	return out
}
