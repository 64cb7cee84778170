package query

import (
	"context"
	"fmt"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
	"github.com/freshet-dev/freshet/services/query/internal/pack"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// packShown is the stage that packs what may be shown into one text.
func packShown(ctx context.Context, q *search) (report, error) {
	p, shown := q.packing, q.resolved.Shown
	passages := make([]pack.Passage, len(shown))
	for i := range shown {
		s := &shown[i]
		passages[i] = pack.Passage{
			Path: citedPath(shown, s), Name: nameOf(&s.Span), Language: s.Language, StartLine: s.Span.StartLine, EndLine: s.Span.EndLine,
			Score: s.Candidate.Final, Relevance: s.Candidate.Confidence, Text: s.Text, Above: s.Span.Context,
		}
	}
	if !p.alone {
		if err := q.lookAround(ctx, passages); err != nil {
			return report{}, err
		}
	}
	p.packed = pack.Pack(passages, pack.Options{Format: p.format, Budget: p.budget.Tokens, Count: p.count.Count, Around: !p.alone})
	return report{in: len(shown), out: len(p.packed.Parts), note: fmt.Sprintf("%d tokens of %d", p.packed.Tokens, p.budget.Tokens)}, nil
}

// citedPath is the path of a passage, behind its source where the answer has several.
func citedPath(all []resolve.Shown, s *resolve.Shown) string {
	for i := range all {
		if all[i].Head.Source != s.Head.Source {
			return string(s.Head.Source) + ":" + string(s.Head.Path)
		}
	}
	return string(s.Head.Path)
}

// nameOf is the name of a passage: its symbol, or its headings.
func nameOf(s *document.Span) string {
	if s.Symbol != "" {
		return s.Symbol
	}
	return strings.Join(s.Headings, " > ")
}

// spot is a passage of one content.
type spot struct {
	content document.Hash
	start   int
}

// lookAround tells of each passage what stands before and behind it in the same
// content, the best passages first. What is a passage of the answer itself, or stands
// around a better one, is left out.
func (q *search) lookAround(ctx context.Context, passages []pack.Passage) error {
	shown := q.resolved.Shown
	keys := make([]resolve.DocKey, len(shown))
	taken := map[spot]bool{}
	for i := range shown {
		c := &shown[i].Candidate
		keys[i] = resolve.KeyOf(&c.Found)
		taken[spot{shown[i].Head.Hash, shown[i].Span.StartByte}] = true
	}
	bodies, err := q.service.reader.Chunks(ctx, keys)
	if err != nil {
		return err
	}
	for i := range shown {
		s := &shown[i]
		content, text := bodies[keys[i]].Of(&s.Head), bodies[keys[i]].Bytes(&s.Head)
		if content == nil {
			continue // its newest content is not cut yet
		}
		passages[i].Wider = around(content, text, &s.Span, func(start int) bool {
			at := spot{s.Head.Hash, start}
			free := !taken[at]
			taken[at] = true
			return free
		})
	}
	return nil
}

// around is a passage with the one behind it, and with the one before it, too. take
// reports whether the passage that begins at a byte may be added.
func around(content *document.Content, text []byte, at *document.Span, take func(start int) bool) (wider []pack.Wide) {
	var before, behind *document.Span
	for i := range content.Chunks {
		c := &content.Chunks[i].Span
		switch {
		case c.EndByte <= at.StartByte && (before == nil || c.EndByte > before.EndByte):
			before = c
		case c.StartByte >= at.EndByte && (behind == nil || c.StartByte < behind.StartByte):
			behind = c
		}
	}
	start, end, startLine, endLine := at.StartByte, at.EndByte, at.StartLine, at.EndLine
	add := func() {
		wider = append(wider, pack.Wide{Text: text[start:end], StartLine: startLine, EndLine: endLine, Column: lease.ColumnAt(text, start)})
	}
	if behind != nil && take(behind.StartByte) {
		end, endLine = behind.EndByte, behind.EndLine
		add()
	}
	if before != nil && take(before.StartByte) {
		start, startLine = before.StartByte, before.StartLine
		add()
	}
	return wider
}

// packedReply is the answer out of what the stages left.
func (q *search) packedReply() contract.ContextReply {
	p, r := q.packing, &q.reply
	out := contract.ContextReply{
		Text: p.packed.Text, Format: string(p.format), Passages: make([]contract.ContextPassage, len(p.packed.Parts)),
		LeftOut: len(q.resolved.Shown) - len(p.packed.Parts), Tokens: p.packed.Tokens, Budget: p.budget,
		Confidence: r.Confidence, NothingRelevant: r.NothingRelevant, Corrected: r.Corrected, Token: r.Token, Pending: r.Pending, Failed: r.Failed,
		Trace: r.Trace,
	}
	for _, i := range p.packed.Order {
		out.Order = append(out.Order, i+1)
	}
	for i, part := range p.packed.Parts {
		s, h := &q.resolved.Shown[i], &r.Hits[i]
		out.Passages[i] = contract.ContextPassage{
			N: i + 1, Citation: part.Citation, Source: s.Head.Source, View: s.Head.View, Path: s.Head.Path, StartLine: part.StartLine, EndLine: part.EndLine,
			Symbol: s.Span.Symbol, Headings: s.Span.Headings, Place: s.Part, Language: s.Language, Metadata: h.Metadata, Score: h.Score, Relevance: h.Confidence,
			Version: s.Head.Version, ID: s.Candidate.ID, Pending: s.Pending, Copies: h.Copies, MoreCopies: h.MoreCopies, Cut: part.Cut, Wider: part.Wider, Tokens: part.Tokens,
		}
	}
	return out
}

// packedGiven are the texts that a packed one is made of, with all that was left out in
// the middle: what is around a passage is given, too.
func (q *search) packedGiven(ctx context.Context) ([]lease.Given, error) {
	parts := q.packing.packed.Parts
	q.resolved.Shown = q.resolved.Shown[:len(parts)]
	out, err := q.givenOf(ctx)
	for i := range out {
		if w := parts[i].Around; w != nil {
			out[i].StartLine, out[i].Column, out[i].Text = w.StartLine, w.Column, w.Text
		}
	}
	return out, err
}
