package related

import (
	"bytes"
	"cmp"
	"path"
	"strings"

	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
)

// How sure it is that a passage defines what another one uses; each is a factor.
const (
	byMethod  = .6 // what qualifies the name is a variable, whose type nobody knows here
	byLast    = .4 // the same, and the definition is no method
	inFolder  = .9 // of the same folder
	inSource  = .7
	elsewhere = .5
	// otherLanguage is the factor for another language: what it defines is seldom meant.
	otherLanguage = .4
)

// Defines is how surely a passage defines a name that another one uses, 0 to 1.
func Defines(used string, by, a *store.Attrs) float64 {
	n := rank.NewName(used)
	fit := n.DefinedBy(a)
	if fit == 0 && n.Last() != used {
		last := rank.NewName(n.Last())
		if fit = last.DefinedBy(a) * byLast; rank.BelongsTo(a, n.Last()) {
			fit = byMethod
		}
	}
	return fit * distance(by, a)
}

// distance is how much less sure it is for where two passages stand.
func distance(a, b *store.Attrs) float64 {
	d := elsewhere
	switch {
	case a.Source == b.Source && a.Path == b.Path:
		d = 1
	case a.Source == b.Source && path.Dir(string(a.Path)) == path.Dir(string(b.Path)):
		d = inFolder
	case a.Source == b.Source:
		d = inSource
	}
	if b.Language != "" && !language.Akin(a.Language, b.Language) {
		d *= otherLanguage
	}
	return d
}

// What speaks for a use of a name, beside that it stands there; each is added.
const (
	stands    = .3
	called    = .1
	qualified = .4 // by what it belongs to, or by the folder or file that defines it
	named     = .2 // what it belongs to stands in the same passage
	beside    = .2 // in the same folder
	within    = .1 // in the same file, too
	// Sure is how much a use needs where others define the same name.
	Sure = .5
)

// Use is what is looked for in passages: a name, and where it is defined.
type Use struct {
	last, owner string
	folder      string
	file        string
	defined     store.Attrs
}

// NewUse is the use of a name that a passage defines.
func NewUse(symbol string, defined store.Attrs) Use {
	last := rank.LastPart(symbol)
	owner := rank.LastPart(strings.TrimRight(strings.TrimSuffix(symbol, last), ".:>#/-"))
	at := defined.Path
	folder := path.Base(path.Dir(string(at)))
	if folder == "." {
		folder = ""
	}
	return Use{last: last, owner: owner, folder: folder, file: at.Stem(), defined: defined}
}

// Last is the name, without what qualifies it.
func (u *Use) Last() string { return u.last }

// In is how surely a passage uses the name, 0 where it does not, at most 1.
func (u *Use) In(a *store.Attrs, text []byte) float64 {
	lang := cmp.Or(a.Language, language.OfPath(a.Path)) // of lines that are not cut yet
	l := language.Get(lang)
	if l.Prose || l.Data || lang == language.Text {
		return 0
	}
	atom := reading.Atom{Text: u.last, Is: reading.Name}
	best := 0.0
	for line := range bytes.Lines(text) {
		for rest := code(line, &l); ; {
			start, end, ok := atom.Find(rest)
			if !ok {
				break
			}
			best = max(best, u.at(rest, start, end))
			rest = rest[end:]
		}
	}
	if best == 0 {
		return 0
	}
	if owner := (reading.Atom{Text: u.owner, Is: reading.Name}); u.owner != "" && owner.In(text) {
		best += named
	}
	if a.Source == u.defined.Source && path.Dir(string(a.Path)) == path.Dir(string(u.defined.Path)) {
		best += beside
		if a.Path == u.defined.Path {
			best += within
		}
	}
	if lang != "" && !language.Akin(lang, u.defined.Language) {
		best *= otherLanguage
	}
	return min(best, 1)
}

// at is how sure a use is for what stands right around it.
func (u *Use) at(line []byte, start, end int) float64 {
	sure := stands
	if end < len(line) && line[end] == '(' {
		sure += called
	}
	if q := qualifier(line[:start]); q != "" && (q == u.owner || q == u.folder || q == u.file) {
		sure += qualified
	}
	return sure
}

// Line is the first line of a text of code, from 0, that has the name; -1 for none.
func Line(lines [][]byte, lang, last string) int {
	l := language.Get(lang)
	atom := reading.Atom{Text: last, Is: reading.Name}
	for i, line := range lines {
		if atom.In(code(line, &l)) {
			return i
		}
	}
	return -1
}

// qualifier is the identifier before what stands at the end of a text, with ., :: or ->
// between; "" for none.
func qualifier(before []byte) string {
	for _, sep := range []string{".", "::", "->"} {
		if n := len(before) - len(sep); n > 0 && string(before[n:]) == sep {
			all := name.FindAllIndex(before[max(0, n-80):n], -1)
			if len(all) == 0 {
				return ""
			}
			from := max(0, n-80)
			last := all[len(all)-1]
			if from+last[1] != n {
				return ""
			}
			return rank.LastPart(string(before[from+last[0] : n]))
		}
	}
	return ""
}
