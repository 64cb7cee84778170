package render

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func TestEmbedderThatOthersLackOrIsHeld_IsExplained(t *testing.T) {
	static := contract.Embedding{Embedder: "static", Dims: 256}
	own := contract.Embedding{Embedder: "v", Dims: 1024, Model: "voyage-3", Provider: "voyage"}
	of := func(docs contract.Embedding) *contract.Build {
		b := contract.NewBuild(contract.Cut{}, "words", contract.Embedding{}).EmbeddedBy(func(c document.Collection) contract.Embedding {
			if c == document.CollectionDocs {
				return docs
			}
			return static
		})
		return &b
	}
	processes := []contract.Report{{Service: "watcher"}, {Service: "chunker", Instance: "a:1-x", Build: of(own)}, {Service: "query", Instance: "b:2-y", Build: of(static)}}
	next := &contract.NextBuild{Build: *of(own), Documents: 7, Pending: 7}
	held := *next
	held.Held = &contract.HeldBuild{Why: "it is above the limit"}
	for _, c := range []struct {
		status contract.StatusReply
		reason Reason
		says   string
	}{
		{contract.StatusReply{Next: next, Reports: processes}, ReasonRollout, "voyage-3 of voyage makes its vectors in 1 of 2 processes alone (query b:2-y has bundled model)"},
		{contract.StatusReply{Reports: processes}, ReasonRollout, "bundled model makes its vectors in 1 of 2 processes alone (chunker a:1-x has voyage-3 of voyage)"},
		{contract.StatusReply{Next: &held, Reports: processes[:2]}, ReasonHeld, "since it is above the limit; let it begin with `freshet rebuild --accept`"},
	} {
		c.status.Serving = of(static)
		list := EmbeddersOf(c.status, nil)
		list.Explain(c.status, Choice{})
		code, docs := list.Embedders[0], list.Embedders[1]
		if code.Why != nil || docs.Why == nil || docs.Why.Reason != c.reason || !strings.Contains(docs.Why.Says, c.says) {
			t.Errorf("of code %+v, of docs %+v, not %s: %s", code.Why, docs.Why, c.reason, c.says)
		}
	}
}
