package grep

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// texts have what line-wise search gets wrong.
var texts = map[string]string{
	"empty":       "",
	"break":       "\n",
	"breaks":      "\n\nfoo\n\n\n",
	"no-end":      "foo\nbar foo",
	"crlf":        "foo\r\nbar\r\n\r\nfoo bar\r\nlast foo",
	"lone-cr":     "foo\rbar\nfoo\r\r\nend\r",
	"nul":         "foo\x00bar\nbar\x00\nfoo\n",
	"words":       "foo foo_bar foobar\nxfoo foo\n(foo)\nfoo-foo foo.foo\nfoo2\näfoo\nfoo ä foo\n",
	"cases":       "Foo\nfOO BAR\nstraße STRASSE\nKelvin K\n",
	"latin1":      "caf\xe9 foo\n\xff\xfe\nfoo \xe9\n",
	"tabs":        "\tfoo\n  foo  \nfoo\t\n",
	"adjacent":    "foofoo\nfoo foo foo\n",
	"brackets":    "a[0]\nf(x)\na.b\naxb\n$1 ^2\n",
	"replacement": "\uFFFD foo\n",
}

var patterns = []contract.GrepRequest{
	{Pattern: "foo"}, {Pattern: "^foo"}, {Pattern: "foo$"}, {Pattern: "^foo$"}, {Pattern: "^$"}, {Pattern: "."},
	{Pattern: "fo+"}, {Pattern: "(foo|bar)"}, {Pattern: "foo|bar"}, {Pattern: "f.o"}, {Pattern: "x*"}, {Pattern: `\bfoo\b`},
	{Pattern: "foo.*bar"}, {Pattern: `[^f]oo`}, {Pattern: `\s+$`}, {Pattern: "bar$"}, {Pattern: "(?i)FOO"}, {Pattern: `\x00`},
	{Pattern: "foo", IgnoreCase: true}, {Pattern: "straße", IgnoreCase: true}, {Pattern: "k", IgnoreCase: true},
	{Pattern: "foo", Word: true}, {Pattern: "foo", Word: true, IgnoreCase: true}, {Pattern: "foo|bar", Word: true}, {Pattern: "x*", Word: true},
	{Pattern: "(foo)", Word: true}, {Pattern: `\(foo`, Word: true},
	{Pattern: "foo", Invert: true}, {Pattern: "^$", Invert: true}, {Pattern: "foo", Word: true, Invert: true},
	{Pattern: "a[0]", Fixed: true}, {Pattern: "a.b", Fixed: true}, {Pattern: "f(x)", Fixed: true}, {Pattern: "A.B", Fixed: true, IgnoreCase: true},
	{Pattern: "foo", Fixed: true, Word: true}, {Pattern: "$1", Fixed: true}, {Pattern: "foo", Fixed: true, Invert: true}, {Pattern: "\uFFFD", Fixed: true},
	{Pattern: "\uFFFD"}, {Pattern: `[\x{FFFD}]`},
}

// want is a line as the reference has it.
type want struct {
	line   int
	offset int
	text   string
}

// reference cuts a text into lines in the plainest way, and asks of each in turn.
func reference(in contract.GrepRequest, text string) (out []want) {
	expression := in.Pattern
	if in.Fixed {
		expression = regexp.QuoteMeta(expression)
	}
	if in.IgnoreCase {
		expression = "(?i)" + expression
	}
	re := regexp.MustCompile(expression)
	offset := 0
	for i, line := range strings.SplitAfter(text, "\n") {
		if line == "" {
			break // behind the last break
		}
		bare := line
		if cut, ok := strings.CutSuffix(line, "\n"); ok {
			bare = strings.TrimSuffix(cut, "\r")
		}
		has := re.MatchString(bare)
		if in.Fixed && !in.IgnoreCase {
			has = strings.Contains(bare, in.Pattern) // of bytes that are no text, too
		}
		if in.Word {
			has = hasWord(expression, bare)
		}
		if has != in.Invert {
			out = append(out, want{i + 1, offset, bare})
		}
		offset += len(line)
	}
	return out
}

