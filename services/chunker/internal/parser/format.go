package parser

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
	"github.com/freshet-dev/freshet/services/chunker/internal/extract/makers"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
	"github.com/freshet-dev/freshet/services/chunker/internal/syntax"
)

// Made is a text that a format has made of a content, and its passages. Where there is
// none, Textless says why.
type Made struct {
	Text     []byte
	Spans    []document.Span
	Parts    []document.Located
	Textless string
}

// Make has a child make the text of a content of a format, and cut it. A document that
// the child did not survive, or that took more than the limits, has no text. The error
// is the context's, or that no child could be started.
func (p *Pool) Make(ctx context.Context, f *format.Format, content []byte) (Made, error) {
	req := request{Format: f.Name, Limit: f.Text, Options: p.cfg.Options}
	rep, err := p.parseWithin(ctx, req, content, f.Time, func(rep reply) error { return checkMade(rep, f.Text) })
	switch {
	case err == nil:
		return Made{rep.Text, rep.Spans, rep.Parts, rep.Textless}, nil
	case ctx.Err() != nil:
		return Made{}, fmt.Errorf("wait for the parser: %w", ctx.Err())
	case errors.Is(err, errTime), errors.Is(err, errMemory), errors.Is(err, errDied):
		return Made{Textless: reason(err)}, nil
	}
	return Made{}, fmt.Errorf("make the text of a document of the format %s: %w", f.Name, err)
}

// checkMade guards against a child that went wrong.
func checkMade(rep reply, limit int) error {
	if rep.Textless != "" && len(rep.Text)+len(rep.Spans)+len(rep.Parts) > 0 {
		return errors.New("there is a text, and a reason for which there is none")
	}
	if len(rep.Text) > limit {
		return fmt.Errorf("the text has %d bytes, the limit is %d", len(rep.Text), limit)
	}
	before := 0
	for _, l := range rep.Parts {
		if l.Start < before || l.End <= l.Start || l.End > len(rep.Text) {
			return fmt.Errorf("a part has the bytes %d to %d of %d", l.Start, l.End, len(rep.Text))
		}
		before = l.End
	}
	return split.Verify(rep.Text, rep.Spans, false)
}

// extracted makes the text of a content, and cuts each of its sections by itself. The
// error is for a format without a maker.
func extracted(p *syntax.Parser, m *makers.Makers, req request, content []byte) (reply, error) {
	maker := m.Of(req.Format)
	if maker == nil {
		return reply{}, fmt.Errorf("nothing makes text of the format %q", req.Format)
	}
	text, err := maker(content, req.Limit)
	if err != nil {
		why := extract.Damaged
		errors.As(err, &why)
		return reply{Textless: string(why)}, nil
	}
	rep := reply{Text: text.Bytes, Parts: text.Parts()}
	at, line := 0, 0
	for i := range text.Sections {
		s := &text.Sections[i]
		line += bytes.Count(text.Bytes[at:s.Start], []byte{'\n'})
		at = s.Start
		spans, err := cutSection(p, s, text.Bytes[s.Start:s.End], req.Options)
		if err != nil {
			return reply{}, err
		}
		for k := range spans {
			span := &spans[k]
			span.StartByte, span.EndByte = span.StartByte+s.Start, span.EndByte+s.Start
			span.StartLine, span.EndLine = span.StartLine+line, span.EndLine+line
			if above := text.Above(s); len(above) > 0 {
				span.Headings = above
			}
			if s.Above != "" {
				span.Context = s.Above
			}
		}
		rep.Spans = append(rep.Spans, spans...)
	}
	return rep, nil
}

// cutSection cuts a section. One that is to stay whole may be as long as a definition.
func cutSection(p *syntax.Parser, s *extract.Section, text []byte, opt split.Options) ([]document.Span, error) {
	opt.SetDefaults()
	switch {
	case s.Whole && len(text) <= opt.Max:
		return split.One(text, document.KindBlock), nil
	case language.Get(s.Language).Grammar:
		return p.Split(s.Language, text, opt)
	}
	return split.Split(s.Language, text, opt), nil
}
