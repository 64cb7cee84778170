package ignore

import (
	"regexp"
	"strings"
	"testing"
)

// reference translates a pattern into a regular expression, which Go matches
// in linear time: another way to the same answer. ok is false for what it does
// not know.
func reference(p string) (re *regexp.Regexp, ok bool) {
	var s strings.Builder
	s.WriteString(`(?s)\A`)
	for i := 0; i < len(p); i++ {
		switch c := p[i]; c {
		case '\\':
			i++
			if i == len(p) {
				return nil, false
			}
			s.WriteString(regexp.QuoteMeta(p[i : i+1]))
		case '?':
			s.WriteString(`[^/]`)
		case '[':
			return nil, false
		case '*':
			j := i
			for j < len(p) && p[j] == '*' {
				j++
			}
			whole := j > i+1 && (i == 0 || p[i-1] == '/')
			switch {
			case whole && j == len(p):
				s.WriteString(`.*`)
			case whole && p[j] == '/':
				s.WriteString(`(?:.*/)?`)
				j++
			case whole && strings.HasPrefix(p[j:], `\/`):
				s.WriteString(`.*`)
			default:
				s.WriteString(`[^/]*`)
			}
			i = j - 1
		default:
			s.WriteString(regexp.QuoteMeta(string(rune(c))))
		}
	}
	s.WriteString(`\z`)
	re, err := regexp.Compile(s.String())
	return re, err == nil
}

func FuzzWildcards_MeanWhatTheDefinitionSays(f *testing.F) {
	for _, s := range [][2]string{
		{"**/a/*.go", "b/a/x.go"}, {"a/**", "a/b/c"}, {"a/**/b", "a/b"}, {"*a*b", "xaxxb"}, {"**a", "b/a"}, {"a**/b", "ax/b"}, {`a\*?`, "a*b"},
		{"**/**/x", "x"}, {"*/**/*", "a/b/c"}, {`**\/x`, "a/x"}, {strings.Repeat("**/a/", 5) + "b", strings.Repeat("a/", 9) + "b"},
	} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, s := range []string{pattern, text} {
			// Paths have no empty elements; a regular expression counts runes.
			if len(s) > 60 || strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 || r == 0 }) || strings.Contains("/"+s+"/", "//") {
				return
			}
		}
		re, ok := reference(pattern)
		if !ok {
			return
		}
		if got, want := wildmatch(pattern, text), re.MatchString(text); got != want {
			t.Errorf("wildmatch(%q, %q) is %t, %s says %t", pattern, text, got, re, want)
		}
	})
}
