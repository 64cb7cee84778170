package resolve

import "bytes"

// locate finds text in content byte for byte: the occurrence that is nearest
// to where it was. ok is false where it is not there, or text is empty.
func locate(content, text []byte, was int) (start int, ok bool) {
	if len(text) == 0 {
		return 0, false
	}
	was = max(0, min(was, len(content)))
	after := -1
	if i := bytes.Index(content[was:], text); i >= 0 {
		after = was + i
	}
	// An occurrence that begins before was ends at most len(text)-1 behind it.
	before := bytes.LastIndex(content[:min(len(content), was+len(text)-1)], text)
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
