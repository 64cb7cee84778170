package eval

import (
	"reflect"
	"slices"
	"testing"
)

// The lines are those that ripgrep 13 prints.
func TestGrepPassages_AreInTheOrderOfRipgrep(t *testing.T) {
	text := "/w/b/x:y.go\x003:heron\n/w/b/x:y.go\x003:Heron\n/w/b/x:y.go\x0020:pond\n/w/b/x:y.go\x0043:pond\n" +
		"/w/a/a.go\x001:pond\n/w/a/a.go\x002:pond\n/w/a/a.go\x003:pond\n" +
		"/w/a/z.go\x007:heron\n/w/a/z.go\x009:pond\n"
	var got []string
	for _, h := range grepped([]byte(text), []string{"/w/a", "/w/b"}, 10) {
		got = append(got, string(h.Source)+" "+Target{Path: h.Path, StartLine: h.StartLine, EndLine: h.EndLine}.String())
	}
	want := []string{"b x:y.go:3-20", "a z.go:7-9", "a a.go:1-3", "b x:y.go:43-43"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if n := len(grepped([]byte(text), nil, 2)); n != 2 {
		t.Errorf("%d passages of 2", n)
	}
}

func TestGrep_LooksForTheWordsOfTheQuestion(t *testing.T) {
	if got := grepWords("How does ParseIPv6 read the zone of an address (zone)?"); !slices.Equal(got, []string{"parseipv6", "read", "zone", "address"}) {
		t.Errorf("%q", got)
	}
}
