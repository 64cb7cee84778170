package pathset

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// The most globs that leave something out of one source, and the bytes of one.
const (
	MaxExcludes = 256
	maxExclude  = 1024
)

// CheckExcludes checks globs that say what a source leaves out. Each has the
// syntax of a line of a .gitignore at the source's root, without "!": such a list
// only leaves out. An error is an InvalidRequest that begins with the glob in
// quotes.
func CheckExcludes(globs []string) error {
	if len(globs) > MaxExcludes {
		return document.Errorf(document.InvalidRequest, "%q and %d others are too many: give at most %d", globs[0], len(globs)-1, MaxExcludes)
	}
	for _, g := range globs {
		switch {
		case strings.Trim(g, " /") == "":
			return document.Errorf(document.InvalidRequest, "%q matches nothing: leave it out", g)
		case len(g) > maxExclude:
			return document.Errorf(document.InvalidRequest, "%q is too long: use at most %d bytes", g, maxExclude)
		case strings.ContainsAny(g, "\n\r"):
			return document.Errorf(document.InvalidRequest, "%q has a line break: give each glob by itself", g)
		case g[0] == '!':
			return document.Errorf(document.InvalidRequest, "%q lets in, and only what is left out is named here: let in by a line in .freshetignore, or put a backslash before the !", g)
		case g[0] == '#':
			return document.Errorf(document.InvalidRequest, "%q is a comment: put a backslash before the #", g)
		}
	}
	return nil
}
