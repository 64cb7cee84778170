package merge

import (
	"encoding/binary"

	"github.com/freshet-dev/freshet/pkg/document"
)

// Digest is the hash of everything that a sink is given of a chunk, the path
// left aside (it is part of the id): language, symbol, kind, signature,
// headings, context, label, text, and names, if any, each with its length
// before it (uint32, big-endian), and the number of headings and of names
// before them. Lines and offsets are no part of it, so that a chunk that moves
// stays the same. buf is scratch space, returned for the next call.
func Digest(buf []byte, language string, span *document.Span, text []byte) (document.Hash, []byte) {
	field := func(s string) {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(s)))
		buf = append(buf, s...)
	}
	field(language)
	field(span.Symbol)
	field(span.Kind)
	field(span.Signature)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(span.Headings)))
	for _, h := range span.Headings {
		field(h)
	}
	field(span.Context)
	field(span.Label)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(text)))
	buf = append(buf, text...)
	// A passage without further names keeps the id that it had before there
	// were any.
	if len(span.Names) > 0 {
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(span.Names)))
		for _, n := range span.Names {
			field(n)
		}
	}
	return document.HashOf(buf), buf
}
