package places

import (
	"strings"
)

// Fit returns how well a document fits the place, 0 where it does not: the number
// of names at the end of its path that the two have in common. root is the folder
// of its source, "" where that is none.
//
// A file that has the name alone in common is one only where no more was typed, or
// where it stands at the root of its source: another folder is another file.
func (p *Place) Fit(doc, root string) int {
	want, have := split(p.Path), split(doc)
	n := common(want, have)
	switch {
	case n == 0:
		return 0
	case n == len(want), n == len(have):
	case n == 1 && !p.Bare:
		return 0
	}
	if n < len(have) || len(want) == n {
		return n
	}
	more := common(want[:len(want)-n], split(root))
	if n == 1 && more == 0 && p.foreign() {
		return 0
	}
	return n + more
}

// foreign reports whether a place is in what others wrote, by its folders.
func (p *Place) foreign() bool {
	for _, folder := range []string{"/usr/", "/node_modules/", "/site-packages/", "/dist-packages/", "/pkg/mod/", "/vendor/", "/.cargo/", "/lib/", "/go/src/"} {
		if strings.Contains(p.Path, folder) {
			return true
		}
	}
	return false
}

func split(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// common counts the names that two paths have in common at their end.
func common(a, b []string) (n int) {
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
