package contract

import (
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/format"
)

// Headers of the messages of the log. A consumer that asks for headers only
// sees everything but content.
const (
	HeaderPath       = "Freshet-Path"
	HeaderOp         = "Freshet-Op"
	HeaderHash       = "Freshet-Hash"
	HeaderSize       = "Freshet-Size"
	HeaderModified   = "Freshet-Modified"
	HeaderInode      = "Freshet-Inode"
	HeaderChanged    = "Freshet-Changed"
	HeaderCollection = "Freshet-Collection"
	HeaderCommit     = "Freshet-Commit"
	HeaderAncestors  = "Freshet-Ancestors"
	HeaderBlob       = "Freshet-Blob"
	HeaderFormat     = "Freshet-Format"
	HeaderGrammar    = "Freshet-Grammar"
	HeaderMetadata   = "Freshet-Metadata"
	HeaderAccess     = "Freshet-Access"
	HeaderTextless   = "Freshet-Textless"
	HeaderReason     = "Freshet-Reason"
	HeaderTime       = "Freshet-Time"
	HeaderLive       = "Freshet-Live"
	HeaderFirst      = "Freshet-First"
	HeaderCovers     = "Freshet-Covers"
	HeaderStore      = "Freshet-Store"
	HeaderCount      = "Freshet-Count"
	HeaderAttempts   = "Freshet-Attempts"
	HeaderKind       = "Freshet-Kind"
	HeaderState      = "Freshet-State"
	// HeaderMeta is the length in bytes of the JSON part of a body that is
	// JSON followed by a blob.
	HeaderMeta = "Freshet-Meta"
	// HeaderClaim names the object that holds the body (claim check).
	HeaderClaim = "Freshet-Claim"
	// HeaderEncoding is "zstd" where the body is compressed.
	HeaderEncoding = "Content-Encoding"
)

// Op says what a version of a document is.
type Op string

// The operations of FILES.
const (
	OpPut     Op = "put"     // has content
	OpDelete  Op = "delete"  // the document is gone
	OpSkipped Op = "skipped" // known but not indexed, with a reason
	OpMarker  Op = "marker"  // a finished comparison of a view with its source
)

// FileHead is a version of a document as its headers tell it, without content.
type FileHead struct {
	Source   document.Source
	Doc      document.DocID
	View     document.View
	Version  document.Version // the sequence in FILES; not a header
	Path     document.Path
	Op       Op
	Hash     document.Hash // of the content; empty unless Op is put
	Size     int64         // bytes in the source
	Modified time.Time     // of the file in the source, nanoseconds
	Inode    uint64
	// Changed is the change time (ctime) of the file whose content was read,
	// nanoseconds; zero where a later change could have the same one.
	Changed    time.Time
	Collection document.Collection
	Commit     string // git commit, if any
	// Ancestors are, in a marker, the newest commits that Commit includes
	// besides itself, joined by ",".
	Ancestors string
	Blob      string // git object id of the content, if the source is a git tree
	Reason    string // of skipped
	Time      time.Time
	Live      bool // seen as it happened, not by a comparison
	// First says that the log had no version of the document in this view when
	// this one was written: what an output has of an earlier one is void.
	First bool
	Count int // of a marker: documents with content in the view
	// Format is how the text of the document is made of its content; "" where the text
	// is the content. Another version of the format is another version of the document.
	Format format.ID
	// Grammar is the language by whose syntax the document is cut, with the version of
	// that; "" for one that is cut as the chunker's signature says. Another one is
	// another version of the document, too.
	Grammar string
	// Metadata is what was put with the document. Another one is another version, too.
	Metadata document.PackedMetadata
	// Access are the rules that stood in the source when the log was as this head has it.
	// A message has them in that of document.AccessFile alone; in a head table every head
	// has those of its view.
	Access SourceRules
}

// Header returns the headers of a FILES message.
func (h FileHead) Header() nats.Header {
	out := nats.Header{}
	set := func(k, v string) {
		if v != "" {
			out[k] = []string{v}
		}
	}
	set(HeaderPath, string(h.Path))
	set(HeaderOp, string(h.Op))
	set(HeaderHash, string(h.Hash))
	set(HeaderCollection, string(h.Collection))
	set(HeaderCommit, h.Commit)
	set(HeaderAncestors, h.Ancestors)
	set(HeaderBlob, h.Blob)
	set(HeaderFormat, string(h.Format))
	set(HeaderGrammar, h.Grammar)
	set(HeaderMetadata, string(h.Metadata))
	set(HeaderReason, h.Reason)
	if h.Doc == document.AccessDoc {
		set(HeaderAccess, h.Access.header())
	}
	if h.Op == OpPut || h.Op == OpSkipped {
		set(HeaderSize, strconv.FormatInt(h.Size, 10))
	}
	if !h.Modified.IsZero() {
		set(HeaderModified, strconv.FormatInt(h.Modified.UnixNano(), 10))
	}
	if h.Inode != 0 {
		set(HeaderInode, strconv.FormatUint(h.Inode, 10))
	}
	if !h.Changed.IsZero() {
		set(HeaderChanged, strconv.FormatInt(h.Changed.UnixNano(), 10))
	}
	if !h.Time.IsZero() {
		set(HeaderTime, strconv.FormatInt(h.Time.UnixNano(), 10))
	}
	if h.Live {
		set(HeaderLive, "1")
	}
	if h.First {
		set(HeaderFirst, "1")
	}
	if h.Op == OpMarker {
		set(HeaderCount, strconv.Itoa(h.Count))
	}
	return out
}

