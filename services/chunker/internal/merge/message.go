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
	var meta contract.ChunksBody
	blob, err := contract.SplitBody(header, body, &meta)
	if err != nil {
		return State{}, err
	}
	s := State{Covers: covers}
	for _, c := range meta.Contents {
		if c.Offset < 0 || c.Size < 0 || c.Offset > len(blob)-c.Size {
			return State{}, fmt.Errorf("content %s lies outside of its message", c.Hash)
		}
		text := blob[c.Offset : c.Offset+c.Size]
		for i := range c.Chunks {
			if span := &c.Chunks[i]; span.StartByte < 0 || span.EndByte > len(text) || span.StartByte > span.EndByte {
				return State{}, fmt.Errorf("chunk %s lies outside of its content", span.ID)
			}
		}
		s.Contents = append(s.Contents, Content{Hash: c.Hash, Language: c.Language, Chunks: c.Chunks, Text: text})
	}
	return s, nil
}
