package classify

import (
	"bytes"
	"strings"

	"github.com/freshet-dev/freshet/pkg/charset"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
)

// SniffBytes is how much of a file's beginning tells text from binary; git
// looks at as much.
const SniffBytes = 8 << 10

// magics open formats that need not hold a NUL in their first bytes.
var magics = []string{
	"%PDF-", "\x1f\x8b", "PK\x03\x04", "PK\x05\x06", "BZh", "\xfd7zXZ\x00", "\x28\xb5\x2f\xfd", "7z\xbc\xaf\x27\x1c",
	"\x89PNG\r\n", "GIF87a", "GIF89a", "\xff\xd8\xff", "RIFF", "OggS", "ID3", "fLaC",
	"\x7fELF", "\xca\xfe\xba\xbe", "\xcf\xfa\xed\xfe", "MZ\x90", "\x00asm", "!<arch>\n",
	"wOFF", "wOF2", "SQLite format 3\x00", "{\\rtf", "\xd0\xcf\x11\xe0",
}

// Head returns the reason why a file is left out for its first bytes (up to
// SniffBytes), or "". named is true where the user named the file, which
// lifts the check for secrets.
func Head(p document.Path, head []byte, named bool) Reason {
	if len(head) > SniffBytes {
		head = head[:SniffBytes]
	}
	f := format.Of(p)
	if f != nil && f.Binary {
		if lfsPointer(head) {
			return LFSPointer
		}
		return ""
	}
	if charset.IsWide(head) {
		return "" // Text looks at what it says
	}
	for _, m := range magics {
		if len(head) >= len(m) && string(head[:len(m)]) == m {
			return Binary
		}
	}
	if bytes.IndexByte(head, 0) >= 0 || mostlyControl(head) {
		return Binary
	}
	if !named && privateKey(p, head) {
		return PrivateKey
	}
	if lfsPointer(head) {
		return LFSPointer
	}
	return ""
}

func lfsPointer(head []byte) bool {
	return bytes.HasPrefix(head, []byte("version https://git-lfs.github.com/spec/"))
}

// mostlyControl reports whether more than a tenth of head are control
// characters that text does not use. Bytes above 0x7f may be any encoding.
func mostlyControl(head []byte) bool {
	n := 0
	for _, c := range head {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != '\b' && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n*10 > len(head)
}

// privateKey reports whether the file is a private key: it begins like one,
// or it is a PEM file that holds one further down.
func privateKey(p document.Path, head []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch p.Ext() {
	case ".pem", ".key", ".crt", ".cer", "":
		for rest := text; ; {
			i := bytes.Index(rest, []byte("-----BEGIN "))
			if i < 0 {
				return false
			}
			if keyLine(rest[i:]) {
				return true
			}
			rest = rest[i+1:]
		}
	}
	return keyLine(text)
}

// keyLine reports whether text begins with -----BEGIN … PRIVATE KEY-----.
func keyLine(text []byte) bool {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	s := strings.TrimRight(string(line), " \t\r")
	return strings.HasPrefix(s, "-----BEGIN ") &&
		(strings.HasSuffix(s, "PRIVATE KEY-----") || strings.HasSuffix(s, "PRIVATE KEY BLOCK-----"))
}

// Text returns the text of a whole content, as UTF-8, and the reason why it is left out,
// or "". What is of a format stays as it is: its text is made of it later.
func Text(p document.Path, c document.Collection, content []byte, named bool) ([]byte, Reason) {
	if format.Of(p) == nil {
		text := charset.Plain(content)
		if charset.IsWide(content) {
			if r := Head(p, text, named); r != "" {
				return nil, r
			}
		}
		content = text
	}
	return content, body(p, c, content)
}

// Limits of lines. A person's line of code has tens of bytes; a bundler's has
// thousands.
const (
	bundleLine     = 5000 // longest line of a script or style sheet
	bundleMean     = 200  // mean line of such a file
	dataMean       = 2000 // mean line of any other file that is not prose
	dataMinContent = 16 << 10
)

// body returns the reason why a whole content is left out, or "". Files with
// a "Code generated" header stay: ranking knows how to treat them. Long lines of a
// format say nothing of its text.
func body(p document.Path, c document.Collection, content []byte) Reason {
	if c.Prose() || len(content) < bundleLine || format.Of(p) != nil {
		return ""
	}
	lines, longest := 0, 0
	for rest := content; len(rest) > 0; lines++ {
		n := bytes.IndexByte(rest, '\n')
		if n < 0 {
			n = len(rest) - 1
		}
		longest = max(longest, n)
		rest = rest[n+1:]
	}
	mean := len(content) / max(lines, 1)
	if bundled(p.Ext()) && longest >= bundleLine && mean >= bundleMean {
		return Minified
	}
	if len(content) >= dataMinContent && mean >= dataMean {
		return LongLines
	}
	return ""
}
