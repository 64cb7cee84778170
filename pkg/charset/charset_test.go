package charset

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// program is a program with a comment.
const program = "#include <stdio.h>\n\n/* %s */\nint main(void) {\n\tprintf(\"hello\\n\");\n\treturn 0;\n}\n"

func TestTextInAnotherEncoding_IsReadAsItWasWritten(t *testing.T) {
	const (
		russian = "Эта функция читает файл построчно и возвращает количество слов"
		german  = "Größe der Datei in Bytes, für die Straße"
		hanzi   = "这个函数逐行读取文件并返回单词数量"
	)
	for name, c := range map[string]struct {
		in   encoding.Encoding
		text string
	}{
		"Windows in the west":   {charmap.Windows1252, german},
		"Latin 1":               {charmap.ISO8859_1, "Cette méthode lit le fichier et renvoie le numéro trouvé"},
		"Windows in Cyrillic":   {charmap.Windows1251, russian},
		"KOI8-R":                {charmap.KOI8R, russian},
		"Shift JIS":             {japanese.ShiftJIS, "この関数はファイルを一行ずつ読み込みます"},
		"EUC-JP":                {japanese.EUCJP, "この関数はファイルを一行ずつ読み込みます"},
		"GBK":                   {simplifiedchinese.GBK, hanzi},
		"Big5":                  {traditionalchinese.Big5, "這個函數逐行讀取檔案並返回單詞數量"},
		"EUC-KR":                {korean.EUCKR, "이 함수는 파일을 한 줄씩 읽습니다"},
		"UTF-16, little endian": {unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), hanzi + " 🌊"},
		"UTF-16, big endian":    {unicode.UTF16(unicode.BigEndian, unicode.UseBOM), german},
		"UTF-32":                {utf32.UTF32(utf32.BigEndian, utf32.UseBOM), russian},
	} {
		for _, text := range []string{c.text, fmt.Sprintf(program, c.text), fmt.Sprintf(program, strings.Repeat(c.text+". ", 9))} {
			content, err := c.in.NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if got := string(Plain(content)); got != text {
				t.Errorf("%s: got %q, want %q", name, got, text)
			}
		}
	}
}

func TestTextDeclaresItsEncoding_ThatIsBelieved(t *testing.T) {
	for _, text := range []string{
		"# -*- coding: iso-8859-2 -*-\nname = 'Łódź'\n", "#!/usr/bin/python\n# vim: set fileencoding=iso-8859-2 :\nname = 'Łódź'\n",
		"<?xml version=\"1.0\" encoding='ISO-8859-2'?>\n<city>Łódź</city>\n", "@charset \"iso-8859-2\";\n.a::after { content: 'Łódź' }\n",
	} {
		content, err := charmap.ISO8859_2.NewEncoder().Bytes([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(Plain(content)); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	// A declaration that is wrong, or further down, declares nothing.
	for _, text := range []string{"# coding: no-such\nGr\xf6\xdfe\n", "# coding: utf-8\nGr\xf6\xdfe\n", "a\nb\n# coding: koi8-r\nGr\xf6\xdfe\n"} {
		if got := string(Plain([]byte(text))); !strings.HasSuffix(got, "Größe\n") {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// What is UTF-8 stays byte for byte, and so does what was it.
func TestUTF8_StaysAsItIs(t *testing.T) {
	for _, text := range []string{"", "plain\r\n", "\xef\xbb\xbfmarked", "Größe\x00", "Größe und Stra\xdfe", "日本語 \xff 日本語", "a\uFFFDb"} {
		if got := string(Plain([]byte(text))); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Another text would be another version of the document, each time that it is read.
func TestTextThatMayBeInSeveralEncodings_IsReadAlikeEachTime(t *testing.T) {
	const sample = "Größe façade naïve Ångström.\nПривет, мир. Ελληνικά.\n日本語の文章です。한국어 문장입니다.\n简体中文和繁體中文。\nالعربية עברית ไทย\n"
	for _, in := range slices.Concat(charmap.All, japanese.All, korean.All, simplifiedchinese.All, traditionalchinese.All) {
		var content []byte
		for _, r := range sample {
			if c, err := in.NewEncoder().Bytes([]byte(string(r))); err == nil {
				content = append(content, c...) // what it lacks is left out
			}
		}
		first := string(Plain(content))
		for range 100 {
			if got := string(Plain(content)); got != first {
				t.Errorf("%s: %q, and then %q", in, first, got)
				break
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"plain", "Gr\xf6\xdfe", "\xff\xfea\x00", "\x00\x00\xfe\xff\x00\x00\x00a", "# coding: gbk\n\xd5\xe2", "\x82\xb1\x82\xcc"} {
		f.Add([]byte(seed), "")
	}
	f.Add([]byte("\xa4\xb3"), "euc-jp")
	f.Fuzz(func(t *testing.T, content []byte, declared string) {
		if text := Decode(content, declared); !utf8.ValidString(text) {
			t.Errorf("%q is no UTF-8", text)
		}
		if text := Plain(content); len(text) > 4*len(content) {
			t.Errorf("%d bytes became %d", len(content), len(text))
		}
	})
}
