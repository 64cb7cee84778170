// Package merge makes the next CHUNKS head of a path out of the one before it
// and a change of one view. It is a pure function, so that two workers that
// lose and repeat a compare-and-swap come to the same end.
package merge

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
)

// State is what a CHUNKS message says of a path: the version and content of
// each view, and the chunks of each distinct content that some view shows.
type State struct {
	Covers   contract.Covers
	Contents []Content
}

// Content is one distinct content with its bytes.
type Content struct {
	Hash     document.Hash
	Language string
	Chunks   []document.Chunk
	Text     []byte
	Made
}

// Made says how the text of a content was made; the zero value where it is the
// content itself.
type Made struct {
	Format format.ID
	// Grammar is what it was cut by, as the head of FILES has it.
	Grammar string
	Parts   []document.Located
	// Textless is why there is no text.
	Textless string
}

// Change is one version of one view. Hash is empty for a version that shows
// nothing: deleted, skipped, or moved to another collection.
type Change struct {
	View    document.View
	Version document.Version
	Hash    document.Hash
	// Format is how the text of the content is to be made, Grammar by what it is cut.
	Format  format.ID
	Grammar string
}

// Split is a content that was cut, not yet with identities.
type Split struct {
	Language string
	Spans    []document.Span
	Text     []byte
	Made
}

// Covered reports whether a state includes a change already. The same version
// with another content is void: the log went back and was written again.
func (s State) Covered(c Change) bool {
	have := s.Covers.At(c.View)
	return have.Version > c.Version || have.Version == c.Version && have.Hash == c.Hash
}

// Has reports whether the content of a change stands in the state, made and cut as the
// change has it, so that it need not be cut again.
func (s State) Has(c Change) bool {
	return slices.ContainsFunc(s.Contents, func(have Content) bool { return have.Hash == c.Hash && !have.differs(c) })
}

// differs reports whether a content is made or cut in another way than a change of it has
// it.
func (c *Content) differs(from Change) bool {
	return c.Format != from.Format || c.Grammar != from.Grammar
}

// Apply returns the state after a change that s does not cover. split is the
// change's content; it is used only if s does not have it. Coverage only
// grows, contents that no view shows any longer are left out, and a chunk that
// stands in s with the same digest and occurrence keeps its identity, while
// any other is born in the change's version. The result shares memory with s
// and split.
func Apply(source document.Source, path document.Path, s State, c Change, split Split) State {
	next := State{Covers: s.Covers.With(c.View, contract.Cover{Version: c.Version, Hash: c.Hash})}
	shown := map[document.Hash]bool{}
	for _, cover := range next.Covers.All() {
		if cover.Hash != "" {
			shown[cover.Hash] = true
		}
	}
	for _, content := range s.Contents {
		if content.Hash == c.Hash && content.differs(c) {
			continue // it is made or cut anew
		}
		if shown[content.Hash] {
			next.Contents = append(next.Contents, content)
			delete(shown, content.Hash)
		}
	}
	if c.Hash != "" && shown[c.Hash] {
		next.Contents = append(next.Contents, Content{
			Hash: c.Hash, Language: split.Language, Text: split.Text, Made: split.Made,
			Chunks: identify(source, path, s, c.Version, split),
		})
	}
	return next
}

// Without leaves out what only one view shows, for a version of which the log
// says that it is the view's first: the state has it from a late worker, after
// the path was deleted and purged. Passages of it may have been deleted, and an
// id that was deleted must not come back. The result shares memory with s.
func (s State) Without(view document.View) State {
	void := s.Covers.At(view).Hash
	if void == "" {
		return s
	}
	for other, cover := range s.Covers.All() {
		if other != view && cover.Hash == void {
			return s
		}
	}
	return State{Covers: s.Covers, Contents: slices.DeleteFunc(slices.Clone(s.Contents), func(c Content) bool { return c.Hash == void })}
}

// occurrence names a chunk within a content: the n-th of its digest.
type occurrence struct {
	digest document.Hash
	n      int
}

type identity struct {
	id   document.ChunkID
	born document.Version
}

// identify gives each span its identity: that of the same chunk in s, else a
// new one.
func identify(source document.Source, path document.Path, s State, version document.Version, split Split) []document.Chunk {
	known := map[occurrence]identity{}
	for _, content := range s.Contents {
		for i := range content.Chunks {
			chunk := &content.Chunks[i]
			k := occurrence{chunk.Digest, chunk.Occurrence}
			if have, ok := known[k]; !ok || chunk.Born < have.born {
				known[k] = identity{chunk.ID, chunk.Born}
			}
		}
	}
	seen := make(map[document.Hash]int, len(split.Spans))
	out := make([]document.Chunk, len(split.Spans))
	var buf []byte
	for i, span := range split.Spans {
		var digest document.Hash
		digest, buf = Digest(buf[:0], split.Language, &span, split.Text[span.StartByte:span.EndByte])
		n := seen[digest]
		seen[digest]++
		have, ok := known[occurrence{digest, n}]
		if !ok {
			have = identity{document.NewChunkID(source, path, digest, n, version), version}
		}
		out[i] = document.Chunk{ID: have.id, Born: have.born, Digest: digest, Occurrence: n, Span: span}
	}
	return out
}

// Chunks is the number of distinct chunks in a state.
func (s State) Chunks() int {
	if len(s.Contents) == 1 {
		return len(s.Contents[0].Chunks)
	}
	ids := map[document.ChunkID]bool{}
	for _, content := range s.Contents {
		for i := range content.Chunks {
			ids[content.Chunks[i].ID] = true
		}
	}
	return len(ids)
}
