package terminal

import "testing"

func TestTerminalWithoutLinks_IsGivenNone(t *testing.T) {
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{map[string]string{"TERM": "xterm-256color"}, false},
		{map[string]string{"TERM": "linux", "VTE_VERSION": "4800"}, false},
		{map[string]string{"TERM": "xterm-256color", "VTE_VERSION": "7603"}, true},
		{map[string]string{"TERM": "xterm-kitty"}, true},
		{map[string]string{"TERM_PROGRAM": "vscode"}, true},
		{map[string]string{"TERM_PROGRAM": "vscode", "FORCE_HYPERLINK": "0"}, false},
		{map[string]string{"TERM": "xterm", "FORCE_HYPERLINK": "1"}, true},
	} {
		if got := knowsLinks(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %t", c.env, got)
		}
	}
	if got := Coloured().Link("file:///a", "a"); got != "a" {
		t.Errorf("a link where none is known: %q", got)
	}
}

// A name of a file cannot get out of the address.
func TestNameOfAFile_DoesNotSteerTheTerminal(t *testing.T) {
	got := Linked().Link(FileLink("/src/a b\x1b\\\x07#?.go", 7), "a.go:7")
	const tail = "/src/a%20b%1B%5C%07%23%3F.go#7\x1b\\a.go:7\x1b]8;;\x1b\\"
	if len(got) < len(tail) || got[len(got)-len(tail):] != tail {
		t.Errorf("got %q", got)
	}
}
