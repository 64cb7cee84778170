package render

import (
	"io"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/terminal"
)

// Embedders says what makes the vectors of each collection.
type Embedders struct {
	Embedders []Embedder `json:"embedders"`
	// Why is what keeps all that is chosen from being in use; nil for nothing.
	Why *Hindrance `json:"why,omitempty"`
	// Spent is what servers of vectors have cost, of all collections together; nil where
	// none is asked.
	Spent *contract.Spent `json:"spent,omitempty"`
}

// Embedder is what makes the vectors of one collection.
type Embedder struct {
	Collection document.Collection `json:"collection"`
	Generation document.Generation `json:"generation"`
	contract.Embedding
	Documents int `json:"documents"`
	Passages  int `json:"passages"`
	Vectors   int `json:"vectors"` // passages that have one
	// Next is what takes its place, once its vectors are there; nil for nothing.
	Next *contract.Embedding `json:"next,omitempty"`
	// Why says why what is chosen is not in use; nil where it is.
	Why *Hindrance `json:"why,omitempty"`
}

// EmbeddersOf takes them out of a status in which something serves, and of what is
// counted of each collection.
func EmbeddersOf(status contract.StatusReply, counts map[document.Collection]contract.ReindexReply) Embedders {
	out := Embedders{Spent: spentOf(status.Reports)}
	for _, name := range status.Serving.Collections() {
		of := counts[name]
		one := Embedder{
			Collection: name, Generation: status.Serving.Generation(name), Embedding: status.Serving.Of(name).Embedding,
			Documents: of.Documents, Passages: of.Passages, Vectors: of.Vectors,
		}
		if next := status.Next; next != nil && next.Build.Of(name).Embedder != one.Embedding.Embedder {
			by := next.Build.Of(name).Embedding
			one.Next = &by
		}
		out.Embedders = append(out.Embedders, one)
	}
	return out
}

// Write lists them for people.
func (e Embedders) Write(w io.Writer) error {
	p := &terminal.Printer{W: w}
	p.Columns(false, func(t *terminal.Printer) {
		t.Linef("collection\tembedder\tdimensions\tdocuments\tpassages\twith a vector")
		for _, one := range e.Embedders {
			t.Linef("%s\t%s\t%d\t%s\t%s\t%s", one.Collection, embedderName(one.Embedding), one.Dims,
				terminal.Count(one.Documents), terminal.Count(one.Passages), terminal.Count(one.Vectors))
		}
	})
	for _, one := range e.Embedders {
		if one.Why != nil {
			p.Linef("%s", one.Why.Says)
		}
	}
	if e.Why != nil {
		p.Linef("%s", e.Why.Says)
	}
	if s := e.Spent; s != nil {
		p.Linef("servers of vectors: %s", spentLine(s))
	}
	return p.Err
}

// embedderName is what a person calls an embedder.
func embedderName(e contract.Embedding) string {
	if e.Provider != "" {
		return terminal.Printable(e.Model + " of " + e.Provider)
	}
	if e.Model == "" {
		return "bundled model"
	}
	return terminal.Printable(e.Model)
}
