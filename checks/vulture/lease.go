package vulture

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// leaf is a text that an answer gave, as its lease holds it.
type leaf struct {
	at         spot
	version    document.Version // in which it stood there
	start, end int              // lines
	text       string           // empty: not known, since something was left out in its middle
	column     int              // bytes of the first line before it
	// variants are how many texts of these lines the lease may hold that differ in
	// their last line break alone; 0 is one.
	variants int
}

// lease is what a reader holds. Its id is the reader's; the rest is the judge's, who
// comes to the answers of one reader in their order.
type lease struct {
	id     string
	leaves []leaf
	lost   bool // nobody knows what it holds: an answer did not come
}

// leaseFull is how many passages are held before a reader opens another lease: far
// fewer than a lease holds, so that none leaves it unnoticed.
const leaseFull = 400

// leaseID is what a request says of the answer's lease.
func (a *answer) leaseID() string {
	switch {
	case a.lease == nil:
		return ""
	case a.lease.id == "":
		return contract.LeaseNew
	}
	return a.lease.id
}

// key is by which a change names a passage.
type key struct {
	at         spot
	start, end int
}

func keyOf(c *contract.LeaseChange) key {
	return key{spot{c.Source, c.Path}, c.StartLine, c.EndLine}
}

func (l *leaf) key() key { return key{l.at, l.start, l.end} }

// leaseJudge is the judge of what is said of leases: news are counted and violations added
// where the judge of answers has its own.
type leaseJudge struct{ *judge }

// leased holds what an answer says of a lease against what was written: every passage
// whose text does not stand any more has to be told, once, and no other.
func (j leaseJudge) leased(a answer) {
	l := a.lease
	if a.err != nil || a.news == nil {
		l.lost = true
		if a.err == nil {
			j.add(a.violation(Failure, a.at, "news of the lease", "none"))
		}
		return
	}
	if l.lost {
		return
	}
	if a.news.Token.Seq < a.floor {
		j.add(a.violation(Backwards, a.at, fmt.Sprintf("news of the lease up to %d at least, which was acknowledged before", a.floor), a.news.Token.String()))
	}
	told := map[key][]contract.LeaseChange{}
	for i := range a.news.Changes {
		c := &a.news.Changes[i]
		if j.ours(c.Source, c.Path) {
			told[keyOf(c)] = append(told[keyOf(c)], *c)
			j.count(func(r *Report) { r.Told[c.What]++ })
		}
	}
	unchecked := a.news.Unchecked
	var still []leaf
	for _, group := range grouped(l.leaves) {
		k := group[0].key()
		left, rest := j.held(a, group, told[k], &unchecked)
		still = append(still, left...)
		for i := range rest {
			j.add(a.violation(FalseAlarm, k.at, fmt.Sprintf("nothing of lines %d to %d, which stand as they were given, or were told before", k.start, k.end), describeChange(&rest[i])))
		}
		delete(told, k)
	}
	for k, all := range told {
		j.add(a.violation(FalseAlarm, k.at, fmt.Sprintf("nothing of lines %d to %d, which the lease does not hold", k.start, k.end), describeChange(&all[0])))
	}
	if a.news.Unchecked > 0 {
		j.count(func(r *Report) { r.LeaseUnchecked += a.news.Unchecked })
	}
	if a.kept {
		return
	}
	l.leaves = still
	for _, g := range a.given() {
		if g.start > 0 && j.ours(g.at.source, g.at.path) {
			j.count(func(r *Report) { r.Leased++ })
			l.add(j.rooted(a, g))
		}
	}
}

// grouped are leaves by what a change names them by, in their order.
func grouped(leaves []leaf) (out [][]leaf) {
	index := map[key]int{}
	for _, l := range leaves {
		i, ok := index[l.key()]
		if !ok {
			i = len(out)
			index[l.key()] = i
			out = append(out, nil)
		}
		out[i] = append(out[i], l)
	}
	return out
}

// held judges the passages of the same lines. It returns those that the lease holds
// afterwards, and what was told of none of them.
func (j leaseJudge) held(a answer, group []leaf, told []contract.LeaseChange, unchecked *int) (still []leaf, rest []contract.LeaseChange) {
	contents, absent := j.world.possible(group[0].at, a.news.Token.Seq, until, a.arrived)
	// Where one change could be of two, it is of what cannot stand any more, and last of
	// what is not known: that may be one of the others, shown in part.
	certain := func(l *leaf) bool {
		return l.text != "" && !slices.ContainsFunc(contents, func(c []byte) bool { return l.stands(c, l.start) })
	}
	rank := func(l *leaf) int {
		switch {
		case certain(l):
			return 0
		case l.text != "":
			return 1
		}
		return 2
	}
	slices.SortStableFunc(group, func(a, b leaf) int { return rank(&a) - rank(&b) })
	rest = told
	// The same lines with and without their last break are one here, of which a change
	// may be told once more than of another.
	extra := map[contract.LeaseChange]int{}
	for _, l := range group {
		is := slices.IndexFunc(rest, func(c contract.LeaseChange) bool { return j.became(&l, &c, contents, absent) })
		if is < 0 {
			if certain(&l) {
				if *unchecked > 0 {
					*unchecked--
				} else {
					j.add(a.violation(Untold, l.at, fmt.Sprintf("lines %d to %d told, which stand so in none of %d contents that were possible since version %d", l.start, l.end, len(contents), l.version), j.newsOf(a, &l)))
					continue // once
				}
			}
			still = append(still, l)
			continue
		}
		c := rest[is]
		rest = slices.Delete(slices.Clone(rest), is, is+1)
		extra[c] += max(l.variants-1, 0)
		if c.What == contract.LeaseMoved {
			l.start, l.end, l.version = c.NowStart, c.NowEnd, c.Version
			still = append(still, l)
		}
	}
	rest = slices.DeleteFunc(slices.Clone(rest), func(c contract.LeaseChange) bool {
		extra[c]--
		return extra[c] >= 0
	})
	return still, rest
}

