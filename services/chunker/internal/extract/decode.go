package extract

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// Decode makes UTF-8 of a text: by its byte order mark, else as UTF-8 where it is valid,
// else by the encoding that it declares (declared, a name as the web has it, "" for
// none), else as Windows has had it in the west, which takes any bytes. What no encoding
// has a letter for is left out, so that nobody reads a replacement character.
func Decode(content []byte, declared string) string {
	switch {
	case bytes.HasPrefix(content, []byte("\xef\xbb\xbf")):
		return Clean(string(content[3:]))
	case bytes.HasPrefix(content, []byte{0xff, 0xfe, 0, 0}):
		return wide(content[4:], func(b []byte) rune { return rune(binary.LittleEndian.Uint32(b)) })
	case bytes.HasPrefix(content, []byte{0, 0, 0xfe, 0xff}):
		return wide(content[4:], func(b []byte) rune { return rune(binary.BigEndian.Uint32(b)) })
	case bytes.HasPrefix(content, []byte{0xff, 0xfe}):
		return double(content[2:], binary.LittleEndian)
	case bytes.HasPrefix(content, []byte{0xfe, 0xff}):
		return double(content[2:], binary.BigEndian)
	case utf8.Valid(content):
		return Clean(string(content))
	}
	if e, err := htmlindex.Get(strings.TrimSpace(declared)); err == nil {
		if name, _ := htmlindex.Name(e); name != "utf-8" {
			if text, err := e.NewDecoder().Bytes(content); err == nil {
				return clean(string(text))
			}
		}
	}
	text, _ := charmap.Windows1252.NewDecoder().Bytes(content) // any byte is a letter of it
	return clean(string(text))
}

// clean is Clean of what a decoder has made.
func clean(text string) string { return Clean(strings.ReplaceAll(text, "\uFFFD", "")) }

func double(content []byte, order binary.ByteOrder) string {
	units := make([]uint16, 0, len(content)/2)
	for ; len(content) >= 2; content = content[2:] {
		units = append(units, order.Uint16(content))
	}
	return clean(string(utf16.Decode(units)))
}

func wide(content []byte, next func([]byte) rune) string {
	var out strings.Builder
	for ; len(content) >= 4; content = content[4:] {
		if r := next(content); utf8.ValidRune(r) {
			out.WriteRune(r)
		}
	}
	return clean(out.String())
}
