package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// unspaced are the scripts that do not put spaces between words; their text
// gives bigrams. Hangul does, but its endings stick to the word.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// undecomposed are the Latin letters with a stroke or joined letters that
// canonical decomposition leaves as they are. Keys are case-folded.
var undecomposed = strings.NewReplacer(
	"ø", "o", "đ", "d", "ð", "d", "ħ", "h", "ı", "i", "ł", "l", "ŧ", "t",
	"æ", "ae", "œ", "oe", "þ", "th",
)

// foreignNames takes apart a piece that has runes outside ASCII. It is
// normalised by compatible composition (NFKC) first, so that full-width
// letters and ligatures are found as what they stand for.
func foreignNames(piece string) (names []name) {
	text := norm.NFKC.String(piece)
	for len(text) > 0 {
		class, n := runeRun(text)
		run := text[:n]
		text = text[n:]
		switch class {
		case word:
			names = append(names, splitFolded(run))
		case other:
			names = append(names, name{parts: bigrams(run)})
		}
	}
	return names
}

// runeRun returns the class of the first rune of text (other stands for an
// unspaced script) and the number of bytes that share it.
func runeRun(text string) (class, n int) {
	class = -1
	for i, r := range text {
		c := classOfRune(r)
		if class < 0 {
			class = c
		}
		if c != class && (class == separator || !unicode.Is(unicode.Mn, r)) {
			return class, i
		}
	}
	return class, len(text)
}

func classOfRune(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return int(classOf[r])
	case r == 'ー' || unicode.In(r, unspaced...):
		return other
	case r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)):
		return word
	}
	return separator
}

// splitFolded takes a normalised run apart: as an ASCII run when nothing else
// is left in it, else at underscores and at changes of case and to digits.
func splitFolded(run string) (n name) {
	if len(run) > maxRun {
		return n
	}
	if isASCII(run) {
		return splitASCII(run)
	}
	pieces := 0
	lower := ""
	for field := range strings.SplitSeq(run, "_") {
		for _, part := range splitCase(field) {
			pieces++
			lower = strings.ToLower(part)
			if part = fold(part); part != "" && len(part) <= maxWord {
				n.parts = append(n.parts, part)
			}
		}
	}
	if whole := fold(strings.Trim(run, "_")); pieces > 1 && len(whole) <= maxWhole {
		n.whole = whole
	}
	if pieces == 1 {
		n.lower = lower
	}
	return n
}

// splitCase cuts a run before an upper-case letter that follows a lower-case
// one, and between letters and digits.
func splitCase(run string) []string {
	var parts []string
	start := 0
	var before rune
	for i, r := range run {
		if i > start && (unicode.IsLower(before) && unicode.IsUpper(r) ||
			unicode.IsDigit(before) != unicode.IsDigit(r) && !unicode.IsMark(r)) {
			parts = append(parts, run[start:i])
			start = i
		}
		before = r
	}
	if start < len(run) {
		parts = append(parts, run[start:])
	}
	return parts
}

// fold folds case and removes accents. Marks of other scripts carry vowels
// and stay.
func fold(s string) string {
	s = norm.NFD.String(cases.Fold().String(s))
	s = strings.Map(func(r rune) rune {
		if r >= 0x300 && r <= 0x36f { // Combining Diacritical Marks
			return -1
		}
		return r
	}, s)
	return undecomposed.Replace(norm.NFKC.String(s))
}

// bigrams returns each pair of neighbouring runes of text, or its only rune.
func bigrams(text string) (pairs []string) {
	start, end := 0, 0
	for end < len(text) {
		_, n := utf8.DecodeRuneInString(text[end:])
		if end > 0 {
			pairs = append(pairs, strings.Clone(text[start:end+n]))
			start = end
		}
		end += n
	}
	if pairs == nil {
		return []string{text}
	}
	return pairs
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
