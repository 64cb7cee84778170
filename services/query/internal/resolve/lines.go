package resolve

import "bytes"

// edges says which ends of a passage are those of lines, but for space. One that its
// chunker cut within a long line has others.
type edges struct{ begins, ends bool }

func edgesOf(content []byte, start, end int) edges {
	before, behind := content[bytes.LastIndexByte(content[:start], '\n')+1:start], content[end:]
	if i := bytes.IndexByte(behind, '\n'); i >= 0 {
		behind = behind[:i]
	}
	return edges{
		begins: len(bytes.TrimSpace(before)) == 0,
		ends:   end > start && content[end-1] == '\n' || len(bytes.TrimSpace(behind)) == 0,
	}
}

// locate finds text in content byte for byte: the occurrence that is nearest
// to where it was, of two as near the later one, and that begins and ends a line where the
// text has. ok is false where it is not there, or text is empty. A line that has grown has
// the text of the one that it was, and is another line.
func locate(content, text []byte, was int, of edges) (start int, ok bool) {
	if len(text) == 0 {
		return 0, false
	}
	was = max(0, min(was, len(content)))
	fits := func(i int) bool {
		at := edgesOf(content, i, i+len(text))
		return (at.begins || !of.begins) && (at.ends || !of.ends)
	}
	after := -1
	for from := was; from <= len(content); {
		i := bytes.Index(content[from:], text)
		if i < 0 {
			break
		}
		if fits(from + i) {
			after = from + i
			break
		}
		from += i + 1
	}
	// An occurrence that begins before was ends at most len(text)-1 behind it.
	before := bytes.LastIndex(content[:min(len(content), was+len(text)-1)], text)
	for before >= 0 && !fits(before) && (after < 0 || was-before < after-was) {
		before = bytes.LastIndex(content[:before+len(text)-1], text)
	}
	if before >= 0 && !fits(before) {
		before = -1
	}
	switch {
	case after < 0 && before < 0:
		return 0, false
	case after < 0:
		return before, true
	case before < 0 || after-was <= was-before:
		return after, true
	}
	return before, true
}

// lineAt returns the line of a byte offset, from 1.
func lineAt(content []byte, offset int) int {
	return 1 + bytes.Count(content[:offset], []byte{'\n'})
}
