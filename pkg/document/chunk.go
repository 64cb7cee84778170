package document

import (
	"encoding/binary"
	"strings"

	"github.com/google/uuid"
)

// ChunkID identifies a passage for ever. See [NewChunkID].
type ChunkID [16]byte

// String returns the canonical UUID form.
func (id ChunkID) String() string { return uuid.UUID(id).String() }

// MarshalText implements encoding.TextMarshaler.
func (id ChunkID) MarshalText() ([]byte, error) { return uuid.UUID(id).MarshalText() }

// UnmarshalText implements encoding.TextUnmarshaler. The error is
// InvalidRequest.
func (id *ChunkID) UnmarshalText(b []byte) error {
	if err := (*uuid.UUID)(id).UnmarshalText(b); err != nil {
		return Errorf(InvalidRequest, "the id %q is not that of a passage: use one that freshet returned: %w", b, err)
	}
	return nil
}

// Compare orders ids bytewise.
func (id ChunkID) Compare(other ChunkID) int {
	for i := range id {
		if id[i] != other[i] {
			return int(id[i]) - int(other[i])
		}
	}
	return 0
}

// chunkNamespace is the UUIDv5 namespace of chunk ids, itself the UUIDv5 of
// "freshet-dev/chunk" in the URL namespace.
var chunkNamespace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("freshet-dev/chunk"))

// NewChunkID returns UUIDv5 over the length-prefixed (uint32, big-endian)
// fields source, path, digest, then occurrence and born as big-endian
// integers. digest is [Chunk.Digest]; occurrence counts chunks of equal
// digest within one content from 0; born is the version in which the chunk
// entered the path, so that an id that was deleted never comes back.
func NewChunkID(source Source, path Path, digest Hash, occurrence int, born Version) ChunkID {
	name := make([]byte, 0, 4*3+len(source)+len(path)+len(digest)+12)
	for _, field := range []string{string(source), string(path), string(digest)} {
		name = binary.BigEndian.AppendUint32(name, uint32(len(field)))
		name = append(name, field...)
	}
	name = binary.BigEndian.AppendUint32(name, uint32(occurrence))
	name = binary.BigEndian.AppendUint64(name, uint64(born))
	return ChunkID(uuid.NewSHA1(chunkNamespace, name))
}

// Kinds of chunk, as far as the chunker can tell.
const (
	KindFunction = "function"
	KindMethod   = "method"
	KindClass    = "class"
	KindType     = "type" // struct, interface, enum, trait, type alias
	KindModule   = "module"
	KindVariable = "variable" // constants and variables of the top level
	KindHeader   = "header"   // file header: package clause, imports, includes
	KindSection  = "section"  // a section of prose under a heading
	KindBlock    = "block"    // anything else
)

// Kinds are all kinds of chunk.
var Kinds = []string{KindFunction, KindMethod, KindClass, KindType, KindModule, KindVariable, KindHeader, KindSection, KindBlock}

// MaxNames bounds the further names of a passage.
const MaxNames = 32

// Span is a passage within one content: its range, and what the chunker knows
// of it. Start and end lines are 1-based and inclusive; bytes are 0-based and
// the end is exclusive. The passage's text is exactly content[StartByte:EndByte].
type Span struct {
	StartByte int `json:"start_byte"`
	EndByte   int `json:"end_byte"`
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
	// Symbol is the name that the passage defines, qualified by its
	// container where it has one ("Server.Serve").
	Symbol string `json:"symbol,omitempty"`
	// Names are further names that the passage defines, where small
	// neighbours were merged: at most [MaxNames].
	Names []string `json:"names,omitempty"`
	Kind  string   `json:"kind,omitempty"`
	// Signature is the first line or lines of the definition, without body.
	Signature string `json:"signature,omitempty"`
	// Headings is the path of headings above a prose passage, outermost first.
	Headings []string `json:"headings,omitempty"`
	// Context is text that is not part of the range but helps to understand
	// it: the signature of the function that an inner piece belongs to.
	Context string `json:"context,omitempty"`
	// Label is the structural line for the indexes, as the chunker writes it: kind and
	// names, and behind [LabelCalls] and [LabelRaises] what it calls and raises.
	Label string `json:"label,omitempty"`
	// Fallback says why a simpler splitter was used, if one was.
	Fallback string `json:"fallback,omitempty"`
}

// Defines returns all names that the passage defines, one a line, the one that
// it is named by first.
func (s *Span) Defines() string {
	if len(s.Names) == 0 {
		return s.Symbol
	}
	return s.Symbol + "\n" + strings.Join(s.Names, "\n")
}

// What stands in a Label before the names that a passage calls, and before those that it
// raises; between two of them stands [LabelComma].
const (
	LabelCalls  = " | calls "
	LabelRaises = " | raises "
	LabelComma  = ", "
)

// References are the names that the passage calls or raises, as far as its label has them.
func (s *Span) References() (names []string) {
	rest, raises, _ := strings.Cut(s.Label, LabelRaises)
	_, calls, _ := strings.Cut(rest, LabelCalls)
	for _, list := range []string{calls, raises} {
		if list != "" {
			names = append(names, strings.Split(list, LabelComma)...)
		}
	}
	return names
}

// Chunk is a Span with its identity.
type Chunk struct {
	ID ChunkID `json:"id"`
	// Born is the version in which the chunk entered the path.
	Born Version `json:"born"`
	// Digest is the hash of everything that a sink is given of the chunk.
	Digest     Hash `json:"digest"`
	Occurrence int  `json:"occurrence,omitempty"`
	Span
}

// Content is one distinct content of a path with its chunks.
type Content struct {
	Hash     Hash    `json:"hash"`
	Language string  `json:"language,omitempty"`
	Chunks   []Chunk `json:"chunks"`
	// Format is how the text was made of the content, with its version; "" where the
	// text is the content. The ranges of the chunks are those of the text.
	Format string `json:"format,omitempty"`
	// Grammar is the language by whose syntax it was cut, with its version, as the head
	// of FILES has it.
	Grammar string `json:"grammar,omitempty"`
	// TextHash is that of the text, where a format has made it.
	TextHash Hash `json:"text_hash,omitempty"`
	// Parts are the parts of the content that ranges of the text are made of.
	Parts []Located `json:"parts,omitempty"`
	// Textless is why a format could make no text of the content, which has no chunks
	// then.
	Textless string `json:"textless,omitempty"`
	// Offset and Size locate the text's bytes in the message's blob.
	Offset int `json:"offset"`
	Size   int `json:"size"`
}

// OfText is the hash that the text has to have.
func (c *Content) OfText() Hash {
	if c.Format != "" {
		return c.TextHash
	}
	return c.Hash
}
