package terminal

import (
	"strings"
	"unicode"
)

// Printable keeps a document from steering the terminal, and from saying there
// what nobody sees: a control character, or a run of characters that have no
// width, change the direction or are tags, is one replacement character. Variation
// selectors, which say how the character before them looks, are left out.
func Printable(text string) string {
	var b strings.Builder
	hidden := false
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Variation_Selector, r):
			continue
		case unicode.IsControl(r):
			b.WriteRune(unicode.ReplacementChar)
		case !unicode.In(r, invisible...):
			b.WriteRune(r)
		case !hidden:
			b.WriteRune(unicode.ReplacementChar)
			hidden = true
			continue
		default:
			continue
		}
		hidden = false
	}
	return b.String()
}

// PrintableLines is Printable for whole sentences, such as errors. Line breaks
// and tabs stay.
func PrintableLines(text string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(text, "\n\t")
		if i < 0 {
			b.WriteString(Printable(text))
			return b.String()
		}
		b.WriteString(Printable(text[:i]))
		b.WriteByte(text[i])
		text = text[i+1:]
	}
}

// invisible are separators of lines and paragraphs, formats (zero width,
// direction, tags), and fillers that fonts leave empty.
var invisible = []*unicode.RangeTable{
	unicode.Zl, unicode.Zp, unicode.Cf, unicode.Bidi_Control, unicode.Other_Default_Ignorable_Code_Point,
	{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1}}}, // a pattern of Braille without a dot
}
