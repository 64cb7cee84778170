// Package resolve decides what may be shown: it holds candidates against one
// snapshot of the log's heads, so that nothing in an answer contradicts it.
package resolve

import (
	"context"
	"errors"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/lru"
)

// DocKey names the chunks of a document.
type DocKey struct {
	Generation document.Generation
	Source     document.Source
	Doc        document.DocID
}

// Body is a decoded CHUNKS message. It is shared and must not be changed.
type Body struct {
	Seq    uint64
	Covers contract.Covers
	// Unread is why the message cannot be read, nil where it can: it has no
	// contents then. See Late.
	Unread   error
	contents []content
}

type content struct {
	document.Content
	bytes []byte
}

// Of returns the content of a version, nil when the message has not got it, or has it
// with a text that was made in another way.
func (b *Body) Of(h *contract.FileHead) *document.Content {
	if c := b.of(h); c != nil {
		return &c.Content
	}
	return nil
}

// Bytes returns the text that the ranges of Of are those of.
func (b *Body) Bytes(h *contract.FileHead) []byte {
	if c := b.of(h); c != nil {
		return c.bytes
	}
	return nil
}

// Covered returns the content that the message has of a view, and its text.
func (b *Body) Covered(v document.View) (*document.Content, []byte) {
	if b == nil {
		return nil, nil
	}
	for i := range b.contents {
		if c := &b.contents[i]; c.Hash == b.Covers.At(v).Hash {
			return &c.Content, c.bytes
		}
	}
	return nil, nil
}

func (b *Body) of(h *contract.FileHead) *content {
	if b == nil || h.Hash == "" {
		return nil
	}
	for i := range b.contents {
		if c := &b.contents[i]; c.Hash == h.Hash && c.Format == string(h.Format) {
			return c
		}
	}
	return nil
}

// find returns a chunk in any content of the message.
func (b *Body) find(id document.ChunkID) (*document.Chunk, *content) {
	if b == nil {
		return nil, nil
	}
	for i := range b.contents {
		if c := chunkOf(&b.contents[i].Content, id); c != nil {
			return c, &b.contents[i]
		}
	}
	return nil, nil
}

func chunkOf(c *document.Content, id document.ChunkID) *document.Chunk {
	for i := range c.Chunks {
		if c.Chunks[i].ID == id {
			return &c.Chunks[i]
		}
	}
	return nil
}

func decodeBody(seq uint64, head contract.OutputHead, metaLen string, raw []byte) (*Body, error) {
	meta, blob, err := contract.SplitChunks(map[string][]string{contract.HeaderMeta: {metaLen}}, raw)
	if err != nil {
		return nil, fmt.Errorf("read the chunks of %s: %w", head.Path, err)
	}
	b := &Body{Seq: seq, Covers: head.Covers, contents: make([]content, len(meta.Contents))}
	for i, c := range meta.Contents {
		b.contents[i] = content{c, blob[c.Offset : c.Offset+c.Size : c.Offset+c.Size]}
	}
	return b, nil
}

// chunkCost estimates the memory of a decoded chunk beside its text, in bytes.
const chunkCost = 320

func (b *Body) cost(raw int) int64 {
	n := int64(raw) + 256
	for i := range b.contents {
		n += chunkCost * int64(len(b.contents[i].Chunks))
	}
	return n
}

// Reader reads bodies from the log and keeps the last ones. It is safe for
// concurrent use.
type Reader struct {
	bus    *bus.Bus
	chunks *lru.Cache[uint64, *Body]            // by sequence in CHUNKS
	files  *lru.Cache[document.Version, []byte] // by version
	large  *flights
	broken func(error)
}

// NewReader returns a Reader that keeps at most limit bytes. A message that
// cannot be read has no contents, so that one document does not fail the
// answers about others; broken is told of it.
func NewReader(b *bus.Bus, limit int64, broken func(error)) *Reader {
	return &Reader{bus: b, broken: broken, large: newFlights(), chunks: lru.New[uint64, *Body](limit * 3 / 4), files: lru.New[document.Version, []byte](limit / 4)}
}

// Run ends, with ctx, what the Reader reads beside the questions, and waits for it.
func (r *Reader) Run(ctx context.Context) error {
	<-ctx.Done()
	r.large.stop()
	return nil
}

