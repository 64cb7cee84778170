package answers

import (
	"slices"
	"strings"
	"testing"
)

// split feeds a text in pieces of n bytes.
func split(text string, n int) (out []string) {
	var s Splitter
	for len(text) > n {
		out, text = append(out, s.Feed(text[:n])...), text[n:]
	}
	out = append(out, s.Feed(text)...)
	return append(out, s.Rest()...)
}

func TestSentence_EndsWhereItShould(t *testing.T) {
	for text, want := range map[string][]string{
		"One. Two.":                             {"One. ", "Two."},
		"It waits 1.5 s [1]. Then it ends [2].": {"It waits 1.5 s [1]. ", "Then it ends [2]."},
		"It waits. [1][2] It ends.":             {"It waits. [1][2] ", "It ends."},
		"It waits.[1] it ends.":                 {"It waits.[1] ", "it ends."},
		"Use e.g. bus.Connect for it [1].":      {"Use e.g. bus.Connect for it [1]."},
		"Two ways:\n- one [1]\n- two [2]\n":     {"Two ways:\n", "- one [1]\n", "- two [2]\n"},
		"So:\n\n```go\na. B\nc\n```\nDone. Yes": {"So:\n\n", "```go\na. B\nc\n```\n", "Done. ", "Yes"},
		"He said \"stop.\" Then [1].":           {"He said \"stop.\" ", "Then [1]."},
		"Really? [1] Yes! [2]":                  {"Really? [1] ", "Yes! [2]"},
		"  \n":                                  {"  \n"},
		"An index a[1] is read [2].":            {"An index a[1] is read [2]."},
		"":                                      nil,
	} {
		for n := 1; n <= max(len(text), 1); n++ {
			if got := split(text, n); !slices.Equal(got, want) {
				t.Errorf("%q in pieces of %d: got %q, want %q", text, n, got, want)
			}
		}
	}
}

func TestEndlessSentence_IsGivenInPieces(t *testing.T) {
	var s Splitter
	text, out := strings.Repeat("word ", 20_000), ""
	for i := 0; i < len(text); i += 4 {
		for _, piece := range s.Feed(text[i : i+4]) {
			if len(piece) > maxSentence {
				t.Fatalf("a sentence of %d bytes", len(piece))
			}
			out += piece
		}
	}
	if len(text)-len(out) > maxSentence+4 || out+strings.Join(s.Rest(), "") != text {
		t.Errorf("%d of %d bytes came while it was said", len(out), len(text))
	}
}

func FuzzSplitter_LosesNoText(f *testing.F) {
	f.Add("One. Two [1].\n\n```\ncode.\n```\nThree!", 3)
	f.Add("a.[1, 2][ 3] b? \"c.\" D", 1)
	f.Add("``", 1)
	f.Fuzz(func(t *testing.T, text string, n int) {
		if n < 1 || n > 64 {
			n = 1
		}
		pieces := split(text, n)
		if got := strings.Join(pieces, ""); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
		if whole := split(text, len(text)+1); !slices.Equal(pieces, whole) {
			t.Errorf("in pieces of %d: %q, at once: %q", n, pieces, whole)
		}
	})
}
