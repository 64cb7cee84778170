package query

import (
	"path"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/nearest"
)

// nearMost is how many paths are named to who is lost.
const nearMost = 5

// nearPaths returns the paths that a person or program may have meant by one that
// is none: those that lack or have too many folders at the front, those of the same
// name elsewhere, and those of the most similar name.
func nearPaths(wrong document.Path, paths []document.Path) []string {
	base := wrong.Base()
	ranks := map[document.Path]int{}
	bases := map[string]bool{}
	for _, p := range paths {
		switch name := path.Base(string(p)); {
		case strings.HasSuffix(string(p), "/"+string(wrong)), strings.HasSuffix(string(wrong), "/"+string(p)):
			ranks[p] = 1
		case strings.EqualFold(string(p), string(wrong)):
			ranks[p] = 1
		case name == base:
			ranks[p] = 2
		case abs(len(name)-len(base)) <= max(1, len(base)/3):
			bases[name] = true
		}
	}
	if len(ranks) == 0 {
		names := make([]string, 0, len(bases))
		for name := range bases {
			names = append(names, name)
		}
		slices.Sort(names)
		if near, ok := nearest.Of(base, names); ok {
			for _, p := range paths {
				if p.Base() == near {
					ranks[p] = 3
				}
			}
		}
	}
	out := make([]string, 0, len(ranks))
	for p := range ranks {
		out = append(out, string(p))
	}
	slices.SortFunc(out, func(a, b string) int {
		if n := ranks[document.Path(a)] - ranks[document.Path(b)]; n != 0 {
			return n
		}
		if n := shared(string(wrong), b) - shared(string(wrong), a); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	return out[:min(len(out), nearMost)]
}

// shared is the length of what two texts begin with.
func shared(a, b string) (n int) {
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func abs(n int) int { return max(n, -n) }