// Chunks returns the chunks of documents as they are now, in one request for
// all that are not kept. A document without chunks is absent; one whose large body
// cannot be read while ctx has time for more is Late.
func (r *Reader) Chunks(ctx context.Context, keys []DocKey) (map[DocKey]*Body, error) {
	out := make(map[DocKey]*Body, len(keys))
	table := r.bus.Outputs(contract.StreamChunks)
	var missing []string
	for _, k := range keys {
		head, ok := table.Get(bus.OutputKey{Generation: k.Generation, Source: k.Source, Doc: k.Doc})
		if ok {
			if b, kept := r.chunks.Get(head.Seq); kept {
				out[k] = b
				continue
			}
		}
		missing = append(missing, contract.ChunksSubject(k.Generation, k.Source, k.Doc))
	}
	return out, r.fetchChunks(ctx, missing, out)
}

// Cut reports whether CHUNKS is known to have a content. It may have it though
// the head table does not know yet.
func (r *Reader) Cut(k DocKey, h document.Hash) bool {
	head, ok := r.bus.Outputs(contract.StreamChunks).Get(bus.OutputKey{Generation: k.Generation, Source: k.Source, Doc: k.Doc})
	if !ok {
		return false
	}
	for _, c := range head.Covers.All() {
		if c.Hash == h {
			return true
		}
	}
	return false
}

// Fetch is Chunks without what is kept: the heads as the log has them.
func (r *Reader) Fetch(ctx context.Context, keys []DocKey) (map[DocKey]*Body, error) {
	out := make(map[DocKey]*Body, len(keys))
	subjects := make([]string, len(keys))
	for i, k := range keys {
		subjects[i] = contract.ChunksSubject(k.Generation, k.Source, k.Doc)
	}
	return out, r.fetchChunks(ctx, subjects, out)
}

func (r *Reader) fetchChunks(ctx context.Context, subjects []string, out map[DocKey]*Body) error {
	if len(subjects) == 0 {
		return nil
	}
	msgs, err := r.bus.GetLast(ctx, contract.StreamChunks, subjects...)
	if err != nil {
		return fmt.Errorf("read chunks: %w", err)
	}
	for _, m := range msgs {
		head, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
		if err != nil {
			r.broken(err)
			continue
		}
		k := DocKey{head.Generation, head.Source, head.Doc}
		if b, kept := r.chunks.Get(m.Seq); kept {
			out[k] = b
			continue
		}
		b, err := r.bodyOf(ctx, m, head)
		switch {
		case errors.Is(err, bus.ErrGone):
			continue // replaced between the two reads; the caller looks again
		case errors.Is(err, ErrLate):
			b = &Body{Seq: m.Seq, Covers: head.Covers, Unread: err}
		case err != nil && ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			bus.TellUnread(r.bus, err)
			r.broken(err)
			b = &Body{Seq: m.Seq, Covers: head.Covers, Unread: err}
		}
		out[k] = b
	}
	return nil
}

// Files returns the texts of versions, in one request for all that are not kept. A
// version that is no longer its document's newest is absent, and so is one of a format:
// its text is in CHUNKS, or not made yet. The bytes are shared and must not be changed.
func (r *Reader) Files(ctx context.Context, heads []contract.FileHead) (map[document.Version][]byte, error) {
	out := make(map[document.Version][]byte, len(heads))
	var subjects []string
	for i := range heads {
		h := &heads[i]
		if h.Format != "" {
			continue
		}
		if b, kept := r.files.Get(h.Version); kept {
			out[h.Version] = b
			continue
		}
		subjects = append(subjects, contract.FileSubject(h.Source, h.Doc, h.View))
	}
	if len(subjects) == 0 {
		return out, nil
	}
	msgs, err := r.bus.GetLast(ctx, contract.StreamFiles, subjects...)
	if err != nil {
		return nil, fmt.Errorf("read contents: %w", err)
	}
	for i := range heads {
		h := &heads[i]
		m := msgs[contract.FileSubject(h.Source, h.Doc, h.View)]
		if m == nil || document.Version(m.Seq) != h.Version || h.Format != "" {
			continue
		}
		raw, err := m.Content(ctx, h)
		if errors.Is(err, bus.ErrGone) {
			continue
		}
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			bus.TellUnread(r.bus, err)
			r.broken(err)
			continue
		}
		r.files.Put(h.Version, raw, int64(len(raw))+128)
		out[h.Version] = raw
	}
	return out, nil
}
