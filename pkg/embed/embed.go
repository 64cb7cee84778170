// Package embed declares the port behind which texts become vectors.
package embed

import (
	"context"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Vector is a unit vector of int8 with a scale: value i is Data[i] × Scale.
// The zero Vector (no Data) stands for a text without any known token.
type Vector struct {
	Scale float32
	Data  []int8
}

// IsZero reports whether v stands for a text without any known token.
func (v Vector) IsZero() bool { return len(v.Data) == 0 }

// Embedder turns texts into vectors. It is safe for concurrent use.
type Embedder interface {
	// Identity changes whenever the same text might get another vector.
	Identity() string
	// Dims is the length of every vector.
	Dims() int
	// EmbedDocuments returns one vector and one error per text. The texts are
	// outputs of Compose.
	EmbedDocuments(ctx context.Context, texts []string) ([]Vector, []error)
	// EmbedQuery returns the vector of a query as it was typed.
	EmbedQuery(ctx context.Context, text string) (Vector, error)
}

// Counter is an Embedder that can say how much work a text is.
type Counter interface {
	Embedder
	// Tokens is the number of tokens of a text that it works on.
	Tokens(text string) int
}

// Slow is an Embedder that takes a noticeable time for each text, so that those of a
// batch of documents may take longer than the lease of the batch.
type Slow interface {
	Embedder
	// AtOnce is how many texts take a few seconds on one slow core.
	AtOnce() int
}

// Space is what vectors have to share to be compared: the Identity of the
// Embedder that made them, and its Dims.
type Space struct {
	Identity string
	Dims     int
}

// SpaceOf is the space of an embedder's vectors.
func SpaceOf(e Embedder) Space { return Space{Identity: e.Identity(), Dims: e.Dims()} }

// PrefixRule names what Compose does; it is part of an embedder's identity.
const PrefixRule = "stem-stem-dirs3/label/context/text-1"

// Compose returns the text that is embedded for a passage: the stem of its
// file twice and its last three directories on one line, the label line, the
// context, and the text. (The path line is worth 0.04 NDCG@10.)
func Compose(path document.Path, span *document.Span, text []byte) string {
	var b strings.Builder
	b.Grow(len(text) + 256)
	stem := path.Stem()
	b.WriteString(stem)
	b.WriteByte(' ')
	b.WriteString(stem)
	dirs := path.Dirs()
	if len(dirs) > 3 {
		dirs = dirs[len(dirs)-3:]
	}
	for _, d := range dirs {
		b.WriteByte(' ')
		b.WriteString(d)
	}
	b.WriteByte('\n')
	for _, line := range []string{strings.Join(span.Headings, " "), span.Label, span.Context} {
		if line != "" {
			b.WriteString(line)
			b.WriteByte('\n')
		}
	}
	b.Write(text)
	return b.String()
}
