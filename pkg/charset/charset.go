// Package charset makes UTF-8 of texts that are in other encodings.
package charset

import (
	"bytes"
	"encoding/binary"
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Decode makes UTF-8 of a text: by its byte order mark, else as UTF-8 where it is valid,
// else by the encoding that it declares (declared, a name as the web has it, "" for
// none), else by what its letters look like, else as Windows has had it in the west,
// which takes any bytes. What no encoding has a letter for is left out, so that nobody
// reads a replacement character.
func Decode(content []byte, declared string) string {
	switch {
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		return string(content[3:])
	case bytes.HasPrefix(content, []byte{0xff, 0xfe, 0, 0}):
		return quadruple(content[4:], binary.LittleEndian)
	case bytes.HasPrefix(content, []byte{0, 0, 0xfe, 0xff}):
		return quadruple(content[4:], binary.BigEndian)
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}):
		return double(content[2:], binary.LittleEndian)
	case bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		return double(content[2:], binary.BigEndian)
	case utf8.Valid(content):
		return string(content)
	}
	for _, name := range []string{declared, guess(content)} {
		if text, ok := by(strings.TrimSpace(name), content); ok {
			return text
		}
	}
	text, _ := charmap.Windows1252.NewDecoder().Bytes(content) // any byte is a letter of it
	return known(string(text))
}

// Plain makes UTF-8 of a plain text, such as a program, which says nowhere outside of
// itself what it is in. UTF-8 is returned as it is, and so is what was UTF-8 and is
// broken in places: the rest of it is readable.
func Plain(content []byte) []byte {
	if !IsWide(content) && (utf8.Valid(content) || isBroken(content)) {
		return content
	}
	return []byte(Decode(content, declaredIn(content)))
}

// wideMarks are the byte order marks of UTF-16 and UTF-32.
var wideMarks = [][]byte{{0xff, 0xfe}, {0xfe, 0xff}, {0, 0, 0xfe, 0xff}}

// IsWide reports whether a text begins with the mark of UTF-16 or UTF-32.
func IsWide(content []byte) bool {
	for _, mark := range wideMarks {
		if bytes.HasPrefix(content, mark) {
			return true
		}
	}
	return false
}

// isBroken reports whether at least as many letters beyond ASCII are UTF-8 as are not:
// in other encodings that happens by chance alone.
func isBroken(content []byte) bool {
	good, bad := 0, 0
	for len(content) > 0 {
		if content[0] < utf8.RuneSelf {
			content = content[1:]
			continue
		}
		r, size := utf8.DecodeRune(content)
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		content = content[size:]
	}
	return good >= bad
}

// declaration is how programs (PEP 263, Emacs, Vim), XML and CSS say what they are in.
var declaration = regexp.MustCompile(`(?i)(?:coding[:=][ \t]*|encoding[ \t]*=[ \t]*["']|@charset[ \t]+["'])([-\w.]+)`)

// declaredLines is in how many of the first lines a text declares its encoding.
const declaredLines = 2

func declaredIn(content []byte) string {
	end := 0
	for range declaredLines {
		n := bytes.IndexByte(content[end:], '\n')
		if n < 0 {
			end = len(content)
			break
		}
		end += n + 1
	}
	if m := declaration.FindSubmatch(content[:end]); m != nil {
		return string(m[1])
	}
	return ""
}

// by decodes by the name of an encoding; ok is false for one that is unknown, or that
// the text is not in.
func by(name string, content []byte) (text string, ok bool) {
	e, err := htmlindex.Get(name)
	if err != nil {
		return "", false
	}
	if canonical, _ := htmlindex.Name(e); canonical == "utf-8" || canonical == "replacement" {
		return "", false
	}
	decoded, err := e.NewDecoder().Bytes(content)
	return known(string(decoded)), err == nil
}

func double(content []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(content)/2)
	for ; len(content) >= 2; content = content[2:] {
		units = append(units, order.Uint16(content))
	}
	return known(string(utf16.Decode(units)))
}

func quadruple(content []byte, order binary.ByteOrder) string {
	var out strings.Builder
	for ; len(content) >= 4; content = content[4:] {
		if r := rune(order.Uint32(content)); utf8.ValidRune(r) {
			out.WriteRune(r)
		}
	}
	return known(out.String())
}

// known leaves out what a decoder had no letter for.
func known(text string) string { return strings.ReplaceAll(text, string(utf8.RuneError), "") }
