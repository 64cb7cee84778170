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
	s := stemIn(snowballstem.NewEnv(""), lower)
	a.stems.put(lower, s)
	return s
}

// stemIn is stem without the cache, for words that do not come again. env is
// any, to be used again.
func stemIn(env *snowballstem.Env, lower string) string {
	if !hasStem(lower) {
		return lower
	}
	env.SetCurrent(lower)
	english.Stem(env)
	return strings.Clone(env.Current())
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
