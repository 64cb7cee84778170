package corpora

import (
	"maps"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/lab/eval"
)

func TestEverySet_HasAFloor(t *testing.T) {
	floors, err := eval.ReadFloors("../eval/floors.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if have, want := slices.Sorted(maps.Keys(floors)), slices.Sorted(slices.Values(Names)); !slices.Equal(have, want) {
		t.Errorf("floors of %v, sets %v", have, want)
	}
	for set, list := range floors {
		if len(list) == 0 {
			t.Errorf("%s has none", set)
		}
	}
}
