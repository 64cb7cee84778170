package query

import (
	"fmt"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// Code in a language hardly ever has the word that names it, so that the few passages
// that do would come first.
func TestPassageThatNamesItsLanguage_DoesNotStandFirst(t *testing.T) {
	r := newRig(t)
	for i := range 9 {
		r.stored(fmt.Sprintf("lib/f%d.py", i), fmt.Sprintf("def f%d(path):\n    read(path)\n\n\ndef g%d(rows):\n    return count(rows)\n", i, i))
	}
	r.stored("table.py", "def load(path):\n    rows = read(path)\n    return rows\n")
	r.stored("about.py", "def about():\n    return python\n")
	reply := r.search(contract.SearchRequest{Query: "read rows in python"})
	if len(reply.Hits) == 0 || reply.Hits[0].Path != "table.py" {
		t.Errorf("%s", texts(reply))
	}
	if reply := r.search(contract.SearchRequest{Query: "in python"}); len(reply.Hits) == 0 || reply.Hits[0].Path != "about.py" {
		t.Errorf("where nothing else is asked: %s", texts(reply))
	}
}
