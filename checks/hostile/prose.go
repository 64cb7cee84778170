package hostile

import (
	"fmt"
	"strings"
)

// prose makes documents and data that go beyond what people write.
func prose(b *builder) {
	file := func(name, content string) {
		b.file("prose", "prose/"+name, []byte(content), Indexed, "")
	}
	file("headings.md", string(repeated(10_000, func(i int) string { return strings.Repeat("#", 1+i%6) + " Heading " + name(i) + "\n" })))
	file("same-headings.md", strings.Repeat("# Same\n", 10_000))
	file("hashes.md", strings.Repeat("#", 100_000)+"\n")
	file("underlines.md", strings.Repeat("Title\n=====\n---\n", 5000))
	file("list.md", string(repeated(600, func(i int) string { return strings.Repeat("  ", i) + "- item " + name(i) + "\n" })))
	file("quotes.md", strings.Repeat("> ", 10_000)+"deep\n")
	file("fence.md", "# A\n\n```go\n"+strings.Repeat("# no heading\n", 5000))
	file("fences.md", strings.Repeat("```\n~~~\n````\n", 3000))
	file("table.md", "|"+strings.Repeat(" a |", 10_000)+"\n|"+strings.Repeat("---|", 10_000)+"\n|"+strings.Repeat(" b |", 10_000)+"\n")
	file("brackets.md", strings.Repeat("[", 50_000)+"\n"+strings.Repeat("![a](", 20_000)+"\n")
	file("stars.md", strings.Repeat("*a **b ", 20_000)+"\n"+strings.Repeat("_", 50_000))
	file("html.md", strings.Repeat("<div>\n", 10_000)+"text\n")
	file("front.md", "---\n"+strings.Repeat("a: &a [*a, *a]\n", 5000))
	file("long-heading.md", "# "+strings.Repeat("long ", 50_000)+"\n\ntext\n")
	file("deep-headings.md", string(repeated(2000, func(i int) string { return "###### " + strings.Repeat("h", 300) + "\n\ntext " + name(i) + "\n\n" })))
	file("links.rst", strings.Repeat(".. _a: b_\n.. _b: a_\n", 5000)+strings.Repeat("=", 100_000)+"\n")
	file("book.tex", strings.Repeat(`\def\a{\a\a}`+"\n", 5000))
	file("plain.txt", strings.Repeat("word. ", 100_000))
	file("no-space.txt", strings.Repeat("日本語", 100_000))
	file("thai.txt", strings.Repeat("ภาษาไทยไม่มีช่องว่าง", 5000))
	file("dots.txt", strings.Repeat(".", 300_000))
	file("one-letter-lines.txt", strings.Repeat("a\n", 200_000))
	file("pretty.json", "[\n"+strings.Repeat("  {\"key\": \"value\", \"n\": 1e999},\n", 30_000)+"]\n")
	file("deep.json", nest("[", "]", 100_000))
	file("deep-objects.json", strings.Repeat("{\"a\":\n", 50_000))
	file("laughs.xml", "<!DOCTYPE l [<!ENTITY a \"ha\">\n"+string(repeated(50, func(i int) string { return fmt.Sprintf("<!ENTITY %s%d \"&a;&a;&a;&a;\">\n", name(i), i) }))+"<!ENTITY x SYSTEM \"file:///etc/passwd\">]>\n<l>&x;&z9;</l>\n")
	file("deep.xml", strings.Repeat("<a>\n", 50_000))
	file("laughs.yaml", "a: &a [x,x]\n"+string(repeated(200, func(i int) string { return fmt.Sprintf("b%d: &b%d [*a,*a,*b%d]\n", i, i, i-1) })))
	file("deep.yaml", string(repeated(500, func(i int) string { return strings.Repeat(" ", i) + "a:\n" })))
	file("tags.yaml", "!!python/object/apply:os.system [\"touch x\"]\n")
	file("table.csv", strings.Repeat(strings.Repeat("a,", 500)+"\n", 300)+"\""+strings.Repeat("never closed\n", 1000))
	file("query.sql", "SELECT "+strings.Repeat("(SELECT\n", 10_000))
	file("Makefile", strings.Repeat("a: a\n\t$(shell touch x)\n$(eval $(a))\n", 2000))
	file("Dockerfile", strings.Repeat("RUN \\\n", 20_000))
	cells := strings.Repeat("{\"cell_type\":\"code\",\"source\":[\"a\\u0000\\ud800 = 1\\r\"]},\n", 5000)
	file("book.ipynb", `{"nbformat":4,"cells":[`+cells+`{"cell_type":"raw","source":"end"}]}`)
	textless := func(name, content, why string) { b.file("prose", "prose/"+name, []byte(content), Textless, why) }
	textless("cut-off.ipynb", `{"nbformat":4,"cells":[`+cells, "damaged")
	textless("deep.ipynb", `{"nbformat":4,"cells":`+nest("[", "]", 100_000)+"}", "damaged")
	textless("empty.ipynb", "", "damaged")
	textless("blank.ipynb", `{"nbformat":4,"cells":[{"cell_type":"code","source":[" \n"]}]}`, "no text")
	file("style.css", strings.Repeat("a{b:c}\n", 20_000)+"/*")
	file("page.html", strings.Repeat("<script>\n", 3000)+strings.Repeat("</b>\n", 3000))
	file("diff.patch", strings.Repeat("--- a/../../etc/passwd\n+++ /dev/null\n@@ -1 +1 @@\n-x\n", 3000))
	b.file("prose", "prose/flat.json", []byte("["+strings.Repeat(`{"a":1},`, 125_000)+"{}]"), Skipped, "very long lines")
	b.file("prose", "prose/bundle.js", []byte("/*! x */\n"+strings.Repeat("function a(){return 1};", 40_000)), Skipped, "minified")
}
