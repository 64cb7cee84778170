package document_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestMetadataIsPacked_ComesBackAndIsEqualHoweverItWasGiven(t *testing.T) {
	m := document.Metadata{"team": {"payments & co", "a=b"}, "kind": {"core"}, "who": {"Zoë\u2028"}}
	p := m.Packed()
	if strings.ContainsFunc(string(p), func(r rune) bool { return r <= ' ' || r > '~' }) {
		t.Errorf("%q is no header", p)
	}
	if back := p.Metadata(); !maps.EqualFunc(m, back, func(a, b []string) bool {
		return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
	}) {
		t.Errorf("came back as %v", back)
	}
	other := document.Metadata{"who": {"Zoë\u2028"}, "kind": {"core", "core"}, "team": {"a=b", "payments & co"}}
	if p != other.Packed() {
		t.Errorf("%q and %q", p, other.Packed())
	}
	for _, c := range []struct {
		asked document.Metadata
		fits  bool
	}{
		{nil, true},
		{document.Metadata{"kind": {"core"}}, true},
		{document.Metadata{"kind": {"cor"}}, false},
		{document.Metadata{"kind": {"x", "core"}, "team": {"a=b"}}, true},
		{document.Metadata{"kind": {"core"}, "team": {"b"}}, false},
		{document.Metadata{"ind": {"core"}}, false},
	} {
		if p.Fits(c.asked) != c.fits {
			t.Errorf("%v: %t", c.asked, !c.fits)
		}
	}
	if !p.Has("team") || p.Has("tea") || document.PackedMetadata("").Has("") {
		t.Error("which keys there are is not told right")
	}
}

func TestMetadataIsWrong_TheErrorNamesTheKeyAndTheLimit(t *testing.T) {
	many := document.Metadata{}
	for i := range 17 {
		many[string(rune('a'+i))] = []string{"x"}
	}
	for _, c := range []struct {
		m    document.Metadata
		says string
	}{
		{document.Metadata{"Team": {"x"}}, `"Team"`},
		{document.Metadata{"-a": {"x"}}, `"-a"`},
		{document.Metadata{"": {"x"}}, `""`},
		{document.Metadata{"team": {}}, "team has no value"},
		{document.Metadata{"team": {""}}, "team"},
		{document.Metadata{"team": {"a\nb"}}, "one line"},
		{document.Metadata{"team": {"\xff"}}, "team"},
		{many, "17 keys"},
		{document.Metadata{"team": {strings.Repeat("x", 2050)}}, "2054 bytes"},
	} {
		if err := c.m.Check(); document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: %v", c.m, err)
		}
	}
	if err := (document.Metadata{"team": {"payments"}, "_x-1": {"Ü"}}).Check(); err != nil {
		t.Error(err)
	}
}
