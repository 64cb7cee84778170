package split

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Item is a stretch of whole lines that belongs together: a definition with
// its doc comment, or a statement. The items of a list are in order, and each
// begins right behind the one before it.
type Item struct {
	First, Last int // lines, from 0, inclusive
	// Kind, Symbol and Signature are empty for a part of something else, such
	// as a statement; the part takes over those of its owner.
	Kind      string
	Symbol    string
	Signature string
	// Names are further names that the item defines.
	Names []string
	// Inner are the parts of an item that may be larger than Options.Max.
	// They cover the same lines as the item.
	Inner []Item
}

// Pack makes passages of items: small neighbours are merged up to the target,
// large items split at their parts, at lines where there are none, and within
// a line that is too long. A header stands alone.
func Pack(text *Text, lang string, items []Item, opt Options) []document.Span {
	p := packer{text: text, opt: opt, scan: newScanner(lang)}
	p.spans = make([]document.Span, 0, len(text.Bytes)/max(opt.Target, 1)*2+4)
	p.pack(items, Item{}, "")
	return p.spans
}

type packer struct {
	text  *Text
	opt   Options
	scan  *scanner
	spans []document.Span
	depth int
}

// group is a run of items that becomes one passage.
type group struct {
	items []Item
}

func (g group) first() int { return g.items[0].First }
func (g group) last() int  { return g.items[len(g.items)-1].Last }

// pack appends the passages of items, the parts of owner. context is what
// stands above owner.
func (p *packer) pack(items []Item, owner Item, context string) {
	inner := context
	if owner.Signature != "" {
		inner = join(context, owner.Signature)
	}
	var groups []group
	open := false // the last group takes more
	begun := len(p.spans)
	flush := func() {
		p.joinTail(&groups)
		for i, g := range groups {
			if i == 0 && len(p.spans) > begun && p.extend(g) {
				continue
			}
			p.emit(g, owner, context, inner)
		}
		groups, open = groups[:0], false
	}
	for i, item := range items {
		if i == 0 && owner.Symbol != "" && item.Symbol == "" {
			item.Kind, item.Symbol, item.Signature = owner.Kind, owner.Symbol, owner.Signature
		}
		first, last, ok := p.text.trim(item.First, item.Last)
		if !ok {
			continue
		}
		item.First, item.Last = first, last
		size := p.text.Size(first, last)
		switch {
		case size > p.opt.Max:
			flush()
			p.large(item, owner, context, inner, i == 0)
		case item.Kind == document.KindHeader:
			groups, open = append(groups, group{items: []Item{item}}), false
		case open && p.joins(groups[len(groups)-1], last):
			g := &groups[len(groups)-1]
			g.items = append(g.items, item)
		default:
			groups, open = append(groups, group{items: []Item{item}}), true
		}
	}
	flush()
}

// A passage below a sixth of the target is too small to stand alone: it may
// join a neighbour beyond the target, up to the maximum.
const crumb = 6

// joins reports whether a group takes up what ends at line last.
func (p *packer) joins(g group, last int) bool {
	size := p.text.Size(g.first(), last)
	return size <= p.opt.Target || size <= p.opt.Max && p.crumb(g)
}

// crumb reports whether a group is too small to stand alone and defines
// nothing that ought to be found by its name.
func (p *packer) crumb(g group) bool {
	for _, item := range g.items {
		if rank(item) == rankDefinition || item.Kind == document.KindHeader {
			return false
		}
	}
	return p.text.Size(g.first(), g.last()) < p.opt.Target/crumb
}

// extend lets the last passage take up a rest that defines nothing: what
// follows a large statement.
func (p *packer) extend(g group) bool {
	for _, item := range g.items {
		if item.Kind != "" {
			return false
		}
	}
	span := &p.spans[len(p.spans)-1]
	start, end := p.text.Start(g.first()), p.text.End(g.last())
	if end-start >= p.opt.Target/crumb || end-span.StartByte > p.opt.Max || span.StartByte != p.text.Start(span.StartLine-1) || span.Kind == document.KindHeader {
		return false
	}
	span.EndByte, span.EndLine = end, g.last()+1
	return true
}

// joinTail merges a last passage that is a mere rest into the one before it.
func (p *packer) joinTail(groups *[]group) {
	n := len(*groups)
	if n < 2 {
		return
	}
	tail, prev := (*groups)[n-1], &(*groups)[n-2]
	if prev.items[0].Kind != document.KindHeader && p.crumb(tail) && p.text.Size(prev.first(), tail.last()) <= p.opt.Max {
		prev.items = append(prev.items, tail.items...)
		*groups = (*groups)[:n-1]
	}
}

