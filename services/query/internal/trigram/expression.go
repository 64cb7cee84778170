package trigram

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Of returns what a text must hold for an expression to match one of its lines, as
// Russ Cox describes it (https://swtch.com/~rsc/regexp/regexp4.html): of each part
// of the expression it is known which texts it matches, if these are few, or what
// all of them begin and end with, and what they hold beside that.
func Of(tree *syntax.Regexp) Need {
	p := read(tree.Simplify())
	n := p.whole()
	n.odd = hasOdd(tree)
	return n
}

// part is what is known of a part of an expression.
type part struct {
	// exact are all texts that it matches, in lower case; nil where that is not
	// known, and then what every match begins with and ends with.
	exact, begins, ends []string
	need                Need // of every match, beside that
}

const (
	// maxTexts and maxBytes bound what is known of a part.
	maxTexts = 32
	maxBytes = 4 << 10
	// maxClass is how many characters a class may have to be taken one by one.
	maxClass = 10
)

// anything is a part of which nothing is known, and nothing one that matches at a
// place and no text.
func anything() part { return part{begins: []string{""}, ends: []string{""}} }
func nothing() part  { return part{exact: []string{""}} }

func read(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return nothing()
	case syntax.OpLiteral:
		return literal(re)
	case syntax.OpCharClass:
		return class(re.Rune)
	case syntax.OpCapture:
		return read(re.Sub[0])
	case syntax.OpConcat:
		out := nothing()
		for _, sub := range re.Sub {
			out = out.then(read(sub))
		}
		return out
	case syntax.OpAlternate:
		out := read(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			out = out.or(read(sub))
		}
		return out
	case syntax.OpQuest:
		return read(re.Sub[0]).or(nothing())
	case syntax.OpPlus:
		return read(re.Sub[0]).open()
	}
	return anything() // OpStar, any character, and what matches nothing
}

// literal is a text, broken where a character stands for others that are not known.
func literal(re *syntax.Regexp) part {
	out, fold := nothing(), re.Flags&syntax.FoldCase != 0
	var b strings.Builder
	flush := func() {
		out = out.then(part{exact: []string{b.String()}})
		b.Reset()
	}
	for _, r := range re.Rune {
		// A byte that is no UTF-8 matches the replacement character.
		if r == utf8.RuneError || fold && r >= utf8.RuneSelf {
			flush()
			out = out.then(anything())
			continue
		}
		writeLower(&b, r)
	}
	flush()
	return out
}

// class is one character of few, or of many.
func class(ranges []rune) part {
	var out part
	for i := 0; i < len(ranges); i += 2 {
		for r := ranges[i]; r <= ranges[i+1]; r++ {
			var b strings.Builder
			if writeLower(&b, r); !slices.Contains(out.exact, b.String()) {
				out.exact = append(out.exact, b.String())
			}
			if r == utf8.RuneError || len(out.exact) > maxClass {
				return anything()
			}
		}
	}
	if out.exact == nil {
		return anything()
	}
	return out
}

func writeLower(b *strings.Builder, r rune) {
	if r < utf8.RuneSelf {
		b.WriteByte(lower(byte(r)))
		return
	}
	b.WriteRune(r)
}

// open is a part of which it is not known any more what all of it is: it may stand
// there again.
func (p part) open() part {
	if p.exact == nil {
		return p
	}
	return part{begins: p.exact, ends: p.exact, need: p.need.and(holding(p.exact))}
}

// whole is the need of all that is known.
func (p part) whole() Need {
	if p.exact != nil {
		return p.need.and(holding(p.exact))
	}
	return p.need.and(holding(p.begins)).and(holding(p.ends))
}

// then is a part with another one behind it.
func (p part) then(q part) part {
	if p.exact != nil && q.exact != nil {
		if both, ok := cross(p.exact, q.exact); ok {
			return part{exact: both, need: p.need.and(q.need)}
		}
	}
	a, b := p.open(), q.open()
	out := part{begins: a.begins, ends: b.ends, need: a.need.and(b.need)}
	if between, ok := cross(a.ends, b.begins); ok {
		out.need = out.need.and(holding(between))
	}
	if p.exact != nil {
		if longer, ok := cross(p.exact, b.begins); ok {
			out.begins = longer
		}
	}
	if q.exact != nil {
		if longer, ok := cross(a.ends, q.exact); ok {
			out.ends = longer
		}
	}
	return out.bound()
}

// or is a part or another one.
func (p part) or(q part) part {
	if p.exact != nil && q.exact != nil {
		if either := union(p.exact, q.exact); small(either) && p.need.Any() && q.need.Any() {
			return part{exact: either}
		}
	}
	a, b := p.open(), q.open()
	out := part{begins: union(a.begins, b.begins), ends: union(a.ends, b.ends), need: oneOf(p.whole(), q.whole())}
	return out.bound()
}

// bound keeps of what a part begins and ends with what is worth keeping: two bytes
// on each side tell what stands across the border to another part.
func (p part) bound() part {
	if !small(p.begins) {
		p.need = p.need.and(holding(p.begins))
		p.begins = shorten(p.begins, func(s string) string { return s[:min(len(s), gramLen-1)] })
	}
	if !small(p.ends) {
		p.need = p.need.and(holding(p.ends))
		p.ends = shorten(p.ends, func(s string) string { return s[max(0, len(s)-gramLen+1):] })
	}
	return p
}

func shorten(texts []string, short func(string) string) []string {
	var out []string
	for _, s := range texts {
		out = append(out, short(s))
	}
	if out = union(out, nil); !small(out) {
		return []string{""}
	}
	return out
}

func small(texts []string) bool {
	n := 0
	for _, s := range texts {
		n += len(s)
	}
	return len(texts) <= maxTexts && n <= maxBytes
}

// cross are all texts of one list with those of another behind them, if these are
// not too many.
func cross(a, b []string) (out []string, ok bool) {
	if len(a)*len(b) > maxTexts {
		return nil, false
	}
	for _, s := range a {
		for _, t := range b {
			out = append(out, s+t)
		}
	}
	return out, small(out)
}

func union(a, b []string) []string {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// hasOdd reports whether an expression takes an odd letter for one of ASCII.
func hasOdd(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 {
		return slices.ContainsFunc(re.Rune, func(r rune) bool {
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				if r < utf8.RuneSelf && f >= utf8.RuneSelf {
					return true
				}
			}
			return false
		})
	}
	return slices.ContainsFunc(re.Sub, hasOdd)
}
