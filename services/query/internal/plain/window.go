// Package plain searches documents that the sinks do not show yet: their
// chunks where they are cut already, else plain lines, with the scores that
// the lexical store would give.
package plain

import (
	"bytes"
	"unicode/utf8"
)

const (
	// windowBytes is the size at which a window of lines is closed; it is the
	// target of a chunk of code, so that lengths compare.
	windowBytes = 1500
	// lineBytes is the most that one line gives to a window. Longer lines are
	// data, and are cut between words.
	lineBytes = 2 * windowBytes
)

// window is a run of lines of a content.
type window struct {
	start, end         int // bytes
	startLine, endLine int // from 1
}

// windows cuts a content into runs of whole lines. Together they hold every
// line that is not blank; none is blank. A line above lineBytes is cut, between
// two words where it has such.
func windows(content []byte) []window {
	var out []window
	w := window{startLine: 1}
	emit := func(end, endLine int) {
		if len(bytes.TrimSpace(content[w.start:end])) > 0 {
			w.end, w.endLine = end, endLine
			out = append(out, w)
		}
	}
	line := 1
	for at := 0; at < len(content); {
		end := len(content)
		whole := true
		if i := bytes.IndexByte(content[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if end-at > lineBytes {
			end = cut(content, at, at+lineBytes)
			whole = end == len(content) || content[end-1] == '\n'
		}
		if w.start < at && end-w.start > windowBytes {
			last := line
			if content[at-1] == '\n' {
				last--
			}
			emit(at, last)
			w = window{start: at, startLine: line}
		}
		at = end
		if whole && content[at-1] == '\n' {
			line++
		}
	}
	if w.start < len(content) {
		last := line
		if content[len(content)-1] == '\n' {
			last--
		}
		emit(len(content), last)
	}
	return out
}

// wordBytes is how far back a cut may go for the end of a word.
const wordBytes = 256

// cut returns the last place in (from, to] that is behind a blank, else behind
// something that is in no word, else a character boundary, or to where the bytes
// are no UTF-8.
func cut(content []byte, from, to int) int {
	for _, between := range []func(byte) bool{
		func(c byte) bool { return c <= ' ' },
		func(c byte) bool {
			return c < utf8.RuneSelf && c != '_' && !(c >= '0' && c <= '9') && !(c|0x20 >= 'a' && c|0x20 <= 'z')
		},
	} {
		for i := to; i > max(from, to-wordBytes); i-- {
			if between(content[i-1]) {
				return i
			}
		}
	}
	for i := to; i > max(from, to-utf8.UTFMax); i-- {
		if utf8.RuneStart(content[i]) {
			return i
		}
	}
	return to
}
