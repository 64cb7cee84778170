package hostile

import (
	"bytes"
	"fmt"
	"os"
	"strings"
)

const mebi = 1 << 20

// contents makes files that are no harm by their names.
func contents(b *builder) {
	indexed := func(name, content string) { b.file("content", "contents/"+name, []byte(content), Indexed, "") }
	skipped := func(why, name, content string) {
		b.file("content", "contents/"+name, []byte(content), Skipped, why)
	}
	for _, ext := range []string{"txt", "md", "go", "py", "json", "unknown"} {
		indexed("empty."+ext, "")
		indexed("blank."+ext, " \t\n\r\n\f \n")
		indexed("mark."+ext, "\xef\xbb\xbf")
		indexed("feeds."+ext, strings.Repeat("\n", 10_000))
		indexed("returns."+ext, strings.Repeat("\r", 1000)+"x\r")
		skipped("binary", "zero."+ext, "\x00")
		skipped("binary", "zeros."+ext, "text\n"+strings.Repeat("\x00", 100))
		skipped("binary", "late-zero."+ext, strings.Repeat("a word\n", 1171)[:8191]+"\x00")
		// Behind the first bytes nobody looks for a zero, as in git.
		indexed("later-zero."+ext, strings.Repeat("a word\n", 1200)+"\x00\x01 zero\n")
	}
	skipped("binary", "controls.txt", strings.Repeat("\x01\x02\x03", 100))
	skipped("binary", "deletes.txt", strings.Repeat("\x7f", 100))
	all := make([]byte, 0, 256)
	for c := 1; c < 256; c++ {
		all = append(all, byte(c))
	}
	skipped("binary", "every-byte.txt", string(all))
	indexed("every-high-byte.txt", string(all[127:]))
	indexed("invalid.txt", strings.Repeat("\xff\xfe\xfd ", 1000)[1:])
	indexed("escapes.txt", strings.Repeat("\x1b[31mred\x1b[0m \x1b]0;title\x07\n", 50))
	indexed("line.txt", strings.Repeat("lang ", mebi/5))
	indexed("word.txt", strings.Repeat("w", mebi))
	indexed("wide-word.txt", strings.Repeat("漢", mebi/3))
	skipped("very long lines", "line.c", strings.Repeat("int a; ", mebi/7))
	skipped("very long lines", "line.json", `{"a":"`+strings.Repeat("x", mebi-10)+`"}`)
	skipped("minified", "line.js", strings.Repeat("a=1;", mebi/4))
	indexed("limit.txt", strings.Repeat("sixteen bytes ..", mebi/16))
	skipped("too large", "above.txt", strings.Repeat("sixteen bytes ..", mebi/16)+"x")
	indexed("accents.txt", "a"+strings.Repeat("\u0301", 50_000))
	indexed("joiners.txt", strings.Repeat("\u200d", 50_000))
	indexed("directions.go", "package a\n\n/*\u202e } \u2066if x\u2069 \u2066 begin */\nfunc f() {}\n")
	indexed("separators.txt", "one\u2028two\u2029three\u0085four\vfive\fsix")
	indexed("mixed-ends.go", "package a\r\nfunc a() {}\rfunc b() {}\n\rfunc c() {}\r\r\n\n")
	indexed("mixed-ends.md", "# One\r\ntext\r# Two\n\rtext\r\n## Three\rtext")
	indexed("expanding.txt", strings.Repeat("\ufdfa", 20_000)) // one becomes eighteen in NFKC
	skipped("very long lines", "spaces.py", strings.Repeat(" ", 200_000)+"x = 1\n")
	indexed("spaces.txt", strings.Repeat(" ", 200_000)+"x = 1\n")
	indexed("tabs.py", strings.Repeat("\t", 50_000)+"x = 1\n"+strings.Repeat("\t\n", 20_000))
	for i, magic := range []string{
		"%PDF-1.7\n", "\x1f\x8b\x08", "PK\x03\x04", "PK\x05\x06", "BZh91AY", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "7z\xbc\xaf\x27\x1c", "\x89PNG\r\n", "GIF89a", "\xff\xd8\xff", "RIFF", "OggS", "ID3",
		"\x7fELF", "\xca\xfe\xba\xbe", "MZ\x90", "\x00asm", "!<arch>\n", "wOFF", "SQLite format 3\x00", "{\\rtf", "\xd0\xcf\x11\xe0",
	} {
		b.file("archive or program by its first bytes", fmt.Sprintf("contents/magic-%02d.txt", i), []byte(magic+"follows text\n"), Skipped, "binary")
	}
	skipped("git lfs pointer", "pointer.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
	key := "-----BEGIN OPENSSH PRIVATE KEY-----\n" + Secret + "fuenf\n-----END OPENSSH PRIVATE KEY-----\n"
	skipped("secret: private key", "key.txt", key)
	skipped("secret: private key", "key.md", "\xef\xbb\xbf\r\n "+key)
	skipped("secret: private key", "chain.pem", "Bag\n"+strings.Repeat("-----BEGIN ", 700)+"\n"+key)
	for _, name := range []string{".env", ".env.local", "id_rsa", ".npmrc", ".netrc", "a.p12", "vault.kdbx", ".git-credentials"} {
		b.file("secret by its name", "contents/secrets/"+name, []byte(Secret+"sechs"), Skipped, "secret: ")
	}
	for name, why := range map[string]string{"package-lock.json": "lock file", "go.sum": "lock file", "Cargo.lock": "lock file", "app.js.map": "source map", "app.css.map": "source map", "app.min.js": "minified"} {
		skipped(why, name, "{}\n")
	}
	for _, name := range []string{".DS_Store", "Thumbs.db", ".#lock", "#auto#", "a.swp", "._fork", "m.pyc", ".nfs0001", "4913"} {
		b.out("what tools leave", "contents/left/"+name, "built-in: names that editors and desktops give")
	}
	for _, dir := range []string{"node_modules", "__pycache__", ".svn", ".hg", ".freshet", ".cache"} {
		b.out("what tools leave", "contents/left/"+dir+"/x.txt", "built-in: "+dir)
	}
	b.sparse("contents/sparse-10g.txt", 10<<30, "too large")
	b.sparse("contents/sparse-8e.txt", 1<<43, "too large")
	b.sparse("contents/sparse-1m.txt", mebi, "binary")
	tail := bytes.Repeat([]byte("text "), 2000)
	b.file("hole", "contents/hole.txt", tail, Indexed, "")
	if b.err == nil {
		b.err = os.Truncate(b.full("contents/hole.txt"), 600_000) // zeros behind the text
	}
}

// sparse makes a file that is mostly a hole.
func (b *builder) sparse(path string, size int64, why string) {
	err := b.put(path, nil)
	if err == nil {
		err = os.Truncate(b.full(path), size)
	}
	b.note(Input{Family: "sparse file", Path: path, Outcome: Skipped, Why: why}, err)
}
