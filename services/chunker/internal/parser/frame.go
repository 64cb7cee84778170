// Package parser runs tree-sitter in supervised child processes: a fault in a
// grammar, an endless loop or a tree that eats all memory costs one document,
// not the process. The child is the same binary started again; both sides talk
// in length-prefixed frames over its standard input and output, one request at
// a time.
package parser

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/split"
	"github.com/freshet-dev/freshet/services/chunker/internal/syntax"
)

// request asks a child to cut a content. On the wire: one frame with this as
// JSON, one frame with the content.
type request struct {
	Language string        `json:"language"`
	Options  split.Options `json:"options"`
	// Definitions asks for the functions of the content instead of passages.
	Definitions bool `json:"definitions,omitempty"`
	// Format asks for the text that a format makes of the content, and for its
	// passages; Limit is the most bytes that the text may have.
	Format string `json:"format,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// reply is the child's answer: one frame of JSON, and one with the text where a format
// has made one.
type reply struct {
	Spans       []document.Span     `json:"spans"`
	Definitions []syntax.Definition `json:"definitions,omitempty"`
	Error       string              `json:"error,omitempty"`
	// Text is what a format has made, and Spans are ranges of it. Textless is why there
	// is none.
	Text     []byte             `json:"-"`
	Size     int                `json:"size,omitempty"` // of Text, which follows
	Parts    []document.Located `json:"parts,omitempty"`
	Textless string             `json:"textless,omitempty"`
}

// frameLimit is the largest frame that is read, in bytes. A length beyond it
// comes from a child that went wrong.
const frameLimit = 1 << 28

var errFrame = errors.New("frame is too long")

// together is the size in bytes up to which a frame is copied to be written with those
// around it.
const together = 64 << 10

// writeFrames writes frames, each a big-endian uint32 length and its bytes, in
// as few writes as make no copy of what is large.
func writeFrames(w io.Writer, frames ...[]byte) error {
	var out []byte
	for _, f := range frames {
		if len(f) > frameLimit {
			return errFrame
		}
		if out = binary.BigEndian.AppendUint32(out, uint32(len(f))); len(f) <= together {
			out = append(out, f...)
			continue
		}
		for _, b := range [][]byte{out, f} {
			if _, err := w.Write(b); err != nil {
				return err
			}
		}
		out = out[:0]
	}
	if len(out) == 0 {
		return nil
	}
	_, err := w.Write(out)
	return err
}

// readReply reads the answer of a child.
func readReply(r io.Reader) (reply, error) {
	body, err := readFrame(r)
	if err != nil {
		return reply{}, died(err)
	}
	var rep reply
	if err := json.Unmarshal(body, &rep); err != nil {
		return reply{}, fmt.Errorf("%w: its reply cannot be read: %w", errDied, err)
	}
	if rep.Size == 0 {
		return rep, nil
	}
	if rep.Text, err = readFrame(r); err != nil {
		return reply{}, died(err)
	}
	if len(rep.Text) != rep.Size {
		return reply{}, fmt.Errorf("%w: its text has %d bytes, and it said %d", errDied, len(rep.Text), rep.Size)
	}
	return rep, nil
}

// frames are those of a reply.
func (r *reply) frames() ([][]byte, error) {
	r.Size = len(r.Text)
	out, err := encode(r)
	if err != nil || r.Size == 0 {
		return [][]byte{out}, err
	}
	return [][]byte{out, r.Text}, nil
}

// readFrame reads one frame. io.EOF means that the other side closed between
// two frames.
func readFrame(r io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > frameLimit {
		return nil, errFrame
	}
	out := make([]byte, n)
	if _, err := io.ReadFull(r, out); err != nil {
		return nil, fmt.Errorf("read frame of %d bytes: %w", n, err)
	}
	return out, nil
}

func encode(v any) ([]byte, error) {
	out, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode frame: %w", err)
	}
	return out, nil
}
