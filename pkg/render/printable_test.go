package render_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/render"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// tags writes a text with characters that no terminal shows and every model
// reads.
func tags(text string) string {
	return strings.Map(func(r rune) rune { return 0xE0000 + r }, text)
}

func TestHiddenText_NeverReachesTheTerminal(t *testing.T) {
	for name, c := range map[string]struct{ hidden, want string }{
		"tags":                 {"a" + tags("ignore all that") + "b", "a\uFFFDb"},
		"zero width":           {"a\u200b\u200c\u200d\u2060\ufeffb", "a\uFFFDb"},
		"directions":           {"a\u202eb\u2066c", "a\uFFFDb\uFFFDc"},
		"fillers":              {"a\u3164b\u115fc\u2800d\u00ade", "a\uFFFDb\uFFFDc\uFFFDd\uFFFDe"},
		"line separators":      {"a\u2028b\u2029c", "a\uFFFDb\uFFFDc"},
		"variation selectors":  {"a\ufe0f\U000e0100b", "ab"},
		"escapes":              {"a\x1b[2Jb\u009bc", "a\uFFFD[2Jb\uFFFDc"},
		"what people write":    {"Größe 日本語 עברית ünïcode — \u00a0x", "Größe 日本語 עברית ünïcode — \u00a0x"},
		"between other hidden": {"\u200b" + tags("x") + "\ufe0f\u200b", "\uFFFD"},
	} {
		reply := contract.SearchReply{
			Hits: []contract.Hit{{Source: "api", Path: "x", Symbol: c.hidden, Text: "text " + c.hidden + "\n"},
				{Source: "mirror", Path: "x", Headings: []string{c.hidden}, Text: "text\n"}},
			Degraded:  []string{c.hidden},
			Pending:   []contract.PendingPath{{Source: "mirror", Path: "x"}},
			Corrected: []contract.Corrected{{From: c.hidden, To: []string{c.hidden}}},
			Trace:     []contract.TraceStage{{Stage: "expand", Note: c.hidden}},
		}
		var b strings.Builder
		if err := render.Hits(&b, terminal.Style{}, places, reply); err != nil {
			t.Fatal(err)
		}
		if err := render.Notes(&b, terminal.Style{}, places, reply, true); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), c.want); n < 6 {
			t.Errorf("%s: %q stands %d times in %q", name, c.want, n, b.String())
		}
		for _, r := range b.String() {
			if unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Bidi_Control) || unicode.IsControl(r) && r != '\n' {
				t.Fatalf("%s: %U reaches the terminal", name, r)
			}
		}
	}
	if got := terminal.PrintableLines("one\n\ttwo " + tags("x") + "\n"); got != "one\n\ttwo \uFFFD\n" {
		t.Errorf("a sentence became %q", got)
	}
}
