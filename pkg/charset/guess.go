package charset

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gogs/chardet"
)

const (
	// sample is how many bytes of a text are looked at, from its first letter beyond
	// ASCII on: a licence above it says nothing.
	sample = 64 << 10
	// sureDouble and sureSingle are the confidences (of 100) from which on an encoding of
	// East Asia or another that is not of the west is believed. A sentence in Big5 has 81,
	// what is in none of them 10. The letters of a program
	// with one short comment in Cyrillic are told apart at 36, Cyrillic of MS-DOS is
	// taken for Greek at 28 at most.
	sureDouble = 75
	sureSingle = 35
)

// guess names the encoding that the letters of a text look like; "" where that is of the
// west, or nobody can tell.
func guess(content []byte) string {
	first := 0
	for first < len(content) && content[first] < utf8.RuneSelf {
		first++
	}
	content = content[first:]
	all, err := chardet.NewTextDetector().DetectAll(content[:min(len(content), sample)])
	if err != nil {
		return ""
	}
	// The detector's own order of those that are equally likely is another each time, and
	// another text would be another version of the document.
	best := slices.MinFunc(all, func(a, b chardet.Result) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), cmp.Compare(a.Charset, b.Charset))
	})
	switch name := strings.ToLower(best.Charset); name {
	case "shift_jis", "euc-jp", "euc-kr", "gb18030", "big5":
		if best.Confidence >= sureDouble {
			return name
		}
	case "windows-1251", "koi8-r", "iso-8859-5", "iso-8859-7", "windows-1253", "iso-8859-6", "windows-1256", "iso-8859-8", "iso-8859-8-i", "windows-1255":
		if best.Confidence >= sureSingle {
			return name
		}
	}
	return ""
}
