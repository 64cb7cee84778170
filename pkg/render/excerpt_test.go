package render_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// hit has the text without the brackets that stand around its matches.
func hit(text string, lines ...int) contract.Hit {
	h := contract.Hit{Source: "api", Path: "pkg/a.go", StartLine: 3, EndLine: 90, Line: 7, Lines: lines}
	for {
		before, rest, ok := strings.Cut(text, "[")
		h.Text += before
		if !ok {
			return h
		}
		var match string
		match, text, _ = strings.Cut(rest, "]")
		h.Matches = append(h.Matches, contract.Match{Start: len(h.Text), End: len(h.Text) + len(match)})
		h.Text += match
	}
}

// body is what is shown of a hit below its head, with brackets for the colour of
// a match.
func body(t *testing.T, s terminal.Style, h contract.Hit) string {
	t.Helper()
	var b bytes.Buffer
	if err := render.Hits(&b, s, places, contract.SearchReply{Hits: []contract.Hit{h}}); err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(b.String(), "\n")
	return strings.NewReplacer("\x1b[1;31m", "[", "\x1b[2m", "<", "\x1b[0m", "]").Replace(text)
}

func TestMatchOfALine_IsColoured(t *testing.T) {
	h := hit("\t[ReadFile](a\t[file])\n…\n\t\tüber \x1bc [file]\n\n\t\tend\n", 7, 0, 9, 10, 11)
	for s, want := range map[terminal.Style]string{
		terminal.Style{}:    "    ReadFile(a  file)\n    …\n      über \uFFFDc file\n      end\n",
		terminal.Coloured(): "    [ReadFile]<(a  ][file]<)]\n    <…]\n    <  über \uFFFDc ][file]\n    <  end]\n",
	} {
		if got := body(t, s, h); got != want {
			t.Errorf("got\n%q\nwant\n%q", got, want)
		}
	}
}

func TestMatchAtTheEndOfALongLine_IsSeen(t *testing.T) {
	long := strings.Repeat("é ", 200)
	for text, want := range map[string]string{
		"\t" + long + "[file]" + long: "é ][file]<é ",
		long + "[file]":               "é ][file]\n",
		"[file] " + long:              "    [file]< é ",
		strings.Repeat("[x] ", 200):   "    [x]< ][x]",
	} {
		if got := body(t, terminal.Coloured(), hit(text)); !strings.Contains(got, want) {
			t.Errorf("%q", got)
		}
		plain := body(t, terminal.Style{}, hit(text))
		if n := len([]rune(plain)); n > len("    ")+110+len("\n") || !strings.Contains(plain, "…") {
			t.Errorf("%d characters: %q", n, plain)
		}
	}
}

func TestDocumentOfSeveralHits_IsListedOnce(t *testing.T) {
	var b bytes.Buffer
	r := reply()
	r.Hits = append(r.Hits, r.Hits[0])
	if err := render.Paths(&b, terminal.Style{}, places, r); err != nil {
		t.Fatal(err)
	}
	if b.String() != "a.go\nmirror:README.md\n" {
		t.Errorf("%q", b.String())
	}
}
