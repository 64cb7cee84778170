// Package lease remembers which texts were given, without the texts, and tells what
// has become of them.
package lease

import (
	"bytes"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Given is a text that an answer has, of a version of a document.
type Given struct {
	Head      contract.FileHead
	StartLine int
	Column    int // bytes of the first line before it
	Text      []byte
}

// Passage returns what is kept of a text.
func (g *Given) Passage() contract.LeasedPassage {
	breaks := bytes.Count(g.Text, []byte("\n"))
	end := g.StartLine + breaks
	if bytes.HasSuffix(g.Text, []byte("\n")) {
		end--
	}
	return contract.LeasedPassage{
		Source: g.Head.Source, View: g.Head.View, Path: g.Head.Path, StartLine: g.StartLine, EndLine: end,
		Column: g.Column, Size: len(g.Text), Breaks: breaks, Hash: document.HashOf(g.Text), Version: g.Head.Version,
	}
}

// ColumnAt is how many bytes of its line stand before a byte of a content.
func ColumnAt(content []byte, at int) int {
	at = min(at, len(content))
	return at - (bytes.LastIndexByte(content[:at], '\n') + 1)
}

// Add puts texts into a lease, and returns how many left it since it holds no more. A
// text that is in it already stays where it is.
func Add(l *contract.Lease, all []Given) (dropped int) {
	for i := range all {
		if len(all[i].Text) == 0 {
			continue // it stands everywhere
		}
		p := all[i].Passage()
		known := slices.IndexFunc(l.Passages, func(q contract.LeasedPassage) bool {
			return q.Source == p.Source && q.View == p.View && q.Path == p.Path && q.StartLine == p.StartLine && q.Column == p.Column && q.Hash == p.Hash
		})
		if known >= 0 {
			l.Passages[known].Version = max(l.Passages[known].Version, p.Version)
			continue
		}
		l.Passages = append(l.Passages, p)
	}
	dropped = max(len(l.Passages)-contract.MostLeased, 0)
	l.Passages = l.Passages[dropped:]
	return dropped
}

// Find returns the line at which a text stands in a content now: the one where it was,
// else the nearest. It is found in the same column of a line, as is what moves with
// its lines.
func Find(content []byte, p *contract.LeasedPassage) (line int, ok bool) {
	starts := lineStarts(content)
	at := func(i int) bool {
		if i < 0 || i >= len(starts) {
			return false
		}
		from := starts[i] + p.Column
		to := from + p.Size
		if to > len(content) || i+p.Breaks >= len(starts) || starts[i+p.Breaks] > to ||
			i+p.Breaks+1 < len(starts) && starts[i+p.Breaks+1] <= to {
			return false // another number of lines
		}
		return document.HashOf(content[from:to]) == p.Hash
	}
	was := p.StartLine - 1
	for away := 0; away <= max(was, len(starts)-was); away++ {
		switch {
		case at(was - away):
			return was - away + 1, true
		case away > 0 && at(was+away):
			return was + away + 1, true
		}
	}
	return 0, false
}

// lineStarts are the offsets at which lines begin, one behind the last line break
// included.
func lineStarts(content []byte) []int {
	out := []int{0}
	for i, c := range content {
		if c == '\n' {
			out = append(out, i+1)
		}
	}
	return out
}

// Change says what has become of a passage.
func Change(p *contract.LeasedPassage, what string, line int, v document.Version) contract.LeaseChange {
	c := contract.LeaseChange{What: what, Source: p.Source, View: p.View, Path: p.Path, StartLine: p.StartLine, EndLine: p.EndLine, Version: v}
	if what == contract.LeaseMoved {
		c.NowStart, c.NowEnd = line, line+p.EndLine-p.StartLine
	}
	return c
}
