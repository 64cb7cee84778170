package syntax

import (
	"strings"
	"testing"
)

// In these contents « and » enclose what has to become blank.
func TestElideTakesAwayBodiesOnly(t *testing.T) {
	for name, marked := range map[string]string{
		"a body":               "func f() {«\n\tcall(1)\n»}\n",
		"on one line":          "func f() int {« return 1 »}\n",
		"a method":             "func (s *S[T]) f(a int) (b error) {«\n\tx\n»}",
		"types in the result":  "func f() interface{} {«\n\tx\n»}\nfunc g() struct{ a int } {«\n\ty\n»}\n",
		"types in parameters":  "func f(a interface{ m() }, b struct{}) {«\n\tx\n»}\n",
		"type parameters":      "func f[T interface{ ~int }](a T) {«\n\tx\n»}\n",
		"braces in literals":   "func f() {«\n\ta(\"}\", '}', `\n}\n`) // }\n\t/* } */\n»}\nvar x = 1\n",
		"no body":              "func f(a int) int\nvar x = T{\n\t1,\n}\n",
		"func inside a string": "var s = `\nfunc f() {\n\tx\n}\n`\n",
		"func inside of a var": "var f = map[int]func(){\n\t1: func() {\n\t\tx\n\t},\n}\n",
		"never closed":         "func f() {\n\tx\n",
		"open string":          "var s = \"abc\nfunc f() {\n\tx\n}\n",
		"not formatted":        "func f() {\n\tx\n\t}\nfunc g() {«\n\ty\n»}\n",
		"too large":            "func f() {\n" + strings.Repeat("\tx()\n", 60) + "}\n",
		"a cgo comment":        "/*\nvoid f() {\n}\nfunc x() {\n\ty\n}\n*/\nimport \"C\"\nfunc g() {«\n\ty\n»}\n",
		"carriage returns":     "func f() {«\r\n\tx\r\n»}\r\n",
		"nothing":              "",
	} {
		var content, want strings.Builder
		inside := false
		for _, r := range marked {
			switch r {
			case '«', '»':
				inside = r == '«'
				continue
			}
			content.WriteRune(r)
			if inside && r != '\n' && r != '\r' {
				r = ' '
			}
			want.WriteRune(r)
		}
		if got := string(elide([]byte(content.String()), 200)); got != want.String() {
			t.Errorf("%s: %q became\n%q, want\n%q", name, content.String(), got, want.String())
		}
	}
}
