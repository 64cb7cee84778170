package split

import (
	"bytes"
	"sort"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/strategy"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
)

// Measures are what strategies measure texts by.
type Measures struct {
	Tokens  *tokenizer.Tokenizer
	Vectors func(texts []string) []embed.Vector // one each, of one model
}

// By cuts a content as a strategy says that is not by syntax. lang tells which headings
// it may have.
func By(s strategy.Strategy, lang string, content []byte, by Measures) []document.Span {
	text := NewText(content)
	c := cutter{text: text, limit: s.Size, overlap: s.Overlap}
	if s.Tokens {
		c.tokens = by.Tokens
	}
	switch s.Name {
	case config.CutHeaders:
		switch lang {
		case "markdown":
			return c.markdown()
		case "asciidoc":
			return c.headed(&asciiDoc{})
		case "org":
			return c.headed(&org{})
		case "roff":
			return c.headed(roff{})
		case "rst":
			return c.headed(&restructured{})
		}
	case config.CutSentence:
		c.kinds, c.strict = []int{atSentence, atParagraph, atLine, atWord}, true
	case config.CutSemantic:
		return c.semantic(by.Vectors)
	case config.CutParagraph:
		c.kinds, c.strict = []int{atParagraph, atLine, atSentence, atWord}, true
	case config.CutFixed:
		c.kinds, c.strict = []int{}, true
	case config.CutRecursive:
		for i, sep := range s.Separators {
			c.kinds, c.strict = append(c.kinds, atMark+i), true
			c.marks = append(c.marks, []byte(sep))
		}
	}
	return c.all()
}

// all cuts the whole content as one section.
func (c *cutter) all() []document.Span {
	first, last, ok := c.text.trim(0, c.text.Lines()-1)
	if !ok {
		return nil
	}
	c.section(c.text.Start(first), c.text.End(last), nil, nil)
	return c.spans
}

// marked reports whether b[:at] ends with a separator that somebody chose.
func (c *cutter) marked(at, kind int) bool {
	return bytes.HasSuffix(c.text.Bytes[:at], c.marks[kind-atMark])
}

// reachTokens is the offset up to which a text from start has at most limit tokens, or
// end. It lies behind start.
func (c *cutter) reachTokens(start, end int) int {
	b := c.text.Bytes
	// No token is longer than some bytes, so what is far away need not be looked at.
	most := min(end, start+c.limit*8)
	for most < end && c.tokens.Fits(string(b[start:most]), c.limit) {
		most = min(end, start+2*(most-start))
	}
	if most == end && c.tokens.Fits(string(b[start:end]), c.limit) {
		return end
	}
	n := sort.Search(most-start, func(n int) bool { return !c.tokens.Fits(string(b[start:start+n]), c.limit) })
	at := start + max(n-1, 1)
	for at > start+1 && at < end && b[at]&0xC0 == 0x80 {
		at--
	}
	if at == start+1 { // a single sign may be more tokens than fit
		_, size := utf8.DecodeRune(b[start:end])
		at = start + size
	}
	return at
}

// backTokens is the offset from which b[:stop] has at most overlap tokens, behind start.
func (c *cutter) backTokens(start, stop int) int {
	b := c.text.Bytes
	from := start + 1 + sort.Search(stop-start-1, func(n int) bool {
		return c.tokens.Fits(string(b[start+1+n:stop]), c.overlap)
	})
	for from < stop && b[from]&0xC0 == 0x80 {
		from++
	}
	return from
}
