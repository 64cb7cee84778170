package syntax

import (
	"strings"
	"testing"
)

// In these contents « and » enclose what has to become blank. Functions of
// 200 bytes and braces of 60 are elided.
func TestElide_TakesAwayWhatIsNotLookedAt(t *testing.T) {
	for name, marked := range map[string]string{
		"a body":               "func f() {«\n\tcall(1)\n»}\n",
		"on one line":          "func f() int {« return 1 »}\n",
		"a method":             "func (s *S[T]) f(a int) (b error) {«\n\tx\n»}",
		"types in the result":  "func f() interface{} {«\n\tx\n»}\nfunc g() struct{« a int »} {«\n\ty\n»}\n",
		"type parameters":      "func f[T interface{« ~int »}](a T) {«\n\tx\n»}\n",
		"braces in literals":   "func f() {«\n\ta(\"}\", '}', `\n}\n`, '\\'') // }\n\t/* } */\n»}\nvar x = 1\n",
		"no body":              "func f(a int) int\nvar x = T{«\n\t1,\n»}\n",
		"func inside a string": "var s = `\nfunc f() {\n\tx\n}\n`\n",
		"never closed":         "func f() {\n\tx\n",
		"closed twice":         "func f() {\n\tx\n}}\n",
		"closed by another":    "func f() {\n\tx(1]\n}\n",
		"open string":          "var s = \"abc\nfunc f() {\n\tx\n}\n",
		"a function that fits": "func f() {«\n" + strings.Repeat("\tx()\n", 30) + "»}\n",
		"too large a function": "func f() {\n" + strings.Repeat("\tx()\n", 60) + "\tif a {«\n\t\tb()\n\t»}\n}\n",
		"too large a variable": "var v = T{\n" + strings.Repeat("\t{«1, 2»},\n", 20) + "}\n",
		"a cgo comment":        "/*\nvoid f() {\n}\nfunc x() {\n\ty\n*/\nimport \"C\"\nfunc g() {«\n\ty\n»}\n",
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
		if got := string(elide([]byte(content.String()), 200, 60)); got != want.String() {
			t.Errorf("%s: %q became\n%q, want\n%q", name, content.String(), got, want.String())
		}
	}
}