// maxDepth limits how deep items are taken apart; a parser's tree may be as
// deep as the content is long.
const maxDepth = 48

// large splits an item above the maximum. lead says that it begins its owner.
func (p *packer) large(item, owner Item, context, inner string, lead bool) {
	above := inner
	if lead {
		above = context
	}
	whole := item
	if whole.Symbol == "" {
		whole.Kind, whole.Symbol = first(whole.Kind, owner.Kind), owner.Symbol
	}
	switch {
	case item.First == item.Last:
		p.cut(whole, above)
	case p.depth < maxDepth && len(item.Inner) > 1:
		p.depth++
		p.pack(item.Inner, whole, above)
		p.depth--
	default:
		p.pack(p.lines(item.First, item.Last), whole, above)
	}
}

// cut emits pieces of one line that is longer than the maximum.
func (p *packer) cut(item Item, context string) {
	start, end := p.text.Start(item.First), p.text.End(item.First)
	for start < end {
		stop := cutAt(p.text.Bytes, start, end, p.opt.Target)
		if s := trimSpace(p.text.Bytes[start:stop]); len(s) > 0 {
			p.append(document.Span{
				StartByte: start, EndByte: stop, StartLine: item.First + 1, EndLine: item.First + 1,
				Kind: first(item.Kind, document.KindBlock), Symbol: item.Symbol, Signature: item.Signature, Context: context,
			}, []Item{item})
		}
		start = stop
	}
}

// cutAt returns where to cut b[start:end] into a piece of at most size bytes:
// behind the last separator of its second half, else between two runes.
func cutAt(b []byte, start, end, size int) int {
	if end-start <= size {
		return end
	}
	stop := start + size
	for i := stop; i > start+size/2; i-- {
		switch b[i-1] {
		case ' ', '\t', ',', ';', '{', '}', ')', '>':
			return i
		}
	}
	for i := stop; i > stop-4 && i > start; i-- {
		if b[i]&0xC0 != 0x80 {
			return i
		}
	}
	return stop
}

// emit appends the passage of a group.
func (p *packer) emit(g group, owner Item, context, inner string) {
	lead := g.items[0]
	best := lead
	for _, item := range g.items[1:] {
		if rank(item) > rank(best) {
			best = item
		}
	}
	above := inner
	if lead.Symbol == owner.Symbol && lead.Symbol != "" {
		above = context // the owner's signature is part of the text
	}
	span := document.Span{
		StartByte: p.text.Start(g.first()), EndByte: p.text.End(g.last()),
		StartLine: g.first() + 1, EndLine: g.last() + 1,
		Kind: best.Kind, Symbol: best.Symbol, Signature: best.Signature, Context: above,
	}
	if span.Symbol == "" && owner.Symbol != "" {
		span.Symbol, span.Kind = owner.Symbol, first(span.Kind, owner.Kind)
	}
	span.Kind = first(span.Kind, owner.Kind, document.KindBlock)
	span.Names = furtherNames(g.items, span.Symbol)
	p.append(span, g.items)
}

func (p *packer) append(span document.Span, items []Item) {
	if span.Kind != document.KindHeader {
		span.Label = p.scan.label(span, items, p.text.Bytes[span.StartByte:span.EndByte])
	}
	span.Symbol = valid(span.Symbol)
	span.Signature = valid(span.Signature)
	span.Context = valid(span.Context)
	p.spans = append(p.spans, span)
}

// Ranks of items, by how well they name a merged passage.
const (
	rankNothing = iota
	rankOther
	rankVariable
	rankDefinition
)

func rank(item Item) int {
	if item.Symbol == "" {
		return rankNothing
	}
	switch item.Kind {
	case document.KindFunction, document.KindMethod, document.KindClass, document.KindType:
		return rankDefinition
	case document.KindModule, document.KindVariable:
		return rankVariable
	}
	return rankOther
}

// join puts one context line under another, and drops the outermost where
// both are long.
func join(above, signature string) string {
	if above == "" {
		return signature
	}
	if len(above)+len(signature) > 400 {
		if i := strings.LastIndexByte(above, '\n'); i >= 0 {
			above = above[i+1:]
		}
	}
	return above + "\n" + signature
}

func first(kinds ...string) string {
	for _, k := range kinds {
		if k != "" {
			return k
		}
	}
	return ""
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
