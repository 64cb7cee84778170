package mcpserver

import (
	"maps"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestEveryAction_HasWordsForAnAgent(t *testing.T) {
	said := slices.Sorted(maps.Keys(done))
	all := slices.Sorted(slices.Values(document.ActionKinds))
	if !slices.Equal(said, all) {
		t.Errorf("%v have words, the list is %v", said, all)
	}
	if got := todo(document.Action{Do: document.DoExplain, Path: "a b.go"}); got != "see why with `freshet explain 'a b.go'`" {
		t.Errorf("%s", got)
	}
	if got := sentence("It is wrong.", document.Acts(document.DoStatusShow, document.DoSourceAdd)); got != "It is wrong; call the tool status, or have the folder watched: `freshet source add PATH`" {
		t.Errorf("%s", got)
	}
}