// became reports whether a passage can have become what is told of it: in the very
// version that is named, where that is known, else in one of those that were possible.
func (j leaseJudge) became(l *leaf, c *contract.LeaseChange, contents [][]byte, absent bool) bool {
	if c.What == contract.LeaseGone {
		return absent
	}
	if l.text == "" {
		return true
	}
	if v, content, known := j.world.at(l.at, uint64(c.Version)); known && v.seq == uint64(c.Version) {
		if v.op != contract.OpPut {
			return false
		}
		contents = [][]byte{content}
		j.count(func(r *Report) { r.ToldExact++ })
	}
	return slices.ContainsFunc(contents, func(content []byte) bool {
		if l.stands(content, l.start) {
			return false
		}
		if c.What == contract.LeaseMoved {
			return c.NowEnd-c.NowStart == l.end-l.start && l.stands(content, c.NowStart)
		}
		for line := range linesOf(content) {
			if l.stands(content, line+1) {
				return false
			}
		}
		return true
	})
}

// stands reports whether a text stands at a line of a content.
func (l *leaf) stands(content []byte, line int) bool {
	from, ok := lineStart(content, line)
	from += l.column
	return ok && from <= len(content) && bytes.HasPrefix(content[from:], []byte(l.text))
}

// rooted finds where in its first line a text stands. One that stands in no content
// that is known of its version is not judged: the answer that gave it is.
func (j leaseJudge) rooted(a answer, g leaf) leaf {
	contents, _ := j.world.possible(g.at, uint64(g.version), uint64(g.version), a.arrived)
	if v, content, known := j.world.at(g.at, uint64(g.version)); known && v.seq == uint64(g.version) {
		contents = [][]byte{content}
	}
	for _, content := range contents {
		from, ok := lineStart(content, g.start)
		if !ok {
			continue
		}
		line, _, _ := bytes.Cut(content[from:], []byte("\n"))
		for g.column = 0; g.column <= len(line); g.column++ {
			if g.stands(content, g.start) {
				return g
			}
		}
	}
	g.text = ""
	return g
}

// add puts a text into the lease, once.
func (l *lease) add(g leaf) {
	for i := range l.leaves {
		o := &l.leaves[i]
		if o.key() == g.key() && o.column == g.column && strings.TrimSuffix(o.text, "\n") == strings.TrimSuffix(g.text, "\n") {
			if o.text != g.text || o.variants != g.variants {
				o.variants = 2
			}
			o.version = max(o.version, g.version)
			return
		}
	}
	l.leaves = append(l.leaves, g)
}

// given are the texts that an answer puts into its lease.
func (a answer) given() (out []leaf) {
	switch {
	case a.door != nil:
		return a.door.given(a)
	case a.lines != nil:
		for _, f := range a.lines.reply.Files {
			for _, line := range f.Lines {
				if line.Text != "" {
					out = append(out, leaf{at: spot{f.Source, f.Path}, version: f.Version, start: line.Line, end: line.Line, text: line.Text})
				}
			}
		}
		return out
	}
	for _, h := range a.reply.Hits {
		out = append(out, leaf{at: spot{h.Source, h.Path}, version: h.Version, start: h.StartLine, end: h.EndLine, text: h.Text})
	}
	return out
}

// newsOf says what an answer tells of a passage's document.
func (j leaseJudge) newsOf(a answer, l *leaf) string {
	out := fmt.Sprintf("lease %s up to %s with %d changes, %d unchecked", a.news.Lease, a.news.Token, len(a.news.Changes), a.news.Unchecked)
	for i := range a.news.Changes {
		if c := &a.news.Changes[i]; c.Path == l.at.path && c.Source == l.at.source {
			out += "; " + describeChange(c)
		}
	}
	v, _, _ := j.world.at(l.at, a.news.Token.Seq)
	return out + fmt.Sprintf("; the log holds version %d (%s); the text was %.80q", v.seq, v.op, l.text)
}

func describeChange(c *contract.LeaseChange) string {
	return fmt.Sprintf("%s:%d-%d %s in version %d, now %d-%d", c.Path, c.StartLine, c.EndLine, c.What, c.Version, c.NowStart, c.NowEnd)
}
