package rank

import (
	"cmp"
	"strings"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// Name is a name that a question asks for, such as os.ReadFile, RWMutex.Lock or
// parse_header.
type Name struct {
	Typed  string
	last   string   // of Typed, without what qualifies it
	owners []string // what qualifies it, the outermost first
}

// separators stand between the parts of a qualified name.
const separators = ".:>#/-"

// Names returns the names that the question consists of, none where it has other
// words.
func (q *Query) Names() []Name { return q.names }

func namesOf(text string, class analysis.Class) (names []Name) {
	if class != analysis.Symbol {
		return nil
	}
	for _, id := range analysis.ShapedIdentifiers(text) {
		parts := partsOf(id)
		if len(parts) == 0 {
			continue
		}
		if at := strings.Index(text, id); at > 0 && text[at-1] == '$' {
			parts[0] = "$" + parts[0] // of the name, where a script has it
		}
		names = append(names, Name{Typed: id, last: parts[len(parts)-1], owners: parts[:len(parts)-1]})
	}
	return names
}

// NewName is a name as code writes it, with what qualifies it.
func NewName(typed string) Name {
	parts := partsOf(typed)
	if len(parts) == 0 {
		return Name{Typed: typed}
	}
	return Name{Typed: typed, last: parts[len(parts)-1], owners: parts[:len(parts)-1]}
}

// BelongsTo reports whether a passage defines a name as that of something: a method, a
// field.
func BelongsTo(a *store.Attrs, last string) bool {
	for symbol := range strings.SplitSeq(a.Symbol, "\n") {
		if parts := partsOf(symbol); definitionKinds[a.Kind] && len(parts) > 1 && parts[len(parts)-1] == last {
			return true
		}
	}
	return false
}

// Last is the name without what qualifies it.
func (n *Name) Last() string { return n.last }

func partsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return strings.ContainsRune(separators, r) })
}

// How well a definition fits a name; each is a factor.
const (
	otherCase  = .7  // of its letters, or of those of what it belongs to
	byBeside   = .97 // an owner is defined in the same passage, which lists its members by their names alone
	byStem     = .95 // an owner is the file's name
	byStemEnd  = .9  // an owner is the end of the file's name, behind a dash
	byOuterDir = .85 // an owner is a folder further out
	ofOther    = .6  // it belongs to something that was not named
)

// ownDefinition is the fit from which a definition is that of the name itself.
const ownDefinition = .8

// AsksUses says whether the uses of a name are asked for: what others define by the same
// name is no use of it.
func (q *Query) AsksUses(uses bool) { q.uses = uses }

// Defines returns how well a passage defines one of the names that the question
// consists of, from 0 to 1.
func (q *Query) Defines(n *Name, a *store.Attrs) float64 {
	if fit := n.DefinedBy(a); !q.uses || fit >= ownDefinition {
		return fit
	}
	return 0
}

// DefinedBy returns how well a passage defines the name, from 0 (not at all) to
// 1: what was named before it is what the definition belongs to, or the folder or
// the file that it stands in.
func (n *Name) DefinedBy(a *store.Attrs) float64 {
	if !definitionKinds[a.Kind] {
		return 0
	}
	best := 0.0
	for symbol := range strings.SplitSeq(a.Symbol, "\n") {
		if len(symbol) >= len(n.last) && strings.EqualFold(symbol[len(symbol)-len(n.last):], n.last) {
			best = max(best, n.definedAs(symbol, a))
		}
	}
	return best
}

func (n *Name) definedAs(symbol string, a *store.Attrs) float64 {
	parts := partsOf(symbol)
	if len(parts) == 0 || !strings.EqualFold(parts[len(parts)-1], n.last) {
		return 0
	}
	fit := 1.0
	if parts[len(parts)-1] != n.last {
		fit = otherCase
	}
	owners, owns := n.owners, parts[:len(parts)-1]
	for len(owns) > 0 && len(owners) > 0 && strings.EqualFold(owns[len(owns)-1], owners[len(owners)-1]) {
		if owns[len(owns)-1] != owners[len(owners)-1] {
			fit *= otherCase
		}
		owns, owners = owns[:len(owns)-1], owners[:len(owners)-1]
	}
	if len(owns) > 0 && len(owners) == len(n.owners) {
		fit *= ofOther
	}
	if len(owners) == 0 {
		return fit
	}
	if len(parts) == 1 && listed(a.Symbol, owners[len(owners)-1]) {
		fit *= byBeside
		owners = owners[:len(owners)-1]
	}
	at := document.Path(a.Path.Raw())
	dirs := at.Dirs()
	for i := len(owners) - 1; i >= 0; i-- {
		fit *= n.placedIn(owners[i], dirs, at.Stem())
	}
	return fit
}

// placedIn returns how well a place is what an owner names, 0 where it is not.
func (n *Name) placedIn(owner string, dirs []string, stem string) float64 {
	for i := range dirs[max(0, len(dirs)-3):] {
		if dir := dirs[len(dirs)-1-i]; strings.EqualFold(dir, owner) {
			if i == 0 {
				return 1
			}
			return byOuterDir
		}
	}
	if strings.EqualFold(stem, owner) {
		return byStem
	}
	if len(stem) > len(owner) && strings.EqualFold(stem[len(stem)-len(owner):], owner) && stem[len(stem)-len(owner)-1] == '-' {
		return byStemEnd
	}
	return 0
}

// listed reports whether a name is one of symbols, one a line.
func listed(symbols, name string) bool {
	for symbol := range strings.SplitSeq(symbols, "\n") {
		if symbol == name {
			return true
		}
	}
	return false
}

// lift puts a passage that is asked for exactly above those that are not, whatever
// else is known of it and of its file.
func (q *Query) lift(c *candidate.Candidate, w *Weights) {
	if c.Verbatim.Rank > 0 {
		c.Signals[candidate.Verbatim] = w.Verbatim * c.Verbatim.Score
	}
	fit := 0.0
	for i := range q.names {
		fit = max(fit, q.Defines(&q.names[i], &c.Attrs))
	}
	c.Signals[candidate.Named] = w.Named * fit
	if c.Placed.Rank > 0 {
		c.Signals[candidate.Place] = w.Place * c.Placed.Score
	}
	c.Final += Exact(c)
}

// Exact is how much of a candidate's score stands for being what was asked for
// exactly.
func Exact(c *candidate.Candidate) float64 {
	return c.Signals[candidate.Verbatim] + c.Signals[candidate.Named] + c.Signals[candidate.Place]
}

// ExactFirst compares two candidates for an order that keeps what was asked for
// exactly before all else, whatever a model thinks of it.
func ExactFirst(a, b *candidate.Candidate) int { return cmp.Compare(Exact(b), Exact(a)) }
