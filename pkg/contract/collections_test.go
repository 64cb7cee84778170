package contract_test

import (
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A build with further collections shares no generation with one without them: which
// documents are in code and docs differs, too.
func TestFurtherCollection_NoGenerationIsShared(t *testing.T) {
	const handbook = document.Collection("docs-handbook")
	local, other := contract.Embedding{Embedder: "local", Dims: 256}, contract.Embedding{Embedder: "other", Dims: 96, Provider: "openai"}
	without := contract.NewBuild(contract.Cut{Target: 700}, "words", local)
	with := contract.NewBuild(contract.Cut{Target: 700}, "words", local, handbook)
	if got := with.Collections(); !slices.Equal(got, []document.Collection{"code", "docs", handbook}) {
		t.Errorf("the collections are %v", got)
	}
	if got := with.Without(without); len(got) != 3 || contract.CollectionOf(got[2]) != handbook || contract.BuildOf(got[2]) != with.ID() {
		t.Errorf("made anew is %v, the build is %s", got, with.ID())
	}
	if got := without.Changes(with); len(got) != 1 || got[0] != (contract.BuildChange{Field: "collections", Before: "code, docs", Now: "code, docs, docs-handbook"}) {
		t.Errorf("the change is %+v", got)
	}
	apart := with.EmbeddedBy(func(c document.Collection) contract.Embedding {
		if c == handbook {
			return other
		}
		return local
	})
	if got := apart.Without(with); len(got) != 1 || got[0] != apart.Generation(handbook) {
		t.Errorf("with an embedder of its own, made anew is %v", got)
	}
	again := apart.Rebuilt(0, map[document.Collection]int{handbook: 1})
	if got := again.Without(apart); len(got) != 1 || got[0] != again.Generation(handbook) || again.Of(handbook).Embedder != "other" || len(again.Collections()) != 3 {
		t.Errorf("made once more is %v of %v", got, again.Collections())
	}
	if got := apart.Letters(contract.StageEmbed, handbook).Generation(handbook); got != apart.Generation(handbook) {
		t.Errorf("letters stand under %s", got)
	}
}