// hasWord tries every part of a line whether all of it matches, between what is in
// no word.
func hasWord(expression, line string) bool {
	whole := regexp.MustCompile(`^(?:` + expression + `)$`)
	inWord := func(r rune) bool {
		return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.Nd)
	}
	for from := 0; from <= len(line); from++ {
		before, _ := utf8.DecodeLastRuneInString(line[:from])
		if from > 0 && inWord(before) || from < len(line) && !utf8.RuneStart(line[from]) {
			continue
		}
		for to := from; to <= len(line); to++ {
			behind, _ := utf8.DecodeRuneInString(line[to:])
			if (to == len(line) || !inWord(behind)) && whole.MatchString(line[from:to]) {
				return true
			}
		}
	}
	return false
}

func checked(t *testing.T, in contract.GrepRequest) *job {
	t.Helper()
	j, err := parse(in, mostRoom)
	if err != nil {
		t.Fatalf("%+v: %v", in, err)
	}
	return j
}

func linesOf(found found) (out []want) {
	for _, l := range found.lines {
		if !l.Context {
			out = append(out, want{l.Line, int(l.Offset), shown(l)})
		}
	}
	return out
}

func shown(l contract.GrepLine) string {
	if l.Bytes != nil {
		return string(l.Bytes)
	}
	return l.Text
}

func TestLines_AreThoseOfAPlainScan(t *testing.T) {
	for _, in := range patterns {
		for name, text := range texts {
			found, ok := checked(t, in).search(context.Background(), []byte(text), true)
			expect := reference(in, text)
			if got := linesOf(found); !ok || !slices.Equal(got, expect) || found.count != len(expect) {
				t.Errorf("%+v in %s: got %d %+v, want %+v", in, name, found.count, got, expect)
			}
		}
	}
}

// What is marked as a match is one, and all of a line's are.
func TestEveryMatch_IsMarked(t *testing.T) {
	for _, c := range []struct {
		in   contract.GrepRequest
		line string
		want []string
	}{
		{contract.GrepRequest{Pattern: "foo"}, "foofoo xfoo", []string{"0:foo", "3:foo", "8:foo"}},
		{contract.GrepRequest{Pattern: "fo+|b"}, "foob fo", []string{"0:foo", "3:b", "5:fo"}},
		{contract.GrepRequest{Pattern: "x*"}, "axxa", []string{"1:xx"}},
		{contract.GrepRequest{Pattern: "^foo"}, "foofoo", []string{"0:foo"}},
		{contract.GrepRequest{Pattern: "foo", Word: true}, "foo foo_ foo-foo", []string{"0:foo", "9:foo", "13:foo"}},
		{contract.GrepRequest{Pattern: "^foo", Word: true}, "foo foo", []string{"0:foo"}},
		{contract.GrepRequest{Pattern: "x*", Word: true}, " x  xx", []string{"1:x", "4:xx"}},
		{contract.GrepRequest{Pattern: "FOO", IgnoreCase: true}, "é foo", []string{"3:foo"}},
		{contract.GrepRequest{Pattern: "foo", Invert: true}, "bar", nil},
	} {
		found, _ := checked(t, c.in).search(context.Background(), []byte(c.line), true)
		var got []string
		for _, r := range found.lines[0].Matches {
			got = append(got, fmt.Sprintf("%d:%s", r.Start, c.line[r.Start:r.End]))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v in %q: %q, want %q", c.in, c.line, got, c.want)
		}
	}
}

