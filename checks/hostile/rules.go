package hostile

import (
	"fmt"
	"os"
	"strings"
)

// rules makes ignore files that take long to match, or that are no files.
func rules(b *builder) {
	deep := strings.Repeat("a/", 30) + "x.txt"
	long := strings.Repeat("a", 200) + ".txt"
	// Each ignore file has a directory of its own, with one file that it leaves
	// in, or takes out for the reason why.
	n := 0
	rule := func(content, file, why string) {
		dir := fmt.Sprintf("rules/%02d/", n)
		n++
		for _, name := range []string{".gitignore", ".freshetignore"}[n%2 : n%2+1] {
			o, reason := ruleFile(content)
			b.file("ignore file", dir+name, []byte(content), o, reason)
		}
		if why == "" {
			b.text("file under hostile rules", dir+file)
		} else {
			b.out("file under hostile rules", dir+file, why)
		}
	}
	for range 2 { // once in each kind of ignore file
		rule(strings.Repeat("**/", 40)+"b\n", deep, "")
		rule(strings.Repeat("**/a/", 25)+"b\n", deep, "")
		rule(strings.Repeat("**/*a*/", 25)+"b\n", deep, "")
		rule(strings.Repeat("**/", 40)+"x.txt\n", deep, "**/**/…/x.txt")
		rule(strings.Repeat("*/", 29)+"b\n", deep, "")
		rule("**"+strings.Repeat("/**", 100)+"\n", deep, "**/**/…")
		rule(strings.Repeat("a*", 100)+"b\n", long, "")
		rule(strings.Repeat("*a", 100)+"*b\n", long, "")
		rule(strings.Repeat("?*", 80)+"b\n", long, "")
		rule(strings.Repeat("[a-z]*", 60)+"!\n", long, "")
		rule(strings.Repeat("*", 100_000)+"b\n", long, "")
		rule("["+strings.Repeat("a-z", 100_000)+"]*.txt\n", long, "[a-za-z…]*.txt")
		rule(strings.Repeat("x", 900_000)+"\n", "x.txt", "")
		rule(manyRules()+"x.txt\n", "x.txt", "x.txt in line 10001")
		rule(manyRules(), "x.txt", "")
		rule("[\n[!\n[[:alpha:\n[[:nothing:]]\n\\\n!\n/\n//\n***\n[]\n[]-]\n[z-a]\n!!\n#\n\\#\n\\!\n \n\t\n", "x.txt", "*** matches every name")
		rule("*\n!*/\n!keep.txt\n", "keep.txt", "")
		rule("\xef\xbb\xbfx.txt\r\n", "x.txt", "x.txt")
		rule("bad-\xff*\n", "bad-\xff.txt", "bad-\\xff*")
		rule("x.txt\x00\n*.md\n", "x.txt", "")
		rule("\xff\xfex\x00", "x.txt", "")
		rule("..\n../*\n/../x.txt\n./x.txt\n", "x.txt", "")
		rule("!../../**\n!/etc/passwd\n", "x.txt", "")
	}
	for i, name := range []string{".gitignore", ".freshetignore"} {
		at := func(what string) string { return fmt.Sprintf("rules/odd-%s%d/", what, i) }
		b.pipe(at("pipe")+name, Skipped, "named pipe")
		b.text("ignore file that is none", at("pipe")+"x.txt")
		b.text("ignore file that is none", at("folder")+name+"/x.txt")
		b.text("ignore file that is none", at("folder")+"x.txt")
		b.link("ignore file that is none", at("link")+name, b.outside+"/.gitignore")
		b.text("ignore file that is none", at("link")+"x.txt")
		b.link("ignore file that is none", at("loop")+name, name)
		b.text("ignore file that is none", at("loop")+"x.txt")
		b.link("ignore file that is none", at("device")+name, "/dev/zero")
		b.text("ignore file that is none", at("device")+"x.txt")
		b.sparse(at("sparse")+name, 5<<30, "too large")
		b.text("ignore file that is none", at("sparse")+"x.txt")
	}
	// Marks of build output are looked for by name.
	for _, mark := range []string{"target/CACHEDIR.TAG", "build/CMakeCache.txt", "venv/pyvenv.cfg"} {
		dir := "rules/marks/" + mark[:strings.IndexByte(mark, '/')]
		b.text("mark of build output that is none", dir+"/x.txt")
		b.up("rules/marks/" + mark)
		b.note(Input{Family: "mark of build output that is none", Path: "rules/marks/" + mark, Outcome: Skipped, Why: "symbolic link"},
			os.Symlink(b.outside+"/secret.txt", b.full("rules/marks/"+mark)))
	}
}

// ruleFile says what becomes of the ignore file itself.
func ruleFile(content string) (Outcome, string) {
	switch lines := strings.Count(content, "\n"); {
	case strings.HasPrefix(content, "*\n"), strings.Contains(content, "\n***\n"), strings.HasSuffix(content, "/**\n"):
		return Ignored, "its own rule"
	case strings.HasPrefix(content, "\xff\xfe"):
		return Indexed, ""
	case strings.Contains(content, "\x00"):
		return Skipped, "binary"
	case len(content) >= 16<<10 && len(content)/max(1, lines) >= 2000:
		return Skipped, "very long lines"
	}
	return Indexed, ""
}

// manyRules returns 10,000 lines of which none matches x.txt.
func manyRules() string {
	var s strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&s, "**/dir%d/**/*.o%d\n", i, i)
	}
	return s.String()
}
