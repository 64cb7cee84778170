package split

import (
	"bytes"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/tokenizer"
)

// recursive cuts prose at paragraphs, else lines, else sentences, else words.
func recursive(text *Text, opt Options) []document.Span {
	c := cutter{text: text, limit: opt.Prose, overlap: opt.Overlap}
	return c.all()
}

// cutter cuts stretches of prose into spans of at most limit characters, of
// which each repeats at most overlap characters of the one before it.
type cutter struct {
	text    *Text
	limit   int
	overlap int
	spans   []document.Span

	tokens *tokenizer.Tokenizer // by which limit and overlap count; nil: characters
	kinds  []int                // at which it cuts, from the best; nil: proseKinds
	strict bool                 // a better kind is worth a shorter span
	marks  [][]byte             // what ends with is of the kinds from atMark on
}

// proseKinds are those at which prose is cut.
var proseKinds = []int{atParagraph, atLine, atSentence, atWord}

// cuts are the kinds at which c cuts, from the best.
func (c *cutter) cuts() []int {
	if c.kinds == nil {
		return proseKinds
	}
	return c.kinds
}

// block is a stretch of bytes that is not cut when it fits: a table, a fenced
// block of code.
type block struct{ start, end int }

// Separators, from the strongest to the weakest.
const (
	atParagraph = iota
	atLine
	atSentence
	atWord
	atMark // and those behind it: separators that somebody chose
)

// section appends the spans of b[start:end]. blocks lie within it, in order.
func (c *cutter) section(start, end int, headings []string, blocks []block) {
	b := c.text.Bytes
	done := start // what spans already hold; each cut lies behind it
	for start < end {
		// White space at the edges belongs to no span.
		for start < end && isSpace(b[start]) {
			start++
		}
		if start == end {
			return
		}
		for len(blocks) > 0 && blocks[0].end <= start {
			blocks = blocks[1:]
		}
		stop := c.reach(start, end)
		if stop < end {
			stop = c.stop(start, stop, max(start, done), blocks)
		}
		c.emit(start, stop, headings)
		if stop >= end {
			return
		}
		start, done = c.next(start, stop, end, blocks), stop
	}
}

// reach is the offset limit characters behind start, or end.
func (c *cutter) reach(start, end int) int {
	b := c.text.Bytes
	if end-start <= c.limit {
		return end // no character and no token is less than a byte
	}
	if c.tokens != nil {
		return c.reachTokens(start, end)
	}
	pos := start
	for range c.limit {
		if pos >= end {
			return end
		}
		if b[pos] < utf8.RuneSelf {
			pos++
			continue
		}
		_, n := utf8.DecodeRune(b[pos:end])
		pos += n
	}
	return min(pos, end)
}

// stop finds the best cut in b[done+1:limit]: the last separator of the
// strongest kind in the second half of b[start:limit], then before; never
// within a block that fits into a span.
func (c *cutter) stop(start, limit, done int, blocks []block) int {
	for _, k := range blocks {
		if k.start >= limit {
			break
		}
		if k.end > limit && k.start > done && c.fits(k.start, k.end) && len(trimSpace(c.text.Bytes[done:k.start])) > 0 {
			return k.start
		}
	}
	half := max(done, start+(limit-start)/2)
	if c.strict {
		half = limit
	}
	for _, kind := range c.cuts() {
		if at := c.last(half, limit, kind, blocks); at > done {
			return at
		}
	}
	for _, kind := range c.cuts() {
		if at := c.last(done, half, kind, blocks); at > done {
			return at
		}
	}
	for at := limit; at > done+1 && at > limit-4; at-- {
		if c.text.Bytes[at]&0xC0 != 0x80 {
			return at
		}
	}
	return limit
}

// last is the last offset in (from, to] before which a separator of a kind
// ends, or 0.
func (c *cutter) last(from, to, kind int, blocks []block) int {
	for at := to; at > from; at-- {
		if c.separates(at, kind) && !c.protected(at, blocks) {
			return at
		}
	}
	return 0
}

// separates reports whether b[:at] ends with a separator of a kind.
func (c *cutter) separates(at, kind int) bool {
	b := c.text.Bytes
	if kind >= atMark {
		return c.marked(at, kind)
	}
	if at < 2 {
		return false
	}
	end := byte('\n')
	if c.text.lone {
		end = '\r'
	}
	switch kind {
	case atParagraph:
		if b[at-1] != end {
			return false
		}
		if b[at-2] == end || at > 2 && b[at-2] == '\r' && b[at-3] == end {
			return true
		}
		// A heading inside of a section begins a paragraph.
		return at < len(b) && b[at] == '#'
	case atLine:
		return b[at-1] == end
	case atSentence:
		if !isSpace(b[at-1]) {
			return bytes.HasSuffix(b[:at], []byte("。")) || bytes.HasSuffix(b[:at], []byte("！")) || bytes.HasSuffix(b[:at], []byte("？"))
		}
		switch b[at-2] {
		case '.', '!', '?', ';', ':':
			return true
		}
		return false
	}
	return isSpace(b[at-1])
}

// protected reports whether a cut at an offset would go through a block that
// fits into one span.
func (c *cutter) protected(at int, blocks []block) bool {
	for _, k := range blocks {
		if k.start >= at {
			return false
		}
		if at < k.end {
			return c.fits(k.start, k.end)
		}
	}
	return false
}

// next is where the span behind one of b[start:stop] begins: at the strongest
// separator within the overlap, and always behind start. A block that follows
// and fits is not cut for the sake of an overlap.
func (c *cutter) next(start, stop, end int, blocks []block) int {
	from := stop
	if c.tokens != nil && c.overlap > 0 {
		from = c.backTokens(start, stop)
	}
	for n := 0; c.tokens == nil && n < c.overlap && from > start+1; n++ {
		from--
		for from > start+1 && c.text.Bytes[from]&0xC0 == 0x80 {
			from--
		}
	}
	begin := stop
	if len(c.cuts()) == 0 {
		begin = from
	}
search:
	for _, kind := range c.cuts() {
		for at := from; at < stop; at++ {
			if at > start && c.separates(at, kind) && !c.within(at, blocks) {
				begin = at
				break search
			}
		}
	}
	fresh := stop
	for fresh < end && isSpace(c.text.Bytes[fresh]) {
		fresh++
	}
	for _, k := range blocks {
		if k.start > fresh {
			break
		}
		if fresh < k.end && k.start >= stop && c.fits(k.start, k.end) && !c.fits(begin, k.end) {
			return stop
		}
	}
	return begin
}

// within reports whether an offset lies inside of any block: an overlap never
// begins in the middle of a table or of code.
func (c *cutter) within(at int, blocks []block) bool {
	for _, k := range blocks {
		if k.start >= at {
			return false
		}
		if at < k.end {
			return true
		}
	}
	return false
}

func (c *cutter) emit(start, stop int, headings []string) {
	b := c.text.Bytes
	for stop > start && isSpace(b[stop-1]) {
		stop--
	}
	if start == stop {
		return
	}
	c.spans = append(c.spans, document.Span{
		StartByte: start, EndByte: stop,
		StartLine: c.text.LineAt(start) + 1, EndLine: c.text.LineAt(stop-1) + 1,
		Kind: document.KindSection, Headings: headings,
	})
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v'
}
