package merge

import (
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Encode returns the headers and the body of a CHUNKS message. head has all
// but covers and count.
func Encode(head contract.OutputHead, collection document.Collection, s State) (nats.Header, []byte, error) {
	head.Covers, head.Count = s.Covers, s.Chunks()
	header := head.Header()
	body := contract.ChunksBody{Path: head.Path, Collection: collection, Contents: make([]document.Content, 0, len(s.Contents))}
	size := 0
	for _, c := range s.Contents {
		body.Contents = append(body.Contents, document.Content{
			Hash: c.Hash, Language: c.Language, Chunks: c.Chunks, Offset: size, Size: len(c.Text),
		})
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
		s.Contents = append(s.Contents, Content{Hash: c.Hash, Language: c.Language, Chunks: c.Chunks, Text: blob[c.Offset : c.Offset+c.Size]})
	}
	return s, nil
}
