package document

import "testing"

func TestNameOfACollection_SaysWhatItIsLike(t *testing.T) {
	for c, want := range map[Collection]struct {
		base Collection
		own  bool
	}{
		"code": {"code", false}, "docs": {"docs", false}, "docs-handbook": {"docs", true}, "code-tools2": {"code", true},
		"handbook": {"code", false}, "docs-": {"docs", false}, "docs-a-b": {"docs", false}, "docs-A": {"docs", false}, "other-a": {"code", false}, "": {"code", false},
	} {
		if got := c.Base(); got != want.base || c.Prose() != (want.base == CollectionDocs) {
			t.Errorf("%q is like %s, want %s", c, got, want.base)
		}
		if err := c.CheckOwn(); (err == nil) != want.own {
			t.Errorf("%q may be configured: %v", c, err)
		}
	}
	all := []Collection{CollectionCode, CollectionDocs, "docs-handbook"}
	for c, want := range map[Collection]Collection{"docs-handbook": "docs-handbook", "docs-gone": "docs", "code-gone": "code", "": "", "docs": "docs"} {
		if got := c.In(all); got != want {
			t.Errorf("%q is in %q, want %q", c, got, want)
		}
	}
}
