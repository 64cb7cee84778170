// Package related tells from the text of passages how they have to do with each
// other: which names one uses, and how surely another defines or uses a name.
package related

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// name matches an identifier with what qualifies it.
var name = regexp.MustCompile(`[\pL_$][\pL\pN_$]*(?:(?:\.|::|->)[\pL_$][\pL\pN_$]*)*`)

// leastName is how long a name must be, without what qualifies it: shorter ones are
// variables, which are nowhere else.
const leastName = 3

// Used returns the names that a text of code uses, each once with what qualifies it
// where it stands first: those that are called, and then those whose writing shows that they
// are names of something (Config, max_lines), at most so many. own are left out.
func Used(text []byte, lang string, own []string, most int) []string {
	l := language.Get(lang)
	if l.Prose || l.Data {
		return nil
	}
	type use struct {
		typed  string
		called bool
	}
	var uses []use
	at := map[string]int{}
	for line := range bytes.Lines(text) {
		line = code(line, &l)
		for _, m := range name.FindAllIndex(line, -1) {
			typed := string(line[m[0]:m[1]])
			last := rank.LastPart(typed)
			if len(last) < leastName || slices.ContainsFunc(own, func(n string) bool { return rank.LastPart(n) == last }) {
				continue
			}
			called := m[1] < len(line) && line[m[1]] == '('
			if !called && !shaped(last) {
				continue
			}
			i, known := at[last]
			if !known {
				at[last] = len(uses)
				uses = append(uses, use{typed, called})
				continue
			}
			uses[i].called = uses[i].called || called
			if !strings.ContainsAny(uses[i].typed, ".:>") {
				uses[i].typed = typed
			}
		}
	}
	slices.SortStableFunc(uses, func(a, b use) int { return cmp.Compare(rankOf(a.called), rankOf(b.called)) })
	out := make([]string, min(len(uses), most))
	for i := range out {
		out[i] = uses[i].typed
	}
	return out
}

func rankOf(called bool) int {
	if called {
		return 0
	}
	return 1
}

// shaped reports whether a name is written as those of types, constants and functions
// are.
func shaped(name string) bool {
	return strings.IndexFunc(name, func(r rune) bool { return r == '_' || r >= 'A' && r <= 'Z' }) >= 0
}

// code blanks what is a comment or a string of a line, as far as the line alone tells.
func code(line []byte, l *language.Language) []byte {
	out := bytes.Clone(line)
	for i := 0; i < len(out); {
		c := out[i]
		if l.LineComment != "" && bytes.HasPrefix(out[i:], []byte(l.LineComment)) {
			return out[:i]
		}
		if c != '"' && (c != '\'' || !l.Quoted) {
			i++
			continue
		}
		end := i + 1
		for end < len(out) && out[end] != c && out[end] != '\n' {
			if out[end] == '\\' {
				end++
			}
			end++
		}
		if end >= len(out) || out[end] != c {
			i++ // it does not end on its line
			continue
		}
		for ; i <= end; i++ {
			out[i] = ' '
		}
	}
	return out
}