func TestContext_IsThereOnce(t *testing.T) {
	const text = "1\n2 foo\n3\n4\n5 foo\n6 foo\n7\n8\n9\n10\n11 foo\n12"
	for _, c := range []struct {
		in   contract.GrepRequest
		want string
	}{
		{contract.GrepRequest{Before: 1}, "1- 2: 4- 5: 6: 10- 11:"},
		{contract.GrepRequest{After: 1}, "2: 3- 5: 6: 7- 11: 12-"},
		{contract.GrepRequest{Before: 2, After: 2}, "1- 2: 3- 4- 5: 6: 7- 8- 9- 10- 11: 12-"},
		{contract.GrepRequest{Before: 100, After: 100}, "1- 2: 3- 4- 5: 6: 7- 8- 9- 10- 11: 12-"},
		{contract.GrepRequest{After: 1, MaxCount: 2}, "2: 3- 5: 6-"},
	} {
		c.in.Pattern = "foo"
		found, _ := checked(t, c.in).search(context.Background(), []byte(text), true)
		var got []string
		for _, l := range found.lines {
			number, _, _ := strings.Cut(l.Text, " ")
			if number != fmt.Sprint(l.Line) || text[l.Offset:int(l.Offset)+len(l.Text)] != l.Text {
				t.Errorf("line %d at %d is %q", l.Line, l.Offset, l.Text)
			}
			got = append(got, fmt.Sprint(l.Line)+map[bool]string{true: "-", false: ":"}[l.Context])
		}
		if s := strings.Join(got, " "); s != c.want {
			t.Errorf("-B%d -A%d: %s, want %s", c.in.Before, c.in.After, s, c.want)
		}
	}
}

func TestLongLine_IsShownWithItsMatch(t *testing.T) {
	line := strings.Repeat("ä", 5000) + "needle" + strings.Repeat("ö", 5000)
	for _, most := range []int{1, 2, 3, 8, 100, 4096} {
		found, _ := checked(t, contract.GrepRequest{Pattern: "needle", LineBytes: most}).search(context.Background(), []byte(line+"\n"), true)
		l := found.lines[0]
		text := shown(l)
		if l.From+len(text)+l.Left != len(line) || line[l.From:l.From+len(text)] != text || len(text) > most {
			t.Fatalf("of %d bytes, %d are shown from %d, and %d are left", len(line), len(text), l.From, l.Left)
		}
		if most < 8 {
			continue
		}
		if m := l.Matches; len(m) != 1 || text[m[0].Start:m[0].End] != "needle" || !utf8.ValidString(text) {
			t.Errorf("%d bytes: matches %+v in %q", most, m, text)
		}
	}
}

// Where the program rg is at hand, it finds the same lines.
func TestLines_AreThoseOfRipgrep(t *testing.T) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		t.Log("rg is not in PATH: the plain scan is what lines are held against")
		return
	}
	dir := t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, in := range patterns {
		if in.Pattern == `\bfoo\b` || in.Pattern == "x*" && in.Word {
			continue // in RE2 a word of \b is ASCII; before a carriage return rg has an empty word
		}
		for name, text := range texts {
			if name == "lone-cr" || strings.Contains(in.Pattern, "FFFD") || in.Pattern == "\uFFFD" || !utf8.ValidString(text) {
				continue // rg ends lines, and takes bytes that are no text, in its own way
			}
			got := ripgrep(t, rg, in, filepath.Join(dir, name))
			found, _ := checked(t, in).search(context.Background(), []byte(text), true)
			if ours := linesOf(found); !slices.Equal(ours, got) {
				t.Errorf("%+v in %s: %+v, rg has %+v", in, name, ours, got)
			}
		}
	}
}

func ripgrep(t *testing.T, rg string, in contract.GrepRequest, file string) (out []want) {
	t.Helper()
	args := []string{"--json", "--text", "--crlf", "--no-config", "--encoding", "none"}
	for flag, on := range map[string]bool{"-F": in.Fixed, "-i": in.IgnoreCase, "-w": in.Word, "-v": in.Invert} {
		if on {
			args = append(args, flag)
		}
	}
	var stderr bytes.Buffer
	cmd := exec.Command(rg, append(args, "-e", in.Pattern, file)...)
	cmd.Stderr = &stderr
	js, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("rg %+v: %v: %s", in, err, stderr.String())
	}
	for line := range bytes.Lines(js) {
		var m struct {
			Type string
			Data struct {
				Lines struct {
					Text  string
					Bytes []byte
				}
				Number int `json:"line_number"`
				Offset int `json:"absolute_offset"`
			}
		}
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatal(err)
		}
		if m.Type == "match" {
			text := m.Data.Lines.Text + string(m.Data.Lines.Bytes)
			if cut, ok := strings.CutSuffix(text, "\n"); ok {
				text = strings.TrimSuffix(cut, "\r")
			}
			out = append(out, want{m.Data.Number, m.Data.Offset, text})
		}
	}
	return out
}
