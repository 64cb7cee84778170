package rank

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// place is a path taken apart, once for all that is asked of it.
type place struct {
	low     string // the whole in lower case
	lowBase string
	lowDirs []string // outermost first
	stem    string   // as it is written
	dirs    []string // the last three, as they are written
}

func placeOf(p document.Path) place {
	at := place{low: strings.ToLower(string(p)), stem: p.Stem(), dirs: p.Dirs()}
	low := document.Path(at.low)
	at.lowBase, at.lowDirs = low.Base(), low.Dirs()
	at.dirs = at.dirs[max(0, len(at.dirs)-3):]
	return at
}
