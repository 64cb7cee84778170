package trigram

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"strings"
	"testing"
)

func needOf(t *testing.T, expression string) Need {
	t.Helper()
	tree, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		t.Fatal(err)
	}
	return Of(tree)
}

// matchesLine is what a search for lines does, by the plainest of readings.
func matchesLine(is *regexp.Regexp, text string) bool {
	for line := range strings.Lines(text) {
		if is.MatchString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")) {
			return true
		}
	}
	return false
}

// Whatever matches is met: expressions and texts are drawn of few letters, so that
// they do match.
func TestMatchingText_IsNotPassedOver(t *testing.T) {
	rng, maker := rand.New(rand.NewPCG(4, 2)), NewMaker()
	matched, passed := 0, 0
	for range 3000 {
		expression := draw(rng, 3)
		is, err := regexp.Compile(expression)
		if err != nil {
			continue // a class from a letter to one before it
		}
		need := needOf(t, expression)
		for range 10 {
			text := drawText(rng)
			met := need.Met(maker.Sign([]byte(text)))
			if matchesLine(is, text) {
				if matched++; !met {
					t.Fatalf("%q matches a line of %q, which is passed over", expression, text)
				}
			} else if !met {
				passed++
			}
		}
	}
	if matched < 1000 || passed < 1000 {
		t.Errorf("%d matched and %d were passed over, which tells little", matched, passed)
	}
}

var letters = []string{"a", "b", "C", "k", "S", "é", "\u212a", "ſ", "_", " ", "�"}

func draw(rng *rand.Rand, depth int) string {
	pick := func() string { return letters[rng.IntN(len(letters))] }
	word := func() (out string) {
		for range 1 + rng.IntN(5) {
			out += pick()
		}
		return out
	}
	if depth == 0 {
		return word()
	}
	sub := func() string { return draw(rng, depth-1) }
	switch rng.IntN(14) {
	case 0:
		return "(?:" + sub() + "|" + sub() + ")"
	case 1:
		return "(" + sub() + ")" + []string{"?", "*", "+", "{2}", "{0,2}", "{1,}", "+?"}[rng.IntN(7)]
	case 2:
		return "(?i:" + sub() + ")"
	case 3:
		return "[" + pick() + pick() + "]" + sub()
	case 4:
		return sub() + "[^" + pick() + "]"
	case 5:
		return "^" + sub()
	case 6:
		return sub() + "$"
	case 7:
		return sub() + "." + sub()
	case 8:
		return sub() + ".*" + sub()
	case 9:
		return `\b` + sub()
	case 10:
		return "(?i:[" + pick() + "-" + "z])" + sub()
	case 11:
		return sub() + `\w` + word()
	}
	return sub() + sub()
}

func drawText(rng *rand.Rand) string {
	var b strings.Builder
	for range rng.IntN(120) {
		switch n := rng.IntN(len(letters) + 3); {
		case n < len(letters):
			b.WriteString(letters[n])
		case n == len(letters):
			b.WriteString("\n")
		case n == len(letters)+1:
			b.WriteString("\r\n")
		default:
			b.WriteByte(0xff) // matches the replacement character
		}
	}
	return b.String()
}

func TestExpression_IsTakenForWhatItNeeds(t *testing.T) {
	text := "package os\n\nfunc ReadFile(name string) ([]byte, error) {\n\treturn nil, ErrNotExist\n}\n"
	s := NewMaker().Sign([]byte(text))
	for expression, want := range map[string]string{
		"ReadFile":                     "met",
		"readfile":                     "met", // case is not kept
		"WriteFile":                    "not",
		"(Read|Write)File":             "met",
		"(Open|Write)Files?":           "not",
		"func .*Zebra":                 "not",
		"func [A-Z]\\w+\\(name":        "met",
		"fun[abc] Read":                "met",
		"fun[abd] Read":                "not",
		"(?i)READFILE":                 "met",
		"(?i)WRITEFILE":                "not",
		"Read(File)+":                  "met",
		"Read(Fire)+":                  "not",
		"Read(Fire)*":                  "met",
		"x*y?":                         "any",
		"ab":                           "any",
		".*":                           "any",
		"foo|.":                        "any",
		"[a-z]+[0-9]":                  "any",
		"":                             "any",
		"^package os$":                 "met",
		"error. {":                     "met",
		"(?:abc|def|ghi)(?:x|yz)q":     "not",
		strings.Repeat("[ab]c", 40):    "not",
		strings.Repeat("zebra ", 2000): "not",
	} {
		need := needOf(t, expression)
		got := map[bool]string{true: "met", false: "not"}[need.Met(s)]
		if need.Any() {
			got = "any"
		}
		if got != want {
			t.Errorf("%.40q: %s, want %s", expression, got, want)
		}
	}
}

// What a text does not hold seems to be there seldom.
func TestSignature_IsSmallAndSeldomHasTooMuch(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	maker := NewMaker()
	seeming := 0
	const texts, asked = 50, 400
	for range texts {
		text := make([]byte, 500+rng.IntN(20_000))
		for i := range text {
			text[i] = byte('a' + rng.IntN(26))
		}
		s := maker.Sign(text)
		if s.size() > int64(len(text)) {
			t.Fatalf("%d bytes for a text of %d", s.size(), len(text))
		}
		for range asked {
			g := fmt.Sprintf("%c%c%c", '0'+rng.IntN(10), 'a'+rng.IntN(26), 'a'+rng.IntN(26))
			if s.blocks[0].has(gramsOf(g)[0]) {
				seeming++
			}
		}
	}
	if share := float64(seeming) / (texts * asked); share > .1 {
		t.Errorf("%.3f of what is not there seems to be", share)
	}
}

// A maker is used again for one text after another.
func TestMakerUsedAgain_KeepsNoTrigramOfTheTextBefore(t *testing.T) {
	maker := NewMaker()
	maker.Sign(bytes.Repeat([]byte("walrus "), 100))
	if s := maker.Sign(nil); needOf(t, "wal").Met(s) {
		t.Error("an empty text has a trigram")
	}
	a, b := maker.Sign([]byte("one line")), NewMaker().Sign([]byte("one line"))
	if fmt.Sprint(a) != fmt.Sprint(b) {
		t.Error("the same text has another signature")
	}
}

// A line of a long text lies in one block, however long it is.
func TestMatchAcrossBlocks_IsNotPassedOver(t *testing.T) {
	maker := NewMaker()
	for _, before := range []int{0, blockBytes - 10, blockBytes - 1, blockBytes, blockBytes + 1, 3*blockBytes - 5} {
		for _, breaks := range []string{"x", "x x\n"} {
			text := strings.Repeat(breaks, before/len(breaks)) + " a walrus in the middle\n" + strings.Repeat("y\n", blockBytes)
			if s := maker.Sign([]byte(text)); !needOf(t, "walrus in the mid+le$").Met(s) || needOf(t, "walrus.*zebra").Met(s) {
				t.Errorf("behind %d bytes of %q", before, breaks)
			}
		}
	}
}

func BenchmarkSign(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 9))
	text := make([]byte, 9<<10)
	for i := range text {
		text[i] = "abcdefghijklmnopqrstuvwxyz (){}\n\t"[min(rng.IntN(33), rng.IntN(33))]
	}
	maker := NewMaker()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		maker.Sign(text)
	}
}
