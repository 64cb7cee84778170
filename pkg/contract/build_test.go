package contract_test

import (
	"encoding/json"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestFieldsOfABuildNameOtherGenerationsThanItsHash(t *testing.T) {
	cut := contract.Cut{Target: 700, Max: 2800, Prose: 700, Overlap: 90}
	build := contract.NewBuild(cut, "words", "model", 256, "/models/own")
	for i, c := range document.Collections {
		want := contract.Generation(c, cut.Signature(), "model")
		if got := build.Generation(c); got != want || build.Generations()[i] != want || contract.BuildOf(want) != build.ID() {
			t.Errorf("the fields name %s, the hash is %s", got, want)
		}
	}
	js, err := json.Marshal(build)
	if err != nil {
		t.Fatal(err)
	}
	var read contract.Build
	if err := json.Unmarshal(js, &read); err != nil || read != build {
		t.Errorf("%+v is read back as %+v: %v", build, read, err)
	}
}

func TestFieldThatDiffersIsNotSaid(t *testing.T) {
	before := contract.NewBuild(contract.Cut{Target: 700}, "words", "model", 256, "")
	now := before
	now.Model = "/elsewhere" // the identity says which model it is
	if c := before.Changes(now); len(c) > 0 {
		t.Errorf("%+v differ", c)
	}
	now.Target, now.Embedder, now.Analyzer = 1400, "another", "more words"
	got := before.Changes(now)
	want := []contract.BuildChange{{Field: "chunker.target", Before: "700", Now: "1400"}, {Field: "analyzer", Before: "words", Now: "more words"}, {Field: "embedder", Before: "model", Now: "another"}}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%+v differ, want %+v", got, want)
	}
}
