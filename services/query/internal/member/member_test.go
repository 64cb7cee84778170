package member

import (
	"bytes"
	"fmt"
	"testing"
)

func TestName_IsFoundWhereItIsDefined(t *testing.T) {
	for what, c := range map[string]struct {
		lang, text string
		names      []string
		want       string
	}{
		"a comment names it before":    {"go", "// Run calls Stop.\nfunc Stop() {}\n\nfunc Run() {}", []string{"Stop", "Run"}, "[Stop:1 Run:3]"},
		"it is called before":          {"go", "func A() {\n\tRun()\n}\n\nvar b = Run()\n\nfunc Run() {}", []string{"A", "Run"}, "[A:0 Run:6]"},
		"another calls it in its line": {"go", "func (s setting) variable() string { return Variable(s.key) }\n\nfunc Variable() {}", []string{"setting.variable", "Variable"}, "[setting.variable:0 Variable:2]"},
		"it is a receiver before":      {"go", "func (s *Server) Serve() {}\n\ntype Server struct{}", []string{"Server", "Server.Serve"}, "[Server.Serve:0 Server:2]"},
		"another has a method of that name": {"go", "func (a A) String() string { return \"\" }\n\nfunc (b B) String() string { return \"\" }",
			[]string{"B.String", "A.String"}, "[A.String:0 B.String:2]"},
		"it is a part of another":    {"go", "func ReadFile() {}\n\nfunc Read() {}", []string{"Read"}, "[Read:2]"},
		"constants stand in a block": {"go", "const (\n\t// A is first.\n\tA = iota\n\tB\n)", []string{"A", "B"}, "[A:2 B:3]"},
		"two stand in one line":      {"go", "var a, b int", []string{"b", "a"}, "[a:0 b:0]"},
		"methods of a class":         {"python", "class Bed:\n    def rotate(self):\n        self.crop()\n    def crop(self):\n        pass", []string{"Bed", "rotate", "crop"}, "[Bed:0 rotate:1 crop:3]"},
		"a comment of that language": {"python", "# rotate it\ndef rotate():\n    pass", []string{"rotate"}, "[rotate:1]"},
		"it is no word":              {"cpp", "bool operator==(A a);", []string{"operator=="}, "[]"},
		"it does not stand there":    {"go", "x := 1", []string{"Run"}, "[]"},
	} {
		out := []string{}
		for _, p := range Places(bytes.Split([]byte(c.text), []byte("\n")), c.names, c.lang) {
			out = append(out, fmt.Sprintf("%s:%d", p.Name, p.Line))
		}
		if got := fmt.Sprint(out); got != c.want {
			t.Errorf("%s: %s, want %s", what, got, c.want)
		}
	}
}

func TestLine_BelongsToItsOwnName(t *testing.T) {
	lines := bytes.Split([]byte("package p\n"+
		"\n"+
		"// A is first.\n"+
		"func A() {\n"+
		"\tone()\n"+
		"}\n"+
		"// B is next.\n"+
		"// It has two lines.\n"+
		"func B() {\n"+
		"}\n"+
		"\n"+
		"// Of nothing.\n"+
		"\n"+
		"var a, b = 1, 2"), []byte("\n"))
	places := Places(lines, []string{"A", "B", "a", "b"}, "go")
	for line, want := range []string{"", "", "A", "A", "A", "A", "B", "B", "B", "B", "B", "B", "B", "a"} {
		got := ""
		if i := Of(places, lines, line); i >= 0 {
			got = places[i].Name
		}
		if got != want {
			t.Errorf("%q belongs to %s, want %s", lines[line], got, want)
		}
	}
	if got := Of(nil, lines, 3); got != -1 {
		t.Errorf("a line belongs to %d of no names", got)
	}
}