// ParseFileHead reads the head of a FILES message from its subject, sequence
// and headers.
func ParseFileHead(subject string, seq uint64, header nats.Header) (FileHead, error) {
	k, err := ParseSubject(subject)
	if err != nil {
		return FileHead{}, err
	}
	if k.Stream != StreamFiles {
		return FileHead{}, fmt.Errorf("subject %q is not one of %s", subject, StreamFiles)
	}
	h := FileHead{
		Source: k.Source, Doc: k.Doc, View: k.View, Version: document.Version(seq),
		Path:       document.Path(header.Get(HeaderPath)),
		Op:         Op(header.Get(HeaderOp)),
		Hash:       document.Hash(header.Get(HeaderHash)),
		Collection: document.Collection(header.Get(HeaderCollection)),
		Commit:     header.Get(HeaderCommit),
		Ancestors:  header.Get(HeaderAncestors),
		Blob:       header.Get(HeaderBlob),
		Reason:     header.Get(HeaderReason),
		Live:       header.Get(HeaderLive) != "",
		First:      header.Get(HeaderFirst) != "",
		Format:     format.ID(header.Get(HeaderFormat)),
		Grammar:    header.Get(HeaderGrammar),
		Metadata:   document.PackedMetadata(header.Get(HeaderMetadata)),
	}
	num := func(name string) int64 {
		v, _ := strconv.ParseInt(header.Get(name), 10, 64)
		return v
	}
	h.Size = num(HeaderSize)
	h.Inode, _ = strconv.ParseUint(header.Get(HeaderInode), 10, 64)
	if n := num(HeaderModified); n != 0 {
		h.Modified = time.Unix(0, n)
	}
	if n := num(HeaderChanged); n != 0 {
		h.Changed = time.Unix(0, n)
	}
	if n := num(HeaderTime); n != 0 {
		h.Time = time.Unix(0, n)
	}
	h.Count = int(num(HeaderCount))
	if h.Op == "" || h.Path == "" && h.Doc != document.MarkerDoc {
		return FileHead{}, fmt.Errorf("message %d of %s on %q has no path or operation", seq, StreamFiles, subject)
	}
	if h.Doc == document.AccessDoc {
		h.Access = sourceRulesOf(h.Op, header.Get(HeaderAccess))
	}
	return h, nil
}

// OutputHead is the head of a message of CHUNKS, VECTORS or INDEXED, without
// its body.
type OutputHead struct {
	Generation document.Generation
	Sink       document.Sink // INDEXED only
	Source     document.Source
	Doc        document.DocID
	Seq        uint64 // sequence in its stream; not a header
	Path       document.Path
	Covers     Covers
	Store      string // INDEXED only: id of the store that shows the chunks
	Count      int    // chunks
	Live       bool
	Textless   bool // CHUNKS only: a format could make no text of a content
}

// Header returns the headers of an output.
func (h OutputHead) Header() nats.Header {
	out := nats.Header{
		HeaderPath:   []string{string(h.Path)},
		HeaderCovers: []string{h.Covers.String()},
		HeaderCount:  []string{strconv.Itoa(h.Count)},
	}
	if h.Store != "" {
		out[HeaderStore] = []string{h.Store}
	}
	if h.Live {
		out[HeaderLive] = []string{"1"}
	}
	if h.Textless {
		out[HeaderTextless] = []string{"1"}
	}
	return out
}

// Subject returns the subject of the output in the given stream.
func (h OutputHead) Subject(stream string) string {
	switch stream {
	case StreamChunks:
		return ChunksSubject(h.Generation, h.Source, h.Doc)
	case StreamVectors:
		return VectorsSubject(h.Generation, h.Source, h.Doc)
	case StreamIndexed:
		return IndexedSubject(h.Generation, h.Sink, h.Source, h.Doc)
	}
	panic("contract: " + stream + " holds no outputs")
}

// ParseOutputHead reads the head of an output.
func ParseOutputHead(subject string, seq uint64, header nats.Header) (OutputHead, error) {
	k, err := ParseSubject(subject)
	if err != nil {
		return OutputHead{}, err
	}
	if len(header[HeaderCovers]) == 0 {
		return OutputHead{}, fmt.Errorf("message %d on %q does not say what it covers", seq, subject)
	}
	covers, err := ParseCovers(header.Get(HeaderCovers))
	if err != nil {
		return OutputHead{}, fmt.Errorf("message %d on %q: %w", seq, subject, err)
	}
	n, _ := strconv.Atoi(header.Get(HeaderCount))
	return OutputHead{
		Generation: k.Generation, Sink: k.Sink, Source: k.Source, Doc: k.Doc, Seq: seq,
		Path: document.Path(header.Get(HeaderPath)), Covers: covers,
		Store: header.Get(HeaderStore), Count: n, Live: header.Get(HeaderLive) != "", Textless: header.Get(HeaderTextless) != "",
	}, nil
}
