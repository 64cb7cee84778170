package vulture

import (
	"fmt"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// hit checks that a passage was possible at the answer's token, by what was
// written and by what the log says.
func (j *judge) hit(a answer, h contract.Hit) {
	at, seq := spot{h.Source, h.Path}, a.reply.Token.Seq
	contents, absent := j.world.possible(at, seq, seq, a.arrived)
	if len(contents) == 0 {
		j.add(a.violation(Ghost, at, "no hit: the path did not exist", describe(h)))
		return
	}
	best := nowhere
	for _, c := range contents {
		best = max(best, place(c, h))
	}
	switch best {
	case nowhere:
		kind := Stale
		if absent && len(contents) == 1 && len(contents[0]) == 0 {
			kind = Ghost
		}
		j.add(a.violation(kind, at, fmt.Sprintf("a text of one of %d contents that were possible", len(contents)), describe(h)))
		return
	case otherLines:
		j.add(a.violation(WrongLines, at, "the lines in which the text stands", describe(h)))
		return
	}
	j.logged(a, h)
}

// copied checks what a hit says of a copy: one that is the same byte for byte is
// judged as a hit, of another one that there was such a document.
func (j *judge) copied(a answer, h contract.Hit, c contract.Copy) {
	if !j.ours(c.Source, c.Path) {
		return
	}
	of := h
	of.Source, of.View, of.Path, of.StartLine, of.EndLine, of.Version = c.Source, c.View, c.Path, c.StartLine, c.EndLine, c.Version
	if !c.Differs {
		j.hit(a, of)
		return
	}
	seq := a.reply.Token.Seq
	if contents, _ := j.world.possible(spot{c.Source, c.Path}, seq, seq, a.arrived); len(contents) == 0 {
		j.add(a.violation(Ghost, spot{c.Source, c.Path}, "no copy: the path did not exist", describe(of)))
	}
}

// logged checks a hit against the version that the log held at the answer's
// token. Versions that were replaced before they could be seen are not known.
func (j *judge) logged(a answer, h contract.Hit) {
	at := spot{h.Source, h.Path}
	if uint64(h.Version) > a.reply.Token.Seq {
		j.add(a.violation(WrongVersion, at, "a version that the answer's token covers", describe(h)))
		return
	}
	v, content, known := j.world.at(at, a.reply.Token.Seq)
	if !known || v.seq < uint64(h.Version) {
		return
	}
	j.count(func(r *Report) { r.Exact++ })
	expected := fmt.Sprintf("a text of version %d (%s), which the log held at the token", v.seq, v.op)
	switch {
	case v.op != contract.OpPut:
		j.add(a.violation(Ghost, at, expected, describe(h)))
	case place(content, h) != asNamed:
		j.add(a.violation(Stale, at, expected, describe(h)))
	case v.seq > uint64(h.Version):
		j.add(a.violation(WrongVersion, at, expected, describe(h)))
	}
}
