package render

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// What makes vectors is said of each collection, with what takes its place of one alone.
func TestCollectionThatMovesToAnotherEmbedder_IsListedWithBoth(t *testing.T) {
	own := contract.Embedding{Embedder: "o", Dims: 1536, Model: "text-embedding-3-small", Provider: "openai"}
	next := contract.Embedding{Embedder: "v", Dims: 1024, Model: "voyage-3", Provider: "voyage"}
	of := func(docs contract.Embedding) contract.Build {
		return contract.NewBuild(contract.Cut{}, "words", contract.Embedding{}).EmbeddedBy(func(c document.Collection) contract.Embedding {
			if c == document.CollectionDocs {
				return docs
			}
			return contract.Embedding{Embedder: "static", Dims: 256}
		})
	}
	serving := of(own)
	status := contract.StatusReply{
		Serving: &serving, Next: &contract.NextBuild{Build: of(next), Documents: 7, Pending: 2},
		Reports: []contract.Report{{Spent: &contract.Spent{Tokens: 1200, Cost: .5, AllTokens: 9000, AllCost: 3}}},
	}
	list := EmbeddersOf(status, map[document.Collection]contract.ReindexReply{document.CollectionDocs: {Documents: 7, Passages: 12, Vectors: 11}})
	list.Explain(status, Choice{})
	var b strings.Builder
	if err := list.Write(&b); err != nil {
		t.Fatal(err)
	}
	want := `collection  embedder                          dimensions  documents  passages  with a vector
code        bundled model                     256         0          0         0
docs        text-embedding-3-small of openai  1536        7          12        11
docs: it is embedded anew by voyage-3 of voyage, of 1024 dimensions, and 5 of 7 documents are searchable in it: what was there before answers meanwhile, ` + "`freshet reindex status`" + ` tells how far it is
servers of vectors: 1,200 tokens, 0.50 today; 9,000 tokens, 3.00 in all
`
	if b.String() != want {
		t.Errorf("%s\nwant\n%s", b.String(), want)
	}
	if list.Embedders[0].Next != nil || list.Embedders[1].Next == nil {
		t.Errorf("%+v", list)
	}
}
