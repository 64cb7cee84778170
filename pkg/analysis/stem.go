package analysis

import (
	"strings"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// stem returns the Porter2 stem of a lower-case word of ASCII letters, and
// anything else unchanged. The result has its own memory.
func (a *Analyzer) stem(lower string) string {
	if s, ok := a.stems.get([]byte(lower)); ok {
		return s
	}
	lower = strings.Clone(lower) // it may be a part of a longer name
	s := lower
	if hasStem(lower) {
		env := snowballstem.NewEnv(lower)
		english.Stem(env)
		s = strings.Clone(env.Current())
	}
	a.stems.put(lower, s)
	return s
}

// hasStem reports whether s is long enough and plain enough to be stemmed.
func hasStem(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 'a' || s[i] > 'z' {
			return false
		}
	}
	return len(s) >= 3
}
