package hostile

import (
	"fmt"
	"strings"
)

// sources makes programs that a parser does not like.
func sources(b *builder) {
	for _, l := range []struct{ ext, comment, text string }{
		{"go", "/*", "`"}, {"py", "'''", `"""`}, {"js", "/*", "`"}, {"ts", "/*", "`"}, {"tsx", "/*", "<a>"}, {"java", "/*", `"`},
		{"c", "/*", `"`}, {"cpp", "/*", `R"x(`}, {"rs", "/*/*", `r#"`}, {"h", "#if", `#define a \`},
	} {
		deep := 3000
		switch l.ext {
		case "go", "py", "js", "c":
			deep = 100_000 // the others only cost time
		}
		file := func(name, content string) {
			b.file("program", fmt.Sprintf("sources/%s/%s.%s", l.ext, name, l.ext), []byte(content), Indexed, "")
		}
		for name, mark := range map[string]string{"round": "(", "square": "[", "curly": "{"} {
			file(name, nest(mark, "", deep))
		}
		file("mixed", nest("([{", "", deep/3))
		file("closed", nest("(", ")", deep/2))
		file("closing", nest(")]}", "", deep/3))
		file("comment", "x = 1\n"+l.comment+strings.Repeat(" never ends\n", 2000))
		file("string", "x = "+l.text+strings.Repeat(" never ends\n", 2000))
		file("quotes", strings.Repeat("\"'`\n", 5000))
		file("ends", "a\rb\nc\r\nd\n\re\r\r\n"+strings.Repeat("f()\r\n", 100)+strings.Repeat("g()\r", 100))
		file("high", strings.Repeat("\x80\xff\xfe \n", 3000))
		file("mark", "\xef\xbb\xbffunc f() {}\n")
		file("operators", strings.Repeat("+-*/%&|^<>=!~?:;,.\n", 2000))
		file("angles", nest("<a", "", 1500))
	}
	b.file("program", "sources/many.c", repeated(100_000, func(i int) string { return name(i) + "(){}\n" }), Indexed, "")
	b.file("program", "sources/many.py", repeated(40_000, func(i int) string { return "def " + name(i) + "(): 0\n" }), Indexed, "")
	b.file("program", "sources/sum.go", []byte("package a\n\nvar x = 1"+strings.Repeat(" +\n\t1234567890123456789", 45_000)+"\n"), Indexed, "")
	b.file("program", "sources/sum.py", []byte("x = (1"+strings.Repeat("\n + 1234567890123456789", 45_000)+")\n"), Indexed, "")
	b.file("program", "sources/calls.js", []byte(strings.Repeat("f(\n", 30_000)+strings.Repeat(")\n", 30_000)), Indexed, "")
	b.file("program", "sources/else.c", []byte("void f() {\n"+strings.Repeat("if (a) b(); else\n", 20_000)+";}\n"), Indexed, "")
	b.file("program", "sources/class.py", repeated(300, func(i int) string { return strings.Repeat(" ", i) + "class C" + name(i) + ":\n" }), Indexed, "")
	b.file("program", "sources/if.py", repeated(300, func(i int) string { return strings.Repeat(" ", i) + "if a:\n" }), Indexed, "")
	b.file("program", "sources/templates.cpp", []byte("A"+strings.Repeat("<B\n", 5000)+strings.Repeat(">\n", 5000)+" x;\n"), Indexed, "")
	b.file("program", "sources/elements.tsx", []byte("const x = "+strings.Repeat("<div>\n", 5000)+strings.Repeat("</div>\n", 5000)), Indexed, "")
	b.file("program", "sources/names.go", []byte("package a\n\nfunc "+strings.Repeat("n", 200_000)+"() {\n\treturn\n}\n"+strings.Repeat("// a\n", 1000)), Indexed, "")
	b.file("program", "sources/shebang", []byte("#!/usr/bin/env "+strings.Repeat("-S A=b ", 20_000)+"python\nx = 1\n"+strings.Repeat("y\n", 1000)), Indexed, "")
}

// nest repeats marks on short lines, and closes them again if it is told to.
func nest(open, shut string, n int) string {
	var s strings.Builder
	for _, part := range []string{open, shut} {
		for i := 0; i < n && part != ""; i++ {
			s.WriteString(part)
			if i%60 == 59 {
				s.WriteByte('\n')
			}
		}
	}
	s.WriteByte('\n')
	return s.String()
}

func repeated(n int, line func(int) string) []byte {
	var s strings.Builder
	for i := range n {
		s.WriteString(line(i))
	}
	return []byte(s.String())
}

// name is a short identifier.
func name(i int) string {
	out := []byte{}
	for ; i > 0 || len(out) == 0; i /= 26 {
		out = append(out, byte('a'+i%26))
	}
	return string(out)
}
