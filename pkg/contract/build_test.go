package contract_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestFieldsOfABuild_NameTheGenerationsOfItsHash(t *testing.T) {
	cut := contract.Cut{Target: 700, Max: 2800, Prose: 700, Overlap: 90}
	build := contract.NewBuild(cut, "words", contract.Embedding{Embedder: "model", Dims: 256, Model: "/models/own"})
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
	if err := json.Unmarshal(js, &read); err != nil || !reflect.DeepEqual(read, build) {
		t.Errorf("%+v is read back as %+v: %v", build, read, err)
	}
}

// Of a server's model the fields are said, and the identity only where none tells.
func TestProviderThatDiffers_IsSaidByItsFields(t *testing.T) {
	local := contract.Embedding{Embedder: "static-1", Dims: 256}
	small := contract.Embedding{Embedder: "a", Dims: 1536, Model: "small", Provider: "openai", QueryPrefix: "none", PassagePrefix: "none", MaxTokens: 8191}
	moved, prefixed, other := small, small, small
	moved.URL = "https://elsewhere"
	prefixed.Embedder, prefixed.QueryPrefix = "b", "query: "
	other.Embedder = "c"
	for _, c := range []struct {
		before, now contract.Embedding
		want        []contract.BuildChange
	}{
		{local, small, []contract.BuildChange{{Field: "embedder.provider", Before: "static", Now: "openai"}, {Field: "embedder.model", Before: "bundled", Now: "small"}, {Field: "dimensions", Before: "256", Now: "1536"}}},
		{small, moved, nil},
		{small, prefixed, []contract.BuildChange{{Field: "embedder.query_prefix", Before: `"none"`, Now: `"query: "`}}},
		{small, other, []contract.BuildChange{{Field: "embedder", Before: "a", Now: "c"}}},
	} {
		before, now := contract.NewBuild(contract.Cut{}, "words", c.before), contract.NewBuild(contract.Cut{}, "words", c.now)
		if got := before.Changes(now); !slices.Equal(got, c.want) {
			t.Errorf("%+v and %+v differ in %v, want %v", c.before, c.now, got, c.want)
		}
	}
}

func TestFieldThatDiffers_IsSaid(t *testing.T) {
	before := contract.NewBuild(contract.Cut{Target: 700}, "words", contract.Embedding{Embedder: "model", Dims: 256})
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

// What one collection has of its own changes the names of its generation and of the
// build, and of nothing else.
func TestCollectionMadeAgainAlone_TheOtherKeepsItsGeneration(t *testing.T) {
	build := contract.NewBuild(contract.Cut{Target: 700}, "words", contract.Embedding{Embedder: "model", Dims: 256})
	again := build.Rebuilt(0, map[document.Collection]int{document.CollectionDocs: 1})
	if got, want := again.Generation(document.CollectionCode), build.Generation(document.CollectionCode); got != want {
		t.Errorf("the generation of code is %s, was %s", got, want)
	}
	if got := again.Without(build); len(got) != 1 || got[0] != again.Generation(document.CollectionDocs) || again.ID() == build.ID() || contract.BuildOf(got[0]) == again.ID() {
		t.Errorf("%s of %s are made anew beside %s", got, again.ID(), build.ID())
	}
	if got := build.Changes(again); len(got) != 1 || got[0] != (contract.BuildChange{Field: "reindex docs", Before: "0", Now: "1"}) {
		t.Errorf("the change is %+v", got)
	}
	if chunker, embedder := again.Letters(contract.StageChunker, document.CollectionCode), again.Letters(contract.StageEmbed, document.CollectionCode); chunker != again.ID() || embedder != build.ID() {
		t.Errorf("letters stand under %s and %s", chunker, embedder)
	}
	if all := again.Rebuilt(2, nil); all.ID() != contract.BuildOf(all.Generations()[0]) || len(all.Without(again)) != 2 {
		t.Errorf("all made again are %s", all.Generations())
	}
}

// An embedder of its own changes the generation of one collection, whoever else has it,
// and is told of that collection; the other keeps its name.
func TestCollectionWithItsOwnEmbedder_TheOtherKeepsItsGeneration(t *testing.T) {
	local, other := contract.Embedding{Embedder: "local", Dims: 256}, contract.Embedding{Embedder: "other", Dims: 96, Model: "m", Provider: "openai"}
	cut := contract.Cut{Target: 700}
	of := func(code, docs contract.Embedding) contract.Build {
		return contract.NewBuild(cut, "words", contract.Embedding{}).EmbeddedBy(func(c document.Collection) contract.Embedding {
			if c == document.CollectionDocs {
				return docs
			}
			return code
		})
	}
	alike, apart, moved := of(local, local), of(local, other), of(other, other)
	if alike.ID() != contract.NewBuild(cut, "words", local).ID() || alike.Own != nil {
		t.Errorf("the same of each is %+v", alike)
	}
	if got := apart.Without(alike); len(got) != 1 || got[0] != apart.Generation(document.CollectionDocs) || got[0] != moved.Generation(document.CollectionDocs) {
		t.Errorf("made anew is %v, of all by the other model %v", got, moved.Generations())
	}
	if got := moved.Without(apart); len(got) != 1 || got[0] != moved.Generation(document.CollectionCode) {
		t.Errorf("then %v", got)
	}
	if got := apart.Embedders(); !slices.Equal(got, []string{"local", "other"}) || len(alike.Embedders()) != 1 {
		t.Errorf("embedders are %v", got)
	}
	if got := alike.Changes(apart); len(got) != 3 || got[0] != (contract.BuildChange{Field: "embedder.provider of docs", Before: "static", Now: "openai"}) {
		t.Errorf("the change is %+v", got)
	}
	if got := alike.Changes(moved); len(got) != 3 || got[0].Field != "embedder.provider" {
		t.Errorf("the change of all is %+v", got)
	}
	again := apart.Rebuilt(0, map[document.Collection]int{document.CollectionDocs: 1})
	if again.Of(document.CollectionDocs).Embedder != "other" || again.Generation(document.CollectionDocs) == apart.Generation(document.CollectionDocs) || again.Generation(document.CollectionCode) != apart.Generation(document.CollectionCode) {
		t.Errorf("made again it is %+v", again)
	}
	if back := again.Rebuilt(0, nil); !reflect.DeepEqual(back, apart) {
		t.Errorf("back it is %+v", back)
	}
}
