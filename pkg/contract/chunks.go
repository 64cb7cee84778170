package contract

import (
	"fmt"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
)

// SplitChunks reads the body of a CHUNKS message. Whoever uses it may slice the
// blob by what the contents and their chunks name: an error is returned where
// something lies outside of it, and where a text is not what its hash says. The
// blob shares body's memory.
func SplitChunks(header nats.Header, body []byte) (meta ChunksBody, blob []byte, err error) {
	if blob, err = SplitBody(header, body, &meta); err != nil {
		return meta, nil, err
	}
	for i := range meta.Contents {
		c := &meta.Contents[i]
		if c.Offset < 0 || c.Size < 0 || c.Offset > len(blob)-c.Size {
			return meta, nil, fmt.Errorf("content %s lies outside its message", c.Hash)
		}
		for k := range c.Chunks {
			if ch := &c.Chunks[k]; ch.StartByte < 0 || ch.EndByte < ch.StartByte || ch.EndByte > c.Size {
				return meta, nil, fmt.Errorf("chunk %s lies outside its content", ch.ID)
			}
		}
		if got, want := document.HashOf(blob[c.Offset:c.Offset+c.Size]), c.OfText(); got != want {
			return meta, nil, fmt.Errorf("text %s of content %s has the hash %s", want, c.Hash, got)
		}
		for k := range c.Parts {
			if l := &c.Parts[k]; l.Start < 0 || l.End < l.Start || l.End > c.Size {
				return meta, nil, fmt.Errorf("a part of content %s lies outside of it", c.Hash)
			}
		}
	}
	return meta, blob, nil
}
