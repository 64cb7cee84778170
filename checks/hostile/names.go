package hostile

import (
	"fmt"
	"strings"
)

// names makes files whose names are meant to be taken for something else.
func names(b *builder) {
	for c := 1; c < 0x80; c++ {
		if c == '/' {
			continue
		}
		family := "name with a mark"
		if c < 0x20 || c == 0x7f {
			family = "name with a control character"
		} else if c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
			continue
		}
		s := string(rune(c))
		b.text(family, "names/front/"+s+"lead.txt")
		b.text(family, "names/inside/a"+s+"b.txt")
		if c == '~' {
			b.out(family, "names/behind/trail~", "built-in: *~")
			b.out(family, "names/alone/~", "built-in: *~")
			continue
		}
		b.text(family, "names/behind/trail"+s)
		if c != '.' {
			b.text(family, "names/alone/"+s)
		}
	}
	for c := 0x80; c < 0x100; c++ {
		b.text("name in no UTF-8", "names/bytes/bad-"+string([]byte{byte(c)})+".txt")
	}
	for i, name := range []string{
		"\xc0\xaf.txt", "\xed\xa0\x80.txt", "\xf4\x90\x80\x80.txt", "\xe2\x82.txt", "ok\xff/\xfe/\xfd.txt", "\xef\xbf\xbd.txt",
		"%", "%%", "%2F", "%2e%2e%2f", "%00.txt", "%25", "%GG.txt", "100%.md", "%s%n%x.txt", "%E2%82%AC.txt",
	} {
		b.text("name that looks encoded", fmt.Sprintf("names/encoded/%d/%s", i, name))
	}
	for i, name := range []string{
		"-", "--", "-rf", "--help", "--upload-pack=touch x", "-n.txt", " ", "  two", "two  ", "\t", "\n", "a\nb.txt", "\r\n.txt", "a\tb.md",
		"*", ">", "a.*.b", "freshet.>", "freshet.files.x.y.z", "$JS.API.>", "$JS.API.STREAM.DELETE.FILES", "_INBOX.a", "_", "worktree", "HEAD", ".worktree",
		"CON", "NUL", "aux.txt", `C:\x.txt`, `a\b.txt`, `\\server\share.txt`, "a:b.txt", "file:stream.txt:$DATA",
		"$(touch x)", "`id`", "; rm -rf .txt", "| cat", "&& true", "'", `"`, `a'b"c.txt`, "$HOME", "${PATH}", "{a,b}.txt", "[a-z].txt", "?.txt",
		`{"a":1}`, "]]>.xml", "<script>.html", "null", "true", "a;b=1:c.txt", "Freshet-Path: x\r\nFreshet-Op: delete", "..a", "...", ".. ", "..%2f..txt", ". .",
		strings.Repeat("n", 251) + ".txt", strings.Repeat("é", 125) + ".txt", strings.Repeat("漢", 83) + ".txt", strings.Repeat("\x01", 255), strings.Repeat("%", 255), strings.Repeat("\xff", 255), strings.Repeat(".", 255), "e." + strings.Repeat("x", 253),
	} {
		b.text("name that means something", fmt.Sprintf("names/meaning/%d/%s", i, name))
	}
	for _, name := range []string{
		"caf\u00e9.txt", "cafe\u0301.txt", "\uac00.txt", "\u1100\u1161.txt", "\u212b.txt", "\u00c5.txt", "A\u030a.txt", "\ufb01.txt", "fi.txt", "\u2126.txt", "\u03a9.txt",
		"Case.txt", "case.txt", "CASE.txt", "\u0130.txt", "i\u0307.txt", "\u0131.txt", "\u00df.txt", "ss.txt", "Dir/x.txt", "dir/x.txt", "DIR/X.txt",
	} {
		b.text("names that a file system may fold", "names/folded/"+name)
	}
	for i, name := range []string{
		"\u202etxt.exe", "\u200f.txt", "\u200b.txt", "\ufeff.txt", "a\u2028b.txt", "a\u2029b.txt", "a\u0085b.txt", "\u00a0", "\u3000.txt", "\u2066a\u2069.txt", "\U0001f4a9.txt",
		"\U0001f468\u200d\U0001f469\u200d\U0001f467.md", "\uffff.txt", "\U0010ffff.txt", "\ue000.txt", "a" + strings.Repeat("\u0301", 120), "\u0e33.txt", "\u202a\u202b\u202c.go", "\u05d0\u05d1.txt", "\u0627\u0644.md",
	} {
		b.text("name that is not what it shows", fmt.Sprintf("names/shown/%d/%s", i, name))
	}
}
