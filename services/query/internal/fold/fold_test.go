package fold

import (
	"fmt"
	"strings"
	"testing"
)

// body is a text of so many distinct lines.
func body(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "\tvalue%d := compute(seed, %d)\n", i, i)
	}
	return b.String()
}

func TestTextWrittenTwice_IsSeenAsAlike(t *testing.T) {
	long := body(30)
	for name, c := range map[string]struct {
		text string
		like bool
		same bool
	}{
		"the same":                    {long, true, true},
		"with other spaces":           {strings.ReplaceAll(long, "\t", "    "), true, false},
		"with another line in it":     {long + "\tlog(value3)\n", true, false},
		"with another operator":       {strings.Replace(long, "value7 :=", "value7 =", 1), true, false},
		"with another half":           {body(15) + strings.ToUpper(body(15)), false, false},
		"as a part of a longer one":   {body(60), false, false},
		"as a part of another's text": {body(12), false, false},
	} {
		var texts Texts
		kept, other := Prepare([]byte(long)), Prepare([]byte(c.text))
		texts.Keep(&kept)
		got := texts.Like(&other)
		if (len(got) > 0) != c.like || c.like && got[0] != (Match{0, c.same}) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// Of short texts one other word is much: `return nil` is no copy of `return err`.
func TestShortTextThatDiffersInOneWord_IsNoCopy(t *testing.T) {
	for _, c := range [][2]string{{"return nil", "return err"}, {"", " "}, {"a b c d e f g h", "a b c d e f g x"}} {
		var texts Texts
		kept, other := Prepare([]byte(c[0])), Prepare([]byte(c[1]))
		texts.Keep(&kept)
		if got := texts.Like(&other); len(got) > 0 {
			t.Errorf("%q like %q: %+v", c[1], c[0], got)
		}
	}
}

// What is the same comes before what is alike, whichever was kept first.
func TestTextLikeSeveral_TheSameComesFirst(t *testing.T) {
	var texts Texts
	long := body(30)
	for _, text := range []string{long + "\tlog(1)\n", long + "\tlog(2)\n", long} {
		p := Prepare([]byte(text))
		texts.Keep(&p)
	}
	p := Prepare([]byte(long))
	got := texts.Like(&p)
	want := []Match{{2, true}, {0, false}, {1, false}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Records have the names of their fields in common, and each is compared with a few of
// them alone. The one that stands there twice is found all the same.
func TestThousandsOfRecords_AreComparedWithFew(t *testing.T) {
	record := func(i int) string {
		return fmt.Sprintf(`{"id": %d, "name": "item%d", "city": "town%d", "open": [%d, %d], "note": "made by %d of %d"}`, i, i, i%7, i*3, i*5, i*11, i*13)
	}
	var texts Texts
	most := 0
	for i := range 3000 {
		p := Prepare([]byte(record(i)))
		most = max(most, len(texts.near(&p)))
		texts.Keep(&p)
	}
	if most < compared/2 || most > 2*compared {
		t.Errorf("one is compared with %d of them", most)
	}
	twice := Prepare([]byte(record(1500) + " "))
	if got := texts.Like(&twice); len(got) != 1 || got[0].Of != 1500 {
		t.Errorf("what stands there twice is like %+v", got)
	}
}
