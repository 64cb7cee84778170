package reading

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
)

// show puts a reading into one line.
func show(r *Reading) string {
	var parts []string
	for _, c := range r.Must {
		parts = append(parts, "+"+c.String())
	}
	for _, a := range r.Without {
		parts = append(parts, "-"+a.String())
	}
	for _, f := range r.Filters {
		parts = append(parts, f.String())
	}
	for _, f := range r.Left {
		parts = append(parts, "-"+f.String())
	}
	return fmt.Sprintf("%s|%s", r.Text, strings.Join(parts, " "))
}

func TestOperator_IsReadAsWritten(t *testing.T) {
	for question, want := range map[string]string{
		// Filters.
		"parse lang:go an path:pkg/ address source:api kind:function": "parse an address|lang:go path:pkg/ source:api kind:function",
		`find path:"my dir/a b" now`:                                  `find now|path:"my dir/a b"`,
		"a -path:vendor/ -lang:go NOT kind:method":                    "a|-path:vendor/ -lang:go -kind:method",
		"a lang:go": "a|lang:go",
		// Text in quotes.
		`"connection refused"`:           `connection refused|+"connection refused"`,
		`retry "connection refused" now`: `retry connection refused now|+"connection refused"`,
		`retry "a  b"i`:                  `retry a  b|+"a  b"i`,
		`what says "no such host"?`:      `what says no such host?|+"no such host"`,
		`"//---"`:                        `//---|+"//---"`,
		// A sentence has quotation marks and dashes of its own.
		`where is a "cache" kept that others -wrongly- call the buffer of a stream path:a`: `where is a "cache" kept that others -wrongly- call the buffer of a stream|path:a`,
		`one two three four five six seven eight "b c"`:                                    `one two three four five six seven eight b c|+"b c"`,
		`say "a \"b\" c" x`: `say a \"b\" c x|+"a \"b\" c"`,
		// What is left out.
		"jaguar -car":              "jaguar|-car",
		`jaguar -"fast car" x`:     `jaguar x|-"fast car"`,
		"jaguar NOT car":           "jaguar|-car",
		"jaguar -(car OR animal)":  "jaguar|-car -animal",
		`jaguar NOT "a car" speed`: `jaguar speed|-"a car"`,
		"-test retry":              "retry|-test",
		// Alternatives.
		"(retry OR backoff) policy":      "retry backoff policy|+(retry OR backoff)",
		`(retry OR "back off") policy`:   `retry back off policy|+(retry OR "back off")`,
		"retry|backoff policy":           "retry backoff policy|+(retry OR backoff)",
		`"a b"|"c d" e`:                  `a b c d e|+("a b" OR "c d")`,
		"policy retry OR backoff":        "policy retry backoff|+(retry OR backoff)",
		"policy retry OR backoff OR jit": "policy retry backoff jit|+(retry OR backoff OR jit)",
		// References.
		"refs:ReadFile":                "ReadFile|+refs:ReadFile",
		"refs:os.ReadFile -path:test/": "os.ReadFile|+refs:ReadFile -path:test/",
	} {
		if got := show(Read(question)); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
}

func TestPastedLine_IsLeftWhole(t *testing.T) {
	for _, line := range []string{
		"path::Path join", "file:x.go language:go", "Lang:go x", "what is lang: for", "xlang:go", "a  b\tc", `x path:"my dir`,
		"a - b", "don't stop", "x->y", "go test --race ./...", "i - 1", "x = a|b", "f(a OR b)", "ls | grep x", "a || b", "the - dash",
		`fmt.Println("hello world")`, `t.Errorf("got %d", n)`, `6" by 4" board`, `"a`, `a " b`, `""`, `" "`,
		"grep -r foo", "rm -rf ./x", "tar -x -f a", "if a && !b { return -1 }", "return -x", "git commit -m wip", "[a -b c]", "x := y -z",
		"column IS NOT NULL", "SELECT A OR B", "NOT", "OR", "a OR", "OR a", "what is -5 degrees", "NOT NULL", "a NOT", "a -", "- a",
		"(a b OR c)", "()", "(a)", "(a OR)", "one\n-two \"three\"", "refs:3x", "refs: x", "refs:a?b",
	} {
		r := Read(line)
		if r.Text != line && strings.TrimSpace(line) == line || r.Narrows() || len(r.Filters)+len(r.Left) > 0 {
			t.Errorf("%s\nis read as %s", line, show(r))
		}
	}
}

// What stands in quotes in a pasted line is in the line, too.
func TestPastedLine_IsAHitOfItself(t *testing.T) {
	for _, line := range []string{
		`import "os/exec"`, `return "say \"hi\" \\"`, `x = "a" "b"`, `echo "a b" "c"`, `{"key": "value", "b": "c"}`, `int|str`, `"a"i "b"I`,
		`a "b" + "c"`, `(int|str) x`, `if "a" in b and "c" in d`, `case "a", "b":`,
	} {
		if r := Read(line); !r.Holds([]byte("\t" + line + "\n")) {
			t.Errorf("%s does not hold %s", line, show(r))
		}
	}
}

func TestWord_IsHeldOnlyWhereItIsItself(t *testing.T) {
	for _, c := range []struct {
		is         int
		text, held string
		want       bool
	}{
		{Word, "test", "a Test.", true}, {Word, "test", "TestRetry", true}, {Word, "test", "retry_test.go", true}, {Word, "test", "parseTest(", true},
		{Word, "test", "latest", false}, {Word, "test", "tests", false}, {Word, "test", "testing", false}, {Word, "http", "HTTPServer", true},
		{Word, "server", "HTTPServer", true}, {Word, "erver", "HTTPServer", false}, {Word, "über", "Über", true}, {Word, "a.b", "x a.b y", true},
		{Word, "字", "漢字", true},
		{Name, "Read", "Read(", true}, {Name, "Read", "os.Read", true}, {Name, "Read", "ReadFile", false}, {Name, "Read", "read", false},
		{Name, "Read", "x_Read Read", true}, {Name, "Read", "Readß", false},
		{Verbatim, "a  b", "xa  bx", true}, {Verbatim, "a b", "a  b", false}, {Verbatim, "a b", "A b", false}, {Verbatim, `a \"b\"`, `a "b"`, true},
	} {
		a := Atom{Text: c.text, Is: c.is}
		if got := a.In([]byte(c.held)); got != c.want {
			t.Errorf("%q in %q: %t", c.text, c.held, got)
		}
	}
	if a := (Atom{Text: "a B", Is: Verbatim, AnyCase: true}); !a.In([]byte("xA bx")) {
		t.Error("any case is one case")
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"lang:go parse", `path:"a b" x`, "path::Path", "  a  lang:go  b ", `a "b c"i -d NOT "e" (f OR "g") h|i refs:J`, `"a" OR b OR c`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, question string) {
		r := Read(question)
		if r.Typed != strings.TrimFunc(r.Typed, unicode.IsSpace) {
			t.Fatalf("%q: %q has white space around it", question, r.Typed)
		}
		again := Read(r.Typed)
		if len(again.Filters)+len(again.Left)+len(again.Refs) > 0 {
			t.Fatalf("%q: %q has filters again: %s", question, r.Typed, show(again))
		}
		for _, c := range r.Must {
			for _, a := range c {
				if a.Text == "" || a.Is != Name && !strings.Contains(question, a.Text) {
					t.Fatalf("%q: %q was made up", question, a.Text)
				}
			}
		}
	})
}
