// Package excerpt chooses what of a passage an answer shows, and finds in it what
// was looked for.
package excerpt

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Elision is the line that stands for those that are left out.
const Elision = "…"

// lineBytes is how many bytes of its limit an excerpt has for each of its lines.
const lineBytes = 80

// Lines are the lines of a passage, without what ends them.
func Lines(text []byte) [][]byte {
	lines := bytes.Split(text, []byte("\n"))
	for i := range lines {
		lines[i] = bytes.TrimSuffix(lines[i], []byte("\r"))
	}
	return lines
}

// Excerpt is what is shown of a passage, with what matches in it.
type Excerpt struct {
	Text    string           // valid UTF-8
	Lines   []int            // of each line of Text, its place in the passage from 0; -1 for an Elision
	Matches []contract.Match // in Text
}

// Cut returns lines of a passage that hold something, at most limit bytes of them
// or a part of one: the first line, which says what the passage is, the best one,
// lines that hold more of the question, and what stands around the best one: a
// line for each lineBytes, beside those that an elision would stand for alone.
// first and best are places among the lines, whose ratings are those of Rate.
func (m *Marks) Cut(lines [][]byte, ratings []Rating, first, best, limit int) Excerpt {
	if len(lines) == 0 {
		return Excerpt{}
	}
	if len(lines[best]) > limit {
		line := m.around(Valid(lines[best]), limit)
		return Excerpt{Text: line, Lines: []int{best}, Matches: m.Find(line)}
	}
	c := choice{lines: lines, limit: limit, most: max(limit/lineBytes, 1), chosen: []int{best}}
	if c.all() {
		return m.join(lines, c.chosen)
	}
	c.add(first)
	m.addWhatIsMissing(&c, ratings)
	c.addAround(best)
	c.fill()
	return m.join(lines, c.chosen)
}

// Around returns the best line with n lines above and below it, blank ones among them,
// and the first one, which says what the passage is. Of a line of more than limit bytes
// it has the part that matches.
func (m *Marks) Around(lines [][]byte, first, best, n, limit int) Excerpt {
	var chosen []int
	for i := range lines {
		if i == first || i >= best-n && i <= best+n {
			chosen = append(chosen, i)
		}
	}
	cut := make([][]byte, len(lines))
	for i, line := range lines {
		if cut[i] = line; len(line) > limit && slices.Contains(chosen, i) {
			cut[i] = []byte(m.around(Valid(line), limit))
		}
	}
	return m.join(cut, chosen)
}

// choice are the lines of an excerpt, in their order.
type choice struct {
	lines  [][]byte
	limit  int // in bytes
	most   int // lines
	chosen []int
}

// all chooses every line that holds something, where they fit.
func (c *choice) all() bool {
	var every []int
	for i := range c.lines {
		if !c.blank(i) {
			every = append(every, i)
		}
	}
	if len(every) > c.most || c.size(every) > c.limit || !slices.Contains(every, c.chosen[0]) {
		return false
	}
	c.chosen = every
	return true
}

// add chooses one more line, where it holds something and fits.
func (c *choice) add(i int) {
	if len(c.chosen) >= c.most || c.blank(i) || slices.Contains(c.chosen, i) {
		return
	}
	more := append(slices.Clone(c.chosen), i)
	slices.Sort(more)
	if c.size(more) <= c.limit {
		c.chosen = more
	}
}

// addWhatIsMissing chooses the lines that hold most of what the chosen ones have
// nothing of, and leaves room for what stands around the best.
func (m *Marks) addWhatIsMissing(c *choice, ratings []Rating) {
	for len(c.chosen) < c.most-1 {
		var seen Rating
		for _, i := range c.chosen {
			seen.held |= ratings[i].held
			seen.named = seen.named || ratings[i].named
		}
		whole, next, gain := m.Weight(seen), -1, 0.0
		for i := range ratings {
			with := Rating{held: seen.held | ratings[i].held, named: seen.named || ratings[i].named}
			if g := m.Weight(with) - whole; g > gain {
				next, gain = i, g
			}
		}
		before := len(c.chosen)
		if next >= 0 {
			c.add(next)
		}
		if len(c.chosen) == before {
			return
		}
	}
}

// addAround chooses lines below and above one in turn, without a gap but for blank
// lines, while there is room.
func (c *choice) addAround(line int) {
	below, above := line+1, line-1
	for len(c.chosen) < c.most && (below < len(c.lines) || above >= 0) {
		for below < len(c.lines) && c.blank(below) {
			below++
		}
		if below < len(c.lines) {
			c.add(below)
			below++
		}
		for above >= 0 && c.blank(above) {
			above--
		}
		if above >= 0 {
			c.add(above)
			above--
		}
	}
}

// fill chooses the lines that are left out alone: an elision in their place would
// save nothing.
func (c *choice) fill() {
	for k := len(c.chosen) - 1; k > 0; k-- {
		alone, count := 0, 0
		for i := c.chosen[k-1] + 1; i < c.chosen[k]; i++ {
			if !c.blank(i) {
				alone = i
				count++
			}
		}
		if count != 1 {
			continue
		}
		if more := slices.Insert(slices.Clone(c.chosen), k, alone); c.size(more) <= c.limit {
			c.chosen = more
		}
	}
}

func (c *choice) blank(i int) bool { return len(bytes.TrimSpace(c.lines[i])) == 0 }

// size is how long a text these lines make.
func (c *choice) size(chosen []int) int {
	n := 0
	for k, i := range chosen {
		n += len(c.lines[i]) + len("\n")
		if k > 0 && gap(c.lines, chosen[k-1], i) {
			n += len(Elision) + len("\n")
		}
	}
	return n - len("\n")
}

// gap reports whether something stands between two lines.
func gap(lines [][]byte, from, to int) bool {
	return slices.ContainsFunc(lines[from+1:to], func(line []byte) bool { return len(bytes.TrimSpace(line)) > 0 })
}

// join makes a text of lines, with an elision in each gap.
func (m *Marks) join(lines [][]byte, chosen []int) (out Excerpt) {
	var shown []string
	at := 0
	add := func(text string, line int, matches []contract.Match) {
		for _, match := range matches {
			out.Matches = append(out.Matches, contract.Match{Start: at + match.Start, End: at + match.End})
		}
		shown, out.Lines = append(shown, text), append(out.Lines, line)
		at += len(text) + len("\n")
	}
	for k, i := range chosen {
		if k > 0 && gap(lines, chosen[k-1], i) {
			add(Elision, -1, nil)
		}
		text := Valid(lines[i])
		add(text, i, m.Find(text))
	}
	out.Text = strings.Join(shown, "\n")
	return out
}

// around returns the part of a long line around its first match, a whole name
// before others, of at most limit bytes.
func (m *Marks) around(line string, limit int) string {
	at := 0
	matches := m.Find(line)
	for i, match := range matches {
		named := m.Names(line[match.Start:match.End])
		if i == 0 || named {
			at = match.Start
		}
		if named {
			break
		}
	}
	room := limit - 2*len(Elision)
	from := max(min(at-room/3, len(line)-room), 0)
	to := min(from+room, len(line))
	for from > 0 && !utf8.RuneStart(line[from]) {
		from++
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to--
	}
	part := line[from:max(from, to)]
	if from > 0 {
		part = Elision + part
	}
	if to < len(line) {
		part += Elision
	}
	return part
}

// Valid returns text with invalid UTF-8 replaced by U+FFFD.
func Valid(text []byte) string { return strings.ToValidUTF8(string(text), "\uFFFD") }
