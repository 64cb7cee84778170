package contract

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	fast "github.com/segmentio/encoding/json"

	"github.com/freshet-dev/freshet/pkg/document"
)

// ChunksBody is the JSON part of a CHUNKS message. The blob behind it holds
// the bytes of the contents one after the other, so that a chunk's text is
// exactly the bytes of its range, whatever their encoding.
type ChunksBody struct {
	Path       document.Path       `json:"path"`
	Collection document.Collection `json:"collection"`
	Contents   []document.Content  `json:"contents"`
}

// VectorsBody is the JSON part of a VECTORS message. The blob behind it holds
// one int8 vector of Dims bytes for each of IDs, in order.
type VectorsBody struct {
	Path   document.Path      `json:"path"`
	Model  string             `json:"model"` // the embedder's identity
	Dims   int                `json:"dims"`
	IDs    []document.ChunkID `json:"ids"`
	Scales []float32          `json:"scales"` // value = int8 × scale
	// Attrs are what the vector sink keeps beside each of IDs, in order.
	Attrs []ChunkAttrs `json:"attrs"`
	// Bare lists chunks in which the embedder knows no token; they have no
	// vector and are not written to the vector sink.
	Bare []document.ChunkID `json:"bare,omitempty"`
}

// ChunkAttrs are the attributes of a chunk that filters and signals need.
type ChunkAttrs struct {
	Language string `json:"language,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Symbol   string `json:"symbol,omitempty"` // names that it defines, one a line
}

// IndexedBody is the body of an INDEXED message: what the sink shows.
type IndexedBody struct {
	IDs []document.ChunkID `json:"ids"`
	// Bare lists chunks that the sink deliberately does not hold.
	Bare []document.ChunkID `json:"bare,omitempty"`
}

// DeadBody is the body of a DEAD message: the last failure of a stage on a
// path.
type DeadBody struct {
	Stage    Stage           `json:"stage"`
	Source   document.Source `json:"source"`
	Path     document.Path   `json:"path"`
	Subject  string          `json:"subject"` // of the message that failed
	Seq      uint64          `json:"seq"`     // of that message in its stream
	Reason   string          `json:"reason"`
	Attempts int             `json:"attempts"`
	// Versions are those that the failed message covers, by view.
	Versions map[document.View]document.Version `json:"versions"`
}

// JoinBody returns meta as JSON followed by blob, and notes the length of the
// JSON in the headers.
func JoinBody(header nats.Header, meta any, blob []byte) ([]byte, error) {
	js, err := json.Marshal(meta)
	if err != nil {
		return nil, fmt.Errorf("encode body: %w", err)
	}
	header[HeaderMeta] = []string{strconv.Itoa(len(js))}
	return append(js, blob...), nil
}

// SplitBody reverses JoinBody. The blob shares body's memory. Every body of
// the log is decoded two to three times on its way, and most of a query's
// reading is this, so that the decoder is one that is quicker than Go's.
func SplitBody(header nats.Header, body []byte, meta any) (blob []byte, err error) {
	n := len(body)
	if v := header.Get(HeaderMeta); v != "" {
		if n, err = strconv.Atoi(v); err != nil || n < 0 || n > len(body) {
			return nil, fmt.Errorf("%s is %q, the body has %d bytes", HeaderMeta, v, len(body))
		}
	}
	if err := fast.Unmarshal(body[:n], meta); err != nil {
		return nil, fmt.Errorf("decode body: %w", err)
	}
	return body[n:], nil
}
