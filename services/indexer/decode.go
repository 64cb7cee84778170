package indexer

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Analyzer turns a passage into the tokens of the lexical store.
type Analyzer interface {
	Passage(path document.Path, span *document.Span, text []byte, prose bool) []string
}

func metaHeader(get func(string) string) nats.Header {
	return nats.Header{contract.HeaderMeta: []string{get(contract.HeaderMeta)}}
}

// decodeChunks reads a CHUNKS message for the lexical store.
func decodeChunks(a Analyzer) func(contract.OutputHead, func(string) string, []byte) (wanted[store.LexicalEntry], error) {
	return func(in contract.OutputHead, header func(string) string, raw []byte) (wanted[store.LexicalEntry], error) {
		body, blob, err := contract.SplitChunks(metaHeader(header), raw)
		if err != nil {
			return wanted[store.LexicalEntry]{}, err
		}
		type place struct {
			content *document.Content
			chunk   *document.Chunk
		}
		var w wanted[store.LexicalEntry]
		var places []place
		seen := map[document.ChunkID]bool{}
		for i := range body.Contents {
			c := &body.Contents[i]
			for k := range c.Chunks {
				ch := &c.Chunks[k]
				if seen[ch.ID] {
					continue // shown by two contents
				}
				seen[ch.ID] = true
				w.ids = append(w.ids, ch.ID)
				places = append(places, place{c, ch})
			}
		}
		prose := body.Collection.Prose()
		w.entry = func(i int) store.LexicalEntry {
			c, ch := places[i].content, places[i].chunk
			text := blob[c.Offset+ch.StartByte : c.Offset+ch.EndByte]
			return store.LexicalEntry{ID: ch.ID,
				Attrs:  attrs(in, contract.ChunkAttrs{Language: c.Language, Kind: ch.Kind, Symbol: ch.Defines()}),
				Tokens: a.Passage(in.Path, &ch.Span, text, prose),
			}
		}
		return w, nil
	}
}

// decodeVectors reads a VECTORS message for the vector store.
func decodeVectors(in contract.OutputHead, header func(string) string, raw []byte) (wanted[store.VectorEntry], error) {
	var body contract.VectorsBody
	blob, err := contract.SplitBody(metaHeader(header), raw, &body)
	if err != nil {
		return wanted[store.VectorEntry]{}, err
	}
	n := len(body.IDs)
	if len(body.Scales) != n || len(body.Attrs) != n || body.Dims < 0 || body.Dims > len(blob) && n > 0 || len(blob) != n*body.Dims {
		return wanted[store.VectorEntry]{}, fmt.Errorf("%d ids, %d scales, %d attributes and %d bytes of vectors do not fit together", n, len(body.Scales), len(body.Attrs), len(blob))
	}
	return wanted[store.VectorEntry]{ids: body.IDs, bare: body.Bare, entry: func(i int) store.VectorEntry {
		return store.VectorEntry{ID: body.IDs[i], Attrs: attrs(in, body.Attrs[i]),
			Vector: embed.VectorOf(body.Scales[i], blob[i*body.Dims:(i+1)*body.Dims])}
	}}, nil
}

func attrs(in contract.OutputHead, a contract.ChunkAttrs) store.Attrs {
	return store.Attrs{Source: in.Source, Doc: in.Doc, Path: in.Path, Language: a.Language, Kind: a.Kind, Symbol: a.Symbol}
}

func applyLexical(s store.Lexical) func(context.Context, []store.LexicalEntry, []document.ChunkID) (store.Result, error) {
	return func(ctx context.Context, put []store.LexicalEntry, del []document.ChunkID) (store.Result, error) {
		return s.Apply(ctx, store.LexicalBatch{Put: put, Delete: del})
	}
}

func applyVector(s store.Vector) func(context.Context, []store.VectorEntry, []document.ChunkID) (store.Result, error) {
	return func(ctx context.Context, put []store.VectorEntry, del []document.ChunkID) (store.Result, error) {
		return s.Apply(ctx, store.VectorBatch{Put: put, Delete: del})
	}
}
