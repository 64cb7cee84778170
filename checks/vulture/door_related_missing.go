package vulture

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// mostDefined is of how many names that a passage defines the uses are looked for.
const mostDefined = 8

// missing checks that an answer shows what certainly relates: calls of what the passage
// defines, and definitions of what it calls, by functions of the same folder. Where as
// many are shown as were asked for, others may have had no room. What was written since
// the question counts against no answer.
func (d *relating) missing(j *judge, a answer) {
	of, seq := &d.reply.Of, a.reply.Token.Seq
	if len(a.reply.Degraded) > 0 || len(d.reply.Related) >= d.request.Limit {
		return
	}
	from := a.covers()
	v, content, known := j.world.at(d.spot(), seq)
	lines := linesOf(content)
	if !known || v.seq != uint64(of.Version) || v.seq > from || of.EndLine > len(lines) {
		return
	}
	text, rest := bytes.Join(lines[of.StartLine-1:of.EndLine], nil), slices.Concat(slices.Concat(lines[:of.StartLine-1]...), slices.Concat(lines[of.EndLine:]...))
	names := named(defined, text)
	world := j.world.contents(from, seq, a)
	world[d.spot()] = [][]byte{rest}
	for at, contents := range world {
		if !beside(at, d.spot()) || a.waits(at) {
			continue // of what is not cut nobody knows what it defines
		}
		for _, name := range of.Names[:min(len(of.Names), mostDefined)] {
			if slices.Contains(names, name) && allHave(contents, called, name) && !anyHas(contents, defined, name) {
				j.count(func(r *Report) { r.CertainRelatives++ })
				d.shows(j, a, at, name, contract.RelatedCalledBy, contract.RelatedTests)
			}
		}
		if len(names) != 1 || !slices.Equal(of.Names, names) {
			continue // which of the names is meant, and what is of it, is not known here
		}
		for _, name := range named(called, text) {
			if allHave(contents, defined, name) && !elsewhere(world, at, name) {
				j.count(func(r *Report) { r.CertainRelatives++ })
				d.shows(j, a, at, name, contract.RelatedCalls)
			}
		}
	}
}

// shows checks that an answer shows a passage of a document that is related by a name.
func (d *relating) shows(j *judge, a answer, at spot, name string, relations ...string) {
	for i := range d.reply.Related {
		one := &d.reply.Related[i]
		if (spot{one.Passage.Source, one.Passage.Path}) == at && slices.ContainsFunc(one.Why, func(w contract.Relation) bool { return w.Name == name && slices.Contains(relations, w.Relation) }) {
			return
		}
	}
	of := &d.reply.Of
	seen := fmt.Sprintf("%d others of lines %d to %d, which define %v", len(d.reply.Related), of.StartLine, of.EndLine, of.Names)
	for i := range d.reply.Related {
		one := &d.reply.Related[i]
		seen += fmt.Sprintf("; %s:%d-%d %v", one.Passage.Path, one.Passage.StartLine, one.Passage.EndLine, one.Why)
	}
	for _, p := range a.reply.Pending {
		seen += fmt.Sprintf("; pending %s at %d in %v, searched %t", p.Path, p.Version, p.Sinks, p.Searched)
	}
	j.add(a.violation(Missing, at, fmt.Sprintf("a passage that is related (%s) by %s", strings.Join(relations, ", "), name), seen))
}

// waits reports whether an answer lists a document as one that it does not show whole.
func (a answer) waits(at spot) bool {
	return slices.ContainsFunc(a.reply.Pending, func(p contract.PendingPath) bool { return p.Source == at.source && p.Path == at.path })
}

// contents is what every document can have held from one sequence to another; nil among
// it is that it was absent.
func (w *world) contents(from, to uint64, a answer) map[spot][][]byte {
	out := map[spot][][]byte{}
	for _, at := range w.spots() {
		contents, absent := w.possible(at, from, to, a.arrived)
		if absent {
			contents = append(contents, nil)
		}
		out[at] = contents
	}
	return out
}

// beside reports whether two documents are of one folder and language.
func beside(a, b spot) bool {
	x, y := string(a.path), string(b.path)
	return a.source == b.source && path.Dir(x) == path.Dir(y) && path.Ext(x) == path.Ext(y)
}

// named are the names that an expression finds in a text.
func named(is *regexp.Regexp, text []byte) (out []string) {
	for _, m := range is.FindAllSubmatch(text, -1) {
		out = append(out, string(m[1]))
	}
	return out
}

// anyHas reports whether an expression finds a name in one of some contents, allHave
// whether it does in each.
func anyHas(contents [][]byte, is *regexp.Regexp, name string) bool {
	return slices.ContainsFunc(contents, func(c []byte) bool { return slices.Contains(named(is, c), name) })
}

func allHave(contents [][]byte, is *regexp.Regexp, name string) bool {
	return !slices.ContainsFunc(contents, func(c []byte) bool { return !slices.Contains(named(is, c), name) })
}

// elsewhere reports whether another document can have defined a name: of two nobody
// knows which is meant.
func elsewhere(world map[spot][][]byte, but spot, name string) bool {
	for at, contents := range world {
		if at != but && anyHas(contents, defined, name) {
			return true
		}
	}
	return false
}
