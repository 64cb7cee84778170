package query

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/member"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// namedPool is how many passages are shown to the stage that looks for the place of
// a definition: a long function has as many parts.
const namedPool = 40

// showsNamed reports whether the question is a name that some passage defines.
func showsNamed(q *search) bool { return len(q.exactly.names) > 0 && len(q.found.named) > 0 }

// putDefinitionsFirst is the stage that orders passages that define the name which
// the question is, and which nothing known without their text tells apart: that
// with the definition itself comes before a declaration of it, and both before the
// later parts of what is too long for one passage. The scores stay in their places.
func putDefinitionsFirst(_ context.Context, q *search) (report, error) {
	shown := len(q.resolved.Shown)
	all := slices.Concat(q.resolved.Shown, q.resolved.Held)
	type one struct {
		s  resolve.Shown
		is extent
	}
	var places []int
	var named []one
	for i := range all {
		if c := &all[i].Candidate; c.Named.Rank > 0 {
			places, named = append(places, i), append(named, one{all[i], extentOf(q.exactly.names, &all[i])})
		}
	}
	scores := make([]float64, len(named))
	for i := range named {
		scores[i] = named[i].s.Candidate.Final
	}
	slices.SortStableFunc(named, func(a, b one) int {
		return cmp.Or(rank.ExactFirst(&a.s.Candidate, &b.s.Candidate), cmp.Compare(b.is, a.is))
	})
	for i, place := range places {
		all[place] = named[i].s
		all[place].Candidate.Final = scores[i]
	}
	q.resolved.Shown, q.resolved.Held = all[:shown:shown], all[shown:]
	return report{in: len(all), out: len(all), note: note(len(named) > 0, "%d define it", len(named))}, nil
}

// extent is how much of a definition stands in a passage.
type extent int

const (
	laterPart extent = iota
	declared         // or its place is not found
	defined
)

// extentOf returns it for those of the names that a passage defines, of which the
// best counts.
func extentOf(names []rank.Name, s *resolve.Shown) extent {
	best := laterPart
	for i := range names {
		last := names[i].Last()
		ends := func(symbol string) bool { return strings.EqualFold(rank.LastPart(symbol), last) }
		own := slices.DeleteFunc(slices.Clone(definedBy(s)), func(symbol string) bool { return !ends(symbol) })
		if len(own) == 0 {
			if ends(s.Span.Symbol) && holdsSignature(s) {
				best = defined // below a comment that is a passage of its own
			}
			continue
		}
		best = max(best, declared)
		lines := excerpt.Lines(s.Text)
		for _, p := range member.Places(lines, own, s.Language) {
			if !declares(lines, p.Line, last, s.Language) {
				best = defined
			}
		}
	}
	return best
}

// holdsSignature reports whether a part of a definition has its beginning, too.
func holdsSignature(s *resolve.Shown) bool {
	signature := bytes.Join(bytes.Fields([]byte(s.Span.Context)), nil)
	return len(signature) > 0 && bytes.Contains(bytes.Join(bytes.Fields(s.Text), nil), signature)
}

// declares reports whether what is named in a line of C is only declared there: it
// ends before any body, or it says that it is defined elsewhere.
func declares(lines [][]byte, line int, name, language string) bool {
	if language != "c" && language != "cpp" {
		return false
	}
	head := bytes.TrimSpace(lines[line])
	if bytes.HasPrefix(head, []byte("#")) {
		return false
	}
	if bytes.HasPrefix(head, []byte("extern ")) && !bytes.Contains(head, []byte("{")) {
		return true
	}
	rest := bytes.Join(lines[line:], []byte("\n"))
	if at := bytes.Index(rest, []byte(name)); at >= 0 {
		rest = rest[at+len(name):]
	}
	called := false
	for _, c := range rest {
		switch c {
		case '(':
			called = true
		case '{', '=':
			return false
		case ';':
			return called
		}
	}
	return false
}
