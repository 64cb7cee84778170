package split

import (
	"runtime"
	"strings"
	"testing"
)

// What a content is cut with is bounded by the number of parts that one may have, however
// it is made: contents of brackets, dashes and tags alone have a part every few bytes.
func TestContentsOfPartsAlone_TakeBoundedMemory(t *testing.T) {
	const size = 1 << 20
	const most = discarded * mostNodes * 1600 // bytes a part, all that was let go included
	of := func(part string) string { return strings.Repeat(part, size/len(part)) }
	for name, c := range map[string]struct{ lang, content string }{
		"brackets that never close":  {"json", of("[")},
		"braces that never close":    {"json", of(`{"a":`)},
		"brackets side by side":      {"json", of("[],")},
		"a section of a long name":   {"toml", "[" + of("a") + "]"},
		"numbers on a line":          {"json", "[" + of("1,") + "]"},
		"numbers on lines":           {"json", "[" + of("1,\n") + "]"},
		"JSON lines":                 {"json", of("{}\n")},
		"keys of one letter":         {"yaml", of("a:\n")},
		"items of one letter":        {"yaml", of("- a\n")},
		"items in items":             {"yaml", of("- ")},
		"documents of one letter":    {"yaml", of("---\na: b\n")},
		"tags that never close":      {"xml", of("<a>")},
		"tags that never end":        {"xml", of("<a ")},
		"elements side by side":      {"xml", of("<a/>")},
		"elements on lines":          {"xml", "<r>\n" + of("<a></a>\n") + "</r>"},
		"signs that are no tag":      {"xml", of("< ")},
		"types that never end":       {"xml", of("<!")},
		"statements of one letter":   {"sql", of("a;\n")},
		"texts that never end":       {"sql", of("$a")},
		"definitions of one letter":  {"graphql", of("type a\n")},
		"entries of a log":           {"log", of("00:00:00.0\n")},
		"blocks that never end":      {"org", of("#+begin_a\n")},
		"blocks of many kinds":       {"org", kinds("#+begin_", size)},
		"delimiters of many lengths": {"asciidoc", fencesOf('-', 3000)},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			content := []byte(c.content)
			runtime.ReadMemStats(&before)
			Split(c.lang, content, Options{})
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > most {
				t.Errorf("%d MiB of it take %d MiB in all, want at most %d", size>>20, got>>20, uint64(most)>>20)
			}
		})
	}
}

// kinds are lines that begin a block of a kind each.
func kinds(prefix string, size int) string {
	var b strings.Builder
	for n := 0; b.Len() < size; n++ {
		b.WriteString(prefix)
		for k := n; k > 0; k /= 26 {
			b.WriteByte('a' + byte(k%26))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// fencesOf are n delimiters of another length each.
func fencesOf(sign rune, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(string(sign), n-i+3))
		b.WriteString("\n")
	}
	return b.String()
}
