package extract_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/services/chunker/internal/extract"
)

func TestTextInAnyEncoding_IsDecoded(t *testing.T) {
	for name, c := range map[string]struct{ content, declared, want string }{
		"UTF-8":                      {"Müllerstraße\r\n", "", "Müllerstraße\n"},
		"UTF-8 that says otherwise":  {"Müll", "iso-8859-1", "Müll"},
		"a mark":                     {"\xef\xbb\xbfMüll", "", "Müll"},
		"UTF-16, little end first":   {"\xff\xfeM\x00\xfc\x00", "", "Mü"},
		"UTF-16, big end first":      {"\xfe\xff\x00M\x00\xfc", "utf-8", "Mü"},
		"half of a letter of UTF-16": {"\xff\xfeM\x00\x3d\xd8", "", "M"},
		"UTF-32":                     {"\xff\xfe\x00\x00M\x00\x00\x00\xfc\x00\x00\x00", "", "Mü"},
		"declared":                   {"\xcc\xc0\xcb", "koi8-r", "люк"},
		"declared, Japanese":         {"\x93\xfa\x96\x7b", "Shift_JIS", "日本"},
		"declared UTF-8 and is none": {"M\xfcll", "utf-8", "Müll"},
		"nobody says":                {"\x93M\xfcll\x94 \x80", "", "“Müll” €"},
		"no such encoding":           {"M\xfcll", "klingon", "Müll"},
		"zeros":                      {"M\x00\xfcll", "", "Müll"},
	} {
		if got := extract.Decode([]byte(c.content), c.declared); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func FuzzDecodeAnyText(f *testing.F) {
	f.Add([]byte("\xff\xfeM\x00\x3d\xd8"), "utf-16")
	f.Add([]byte("\x93\xfa\x96"), "shift_jis")
	f.Fuzz(func(t *testing.T, content []byte, declared string) {
		got := extract.Decode(content, declared)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r") {
			t.Errorf("%q", got)
		}
		if !utf8.Valid(content) && strings.ContainsRune(got, utf8.RuneError) && !strings.HasPrefix(string(content), "\xef\xbb\xbf") {
			t.Errorf("%q has a replacement character", got)
		}
	})
}
