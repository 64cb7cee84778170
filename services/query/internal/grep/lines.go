package grep

import (
	"bytes"
	"context"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
)

const (
	// maxRanges is how many matches of one line are listed.
	maxRanges = contract.GrepRanges
	// lookUp is after how many lines it is asked whether the time is up.
	lookUp = 4096
)

// found is what a document has.
type found struct {
	count int // matching lines
	lines []contract.GrepLine
	bytes int // of the text of lines
}

// look is one document being read. Every line ends with a line feed, before which
// a carriage return is no part of it, or with the text.
type look struct {
	*job
	text []byte
	list bool // lines are wanted, and not only counted

	literal finder
	out     found
	counted int // a line's first byte, up to which the breaks were counted
	line    int // number of that line, from 1
	told    int // behind the last line that is listed
	after   int // lines of context that are still wanted there
}

// search looks for the pattern in a text. ok is false where ctx ended before.
func (j *job) search(ctx context.Context, text []byte, list bool) (out found, ok bool) {
	l := look{job: j, text: text, list: list && j.show == contract.GrepLines, line: 1, literal: finder{literals: j.pattern.literals}}
	for at, n := 0, 1; ; n++ {
		start, end, ok := l.next(at)
		if !ok {
			break
		}
		if n%lookUp == 0 && ctx.Err() != nil {
			return found{}, false
		}
		at = end
		if !j.pattern.matches(content(text[start:end])) {
			continue
		}
		l.out.count++
		l.take(start, end)
		if j.show == contract.GrepFiles || l.out.count == j.maxCount {
			break
		}
	}
	l.rest(len(text))
	return l.out, true
}

// next returns the next line at or behind a place that may match, with its break.
func (l *look) next(at int) (start, end int, ok bool) {
	if at >= len(l.text) {
		return 0, 0, false
	}
	start = at
	if len(l.pattern.literals) > 0 && !l.pattern.invert {
		i := l.literal.from(l.text, at)
		if i < 0 {
			return 0, 0, false
		}
		start = at + 1 + bytes.LastIndexByte(l.text[at:i], '\n')
	}
	return start, l.end(start), true
}

// end is behind the line that begins at start, with its break.
func (l *look) end(start int) int {
	if i := bytes.IndexByte(l.text[start:], '\n'); i >= 0 {
		return start + i + 1
	}
	return len(l.text)
}

// content is a line without its break.
func content(line []byte) []byte {
	if n := len(line); n > 0 && line[n-1] == '\n' {
		return bytes.TrimSuffix(line[:n-1], []byte{'\r'})
	}
	return line
}

// take lists a matching line with the context before it, unless enough is listed.
func (l *look) take(start, end int) {
	l.rest(start)
	if !l.list || l.out.count > l.limit || l.out.bytes > l.room {
		l.list = false
		return
	}
	before := start
	for range l.before {
		if before <= l.told {
			break
		}
		before = 1 + bytes.LastIndexByte(l.text[:before-1], '\n')
	}
	for before < start {
		to := l.end(before)
		l.add(before, to, true)
		before = to
	}
	l.add(start, end, false)
	l.after = l.job.after
}

// rest lists the context that is still wanted, before a place.
func (l *look) rest(before int) {
	for l.after > 0 && l.told < before {
		l.add(l.told, l.end(l.told), true)
		l.after--
	}
	l.after = 0
}

// add lists a line; text is shared with nobody.
func (l *look) add(start, end int, context bool) {
	l.line += bytes.Count(l.text[l.counted:start], []byte{'\n'})
	l.counted, l.told = start, end
	line := content(l.text[start:end])
	n := contract.GrepLine{Line: l.line, Offset: int64(start), Context: context}
	var ranges []contract.GrepRange
	if !context {
		ranges = l.pattern.ranges(line, maxRanges)
	}
	from, to := l.window(line, ranges)
	n.From, n.Left = from, len(line)-to
	for _, r := range ranges {
		if r.Start < to {
			n.Matches = append(n.Matches, contract.GrepRange{Start: r.Start - from, End: min(r.End, to) - from})
		}
	}
	if shown := line[from:to]; utf8.Valid(shown) {
		n.Text = string(shown)
	} else {
		n.Bytes = bytes.Clone(shown)
	}
	l.out.lines = append(l.out.lines, n)
	l.out.bytes += to - from
}

// window returns the part of a line that is shown: its beginning, or what its first
// match stands in.
func (l *look) window(line []byte, ranges []contract.GrepRange) (from, to int) {
	if len(line) <= l.lineBytes {
		return 0, len(line)
	}
	if len(ranges) > 0 && ranges[0].End > l.lineBytes {
		from = character(line, min(max(0, ranges[0].Start-l.lineBytes/4), len(line)-l.lineBytes))
	}
	to = from + l.lineBytes
	if to < len(line) {
		to = max(character(line, to), from+1)
	}
	return from, to
}

// character moves a place to the beginning of the character that it stands in.
func character(line []byte, at int) int {
	for i := at; i > max(0, at-utf8.UTFMax); i-- {
		if utf8.RuneStart(line[i]) {
			return i
		}
	}
	return at
}
