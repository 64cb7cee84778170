package hostile

import (
	"fmt"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// sample has letters of many scripts; no encoding but Unicode's has all of them.
const sample = "Größe façade naïve Ångström.\nПривет, мир. Ελληνικά.\n日本語の文章です。한국어 문장입니다.\n简体中文和繁體中文。\nالعربية עברית ไทย\n"

// encodings makes prose and code in every encoding that there is a table for.
func encodings(b *builder) {
	var all []encoding.Encoding
	for _, list := range [][]encoding.Encoding{charmap.All, japanese.All, korean.All, simplifiedchinese.All, traditionalchinese.All} {
		all = append(all, list...)
	}
	for i, e := range all {
		name := strings.Map(func(r rune) rune {
			if r == ' ' || r == '/' || r == ':' {
				return '-'
			}
			return r
		}, fmt.Sprint(e))
		b.encoded(e, fmt.Sprintf("encodings/%02d-%s", i, name))
	}
	for _, e := range []struct {
		name string
		enc  encoding.Encoding
	}{
		{"utf16le-bom", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)}, {"utf16be-bom", unicode.UTF16(unicode.BigEndian, unicode.UseBOM)},
		{"utf16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)}, {"utf16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)},
		{"utf32le-bom", utf32.UTF32(utf32.LittleEndian, utf32.UseBOM)}, {"utf32be-bom", utf32.UTF32(utf32.BigEndian, utf32.UseBOM)},
		{"utf32le", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)}, {"utf32be", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)},
	} {
		content, err := e.enc.NewEncoder().Bytes([]byte(sample))
		b.fail(err)
		outcome, why := Skipped, "binary"
		if strings.HasSuffix(e.name, "bom") {
			outcome, why = Indexed, ""
		}
		b.file("wide encoding", "encodings/"+e.name+".txt", content, outcome, why)
	}
	for _, e := range []struct {
		name    string
		content string
	}{
		// No byte of it is zero: only the mark in front tells.
		{"utf16le-bom-without-zeros.txt", "\xff\xfe\xe5\x65\x2c\x67\x9e\x8a"}, {"utf16be-bom-without-zeros.txt", "\xfe\xff\x65\xe5\x67\x2c\x8a\x9e"},
		{"utf16-bom-alone.txt", "\xff\xfe"},
	} {
		b.file("wide encoding", "encodings/"+e.name, []byte(e.content), Indexed, "")
	}
	for name, content := range map[string]string{
		"utf8.md": "# Ünïcode\n\n" + sample, "utf8-bom.txt": "\xef\xbb\xbf" + sample, "utf8-two-boms.txt": "\xef\xbb\xbf\xef\xbb\xbf" + sample,
		"utf7.txt": "Hi Mom -+Jjo--+ADw-!", "cesu8.txt": "\xed\xa0\xbd\xed\xb2\xa9 cesu", "overlong.txt": "a\xc0\x80b\xc1\xbf\xe0\x80\x80", "cut.txt": "half a rune \xe2\x82",
		"utf16-without-mark-or-zeros.txt": "\xe5\x65\x2c\x67\x9e\x8a", "lone.txt": "\x80\x81\xfe\xff", "mixed.go": "package a\n\n// Gr\xf6\xdfe und Größe\nfunc f() {}\n",
		"noncharacters.txt": "\uffff \ufdd0 \U0010ffff", "beyond.txt": "\xf5\x80\x80\x80 \xf8\x88\x80\x80\x80",
	} {
		b.file("broken UTF-8", "encodings/"+name, []byte(content), Indexed, "")
	}
}

// encoded makes a page of prose and a program in one encoding.
func (b *builder) encoded(e encoding.Encoding, path string) {
	for name, text := range map[string]string{".txt": sample, ".py": "def größe():\n    return 'Ж日한中'\n\n" + "# " + strings.ReplaceAll(sample, "\n", "\n# ") + "\n"} {
		var content []byte
		for _, r := range text {
			if c, err := e.NewEncoder().Bytes([]byte(string(r))); err == nil {
				content = append(content, c...) // what it lacks is left out
			}
		}
		b.file("encoding", path+name, content, Indexed, "")
	}
}

func (b *builder) fail(err error) {
	if b.err == nil && err != nil {
		b.err = err
	}
}
