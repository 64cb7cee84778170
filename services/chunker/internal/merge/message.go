package merge

import (
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
)

// Encode returns the headers and the body of a CHUNKS message. head has all
// but covers and count.
func Encode(head contract.OutputHead, collection document.Collection, s State) (nats.Header, []byte, error) {
	head.Covers, head.Count = s.Covers, s.Chunks()
	head.Textless = slices.ContainsFunc(s.Contents, func(c Content) bool { return c.Textless != "" })
	header := head.Header()
	body := contract.ChunksBody{Path: head.Path, Collection: collection, Contents: make([]document.Content, 0, len(s.Contents))}
	size := 0
	for _, c := range s.Contents {
		out := document.Content{
			Hash: c.Hash, Language: c.Language, Chunks: c.Chunks, Offset: size, Size: len(c.Text),
			Format: string(c.Format), Grammar: c.Grammar, Parts: c.Parts, Textless: c.Textless,
		}
		if c.Format != "" {
			out.TextHash = document.HashOf(c.Text)
		}
		body.Contents = append(body.Contents, out)
		size += len(c.Text)
	}
	blob := make([]byte, 0, size)
	for _, c := range s.Contents {
		blob = append(blob, c.Text...)
	}
	out, err := contract.JoinBody(header, body, blob)
	if err != nil {
		return nil, nil, fmt.Errorf("encode the chunks of %s: %w", head.Path, err)
	}
	return header, out, nil
}

// Decode reads a CHUNKS message.
func Decode(header nats.Header, body []byte) (State, error) {
	covers, err := contract.ParseCovers(header.Get(contract.HeaderCovers))
	if err != nil {
		return State{}, err
	}
	meta, blob, err := contract.SplitChunks(header, body)
	if err != nil {
		return State{}, err
	}
	s := State{Covers: covers}
	for _, c := range meta.Contents {
		s.Contents = append(s.Contents, Content{
			Hash: c.Hash, Language: c.Language, Chunks: c.Chunks, Text: blob[c.Offset : c.Offset+c.Size],
			Made: Made{Format: format.ID(c.Format), Grammar: c.Grammar, Parts: c.Parts, Textless: c.Textless},
		})
	}
	return s, nil
}
