package contract_test

import (
	"reflect"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

func TestStoreThatLostSomething_IsRenamed(t *testing.T) {
	past := func(list ...contract.PastStore) []contract.PastStore { return list }
	line := contract.Lineage{Store: "c", Past: past(contract.PastStore{Store: "a", UpTo: 10}, contract.PastStore{Store: "b", UpTo: 20})}
	for name, c := range map[string]struct {
		from             contract.Lineage
		id               string
		position, newest uint64
		want             contract.Lineage
		renamed          bool
	}{
		"first store":                 {contract.Lineage{}, "a", 0, 0, contract.Lineage{Store: "a"}, false},
		"first store without a mark":  {contract.Lineage{}, "", 0, 0, contract.Lineage{Store: "new"}, true},
		"complete":                    {line, "c", 30, 30, line, false},
		"lost its last moments":       {line, "c", 25, 30, contract.Lineage{Store: "new", Past: append(line.Past[:2:2], contract.PastStore{Store: "c", UpTo: 25})}, true},
		"lost everything but its id":  {contract.Lineage{Store: "c"}, "c", 0, 30, contract.Lineage{Store: "new"}, true},
		"copy from before a renaming": {line, "b", 15, 20, contract.Lineage{Store: "new", Past: past(contract.PastStore{Store: "a", UpTo: 10}, contract.PastStore{Store: "b", UpTo: 15})}, true},
		// It went on under its old name after the copy that became c.
		"the old one itself": {line, "b", 99, 20, contract.Lineage{Store: "new", Past: past(contract.PastStore{Store: "a", UpTo: 10}, contract.PastStore{Store: "b", UpTo: 20})}, true},
		"wiped":              {line, "", 0, 30, contract.Lineage{Store: "new"}, true},
		"another one":        {line, "x", 1000, 0, contract.Lineage{Store: "new"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, renamed := c.from.Adopt(c.id, c.position, c.newest, "new")
			if !reflect.DeepEqual(got, c.want) || renamed != c.renamed {
				t.Errorf("got %+v (renamed: %v), want %+v (%v)", got, renamed, c.want, c.renamed)
			}
		})
	}
}

func TestListingOfALostStretch_DoesNotHold(t *testing.T) {
	l := contract.Lineage{Store: "b", Past: []contract.PastStore{{Store: "a", UpTo: 10}}}
	for _, c := range []struct {
		store string
		seq   uint64
		want  bool
	}{{"a", 10, true}, {"a", 11, false}, {"b", 11, true}, {"b", 1, true}, {"c", 1, false}, {"", 1, false}} {
		if got := l.Holds(c.store, c.seq); got != c.want {
			t.Errorf("a listing of %q at %d holds: %v", c.store, c.seq, got)
		}
	}
	if (contract.Lineage{}).Holds("", 1) {
		t.Error("without a store something holds")
	}
}
