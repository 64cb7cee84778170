package query

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
)

// cut publishes the chunks of a path in all its views: one for each run of
// lines between blank ones.
func (r *rig) cut(name string) {
	r.Helper()
	if err := r.bus.Outputs(contract.StreamChunks).Wait(r.Context(), r.cutUnseen(name)); err != nil {
		r.Fatal(err)
	}
}

// cutUnseen does it for a service whose head table need not have come so far. It
// returns the sequence in CHUNKS.
func (r *rig) cutUnseen(name string) uint64 {
	r.Helper()
	source, path, _ := at(name)
	doc := document.DocOf(path)
	subject := contract.ChunksSubject(generation, source, doc)
	old, previous := r.chunks(subject)
	var covers contract.Covers
	body := contract.ChunksBody{Path: path, Collection: document.CollectionCode, Contents: []document.Content{}}
	var blob []byte
	for _, view := range []document.View{document.Worktree, "main", "next"} {
		m := r.last(contract.StreamFiles, contract.FileSubject(source, doc, view))
		if m == nil {
			continue
		}
		head, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
		if err != nil {
			r.Fatal(err)
		}
		covers = covers.With(view, contract.Cover{Version: head.Version, Hash: head.Hash})
		if head.Op != contract.OpPut || has(body.Contents, head.Hash) {
			continue
		}
		raw, err := m.Body(r.Context())
		if err != nil {
			r.Fatal(err)
		}
		textless := ""
		if head.Format != "" {
			raw, textless = madeOf(raw)
		}
		c := blocks(raw, source, path, head.Version, old)
		c.Hash, c.Offset, c.Size = head.Hash, len(blob), len(raw)
		if head.Format != "" {
			c.Format, c.TextHash, c.Textless = string(head.Format), document.HashOf(raw), textless
			if textless == "" {
				c.Parts = []document.Located{{End: len(raw), Part: document.Part{Kind: document.PartCell, From: 7, To: 7}}}
			}
		}
		body.Contents = append(body.Contents, c)
		blob = append(blob, raw...)
	}
	count := 0
	for _, c := range body.Contents {
		count += len(c.Chunks)
	}
	textless := slices.ContainsFunc(body.Contents, func(c document.Content) bool { return c.Textless != "" })
	header := contract.OutputHead{Path: path, Covers: covers, Count: count, Textless: textless}.Header()
	joined, err := contract.JoinBody(header, body, blob)
	if err != nil {
		r.Fatal(err)
	}
	return r.publish(bus.Out{Subject: subject, Header: header, Body: joined, Expect: previous})
}

func has(contents []document.Content, h document.Hash) bool {
	for _, c := range contents {
		if c.Hash == h {
			return true
		}
	}
	return false
}

// chunks returns the chunks of a document's head by digest, and its sequence.
func (r *rig) chunks(subject string) (map[document.Hash]document.Chunk, uint64) {
	r.Helper()
	byDigest := map[document.Hash]document.Chunk{}
	m := r.last(contract.StreamChunks, subject)
	if m == nil {
		return byDigest, 0
	}
	var body contract.ChunksBody
	r.split(m, &body)
	for _, c := range body.Contents {
		for _, k := range c.Chunks {
			byDigest[k.Digest] = k
		}
	}
	return byDigest, m.Seq
}

func (r *rig) split(m *bus.Msg, into any) (blob []byte) {
	r.Helper()
	raw, err := m.Body(r.Context())
	if err == nil {
		blob, err = contract.SplitBody(m.Header, raw, into)
	}
	if err != nil {
		r.Fatal(err)
	}
	return blob
}

func blocks(raw []byte, source document.Source, path document.Path, v document.Version, old map[document.Hash]document.Chunk) document.Content {
	c := document.Content{Language: "go", Chunks: []document.Chunk{}}
	line, start, startLine := 1, 0, 1
	add := func(end, endLine int) {
		text := raw[start:end]
		if len(bytes.TrimSpace(text)) == 0 {
			return
		}
		digest := document.HashOf(text)
		born := v
		if k, ok := old[digest]; ok {
			born = k.Born
		}
		span := document.Span{StartByte: start, EndByte: end, StartLine: startLine, EndLine: endLine, Kind: document.KindBlock}
		if rest, ok := strings.CutPrefix(string(text), "func "); ok {
			span.Kind, span.Symbol = document.KindFunction, rest[:strings.IndexByte(rest, '(')]
			for _, more := range strings.Split(rest, "\nfunc ")[1:] {
				span.Names = append(span.Names, more[:strings.IndexByte(more, '(')])
			}
		} else if n := len(c.Chunks); n > 0 && text[0] == '\t' && c.Chunks[n-1].Symbol != "" { // a later part of it
			span.Kind, span.Symbol, span.Context = document.KindFunction, c.Chunks[n-1].Symbol, "func "+c.Chunks[n-1].Symbol
		}
		c.Chunks = append(c.Chunks, document.Chunk{ID: document.NewChunkID(source, path, digest, 0, born), Born: born, Digest: digest, Span: span})
	}
	at := 0
	for _, l := range bytes.SplitAfter(raw, []byte("\n")) {
		if len(bytes.TrimSpace(l)) == 0 {
			add(at, line-1)
			start, startLine = at+len(l), line+1
		}
		at += len(l)
		line++
	}
	add(len(raw), line-1)
	return c
}

// index brings a sink in step with CHUNKS for one path, as an indexer does:
// apply, refresh, INDEXED.
func (r *rig) index(name string, sink document.Sink) {
	r.Helper()
	source, path, _ := at(name)
	doc := document.DocOf(path)
	m := r.last(contract.StreamChunks, contract.ChunksSubject(generation, source, doc))
	head, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		r.Fatal(err)
	}
	var body contract.ChunksBody
	blob := r.split(m, &body)
	subject := contract.IndexedSubject(generation, sink, source, doc)
	was := r.last(contract.StreamIndexed, subject)
	var shown contract.IndexedBody
	if was != nil {
		r.split(was, &shown)
	}
	gone := map[document.ChunkID]bool{}
	for _, id := range shown.IDs {
		gone[id] = true
	}
	now := contract.IndexedBody{IDs: []document.ChunkID{}}
	for _, c := range body.Contents {
		for _, k := range c.Chunks {
			if gone[k.ID] {
				delete(gone, k.ID)
			} else {
				r.apply(sink, k.ID, &k.Span, store.Attrs{Source: source, Doc: doc, Path: path, Language: c.Language, Kind: k.Kind, Symbol: k.Defines()},
					blob[c.Offset+k.StartByte:c.Offset+k.EndByte])
			}
			now.IDs = append(now.IDs, k.ID)
		}
	}
	for id := range gone {
		r.unapply(sink, id)
	}
	header := contract.OutputHead{Path: path, Covers: head.Covers, Store: r.storeID(sink), Count: len(now.IDs)}.Header()
	joined, err := contract.JoinBody(header, now, nil)
	if err != nil {
		r.Fatal(err)
	}
	seq := r.publish(bus.Out{Subject: subject, Header: header, Body: joined, Expect: seqOf(was)})
	if err := r.bus.Outputs(contract.StreamIndexed).Wait(r.Context(), seq); err != nil {
		r.Fatal(err)
	}
}

// list publishes that a sink shows a version of a document, of no passages. It
// may run beside the test.
func (r *rig) list(name string, sink document.Sink, cover contract.Cover, previous uint64) (seq uint64) {
	source, path, view := at(name)
	header := contract.OutputHead{Path: path, Covers: contract.Covering(view, cover), Store: r.storeID(sink)}.Header()
	body, err := contract.JoinBody(header, contract.IndexedBody{IDs: []document.ChunkID{}}, nil)
	if err != nil {
		r.Error(err)
		return 0
	}
	subject := contract.IndexedSubject(generation, sink, source, document.DocOf(path))
	ack := r.bus.Publish(r.Context(), bus.Out{Subject: subject, Header: header, Body: body, Expect: previous})[0]
	if ack.Err != nil {
		r.Error(ack.Err)
	}
	return ack.Seq
}

func (r *rig) apply(sink document.Sink, id document.ChunkID, span *document.Span, attrs store.Attrs, text []byte) {
	r.Helper()
	if sink == document.Lexical {
		tokens := r.analyzer.Passage(attrs.Path, span, text, false)
		res, err := r.lexical.real.Apply(r.Context(), store.LexicalBatch{Put: []store.LexicalEntry{{ID: id, Attrs: attrs, Tokens: tokens}}})
		r.applied(sink, res, err)
		return
	}
	vectors, errs := r.model.EmbedDocuments(r.Context(), []string{embed.Compose(attrs.Path, span, text)})
	if errs[0] != nil {
		r.Fatal(errs[0])
	}
	if vectors[0].IsZero() {
		return
	}
	res, err := r.vector.real.Apply(r.Context(), store.VectorBatch{Put: []store.VectorEntry{{ID: id, Attrs: attrs, Vector: vectors[0]}}})
	r.applied(sink, res, err)
}

func (r *rig) unapply(sink document.Sink, id document.ChunkID) {
	r.Helper()
	var res store.Result
	var err error
	if sink == document.Lexical {
		res, err = r.lexical.real.Apply(r.Context(), store.LexicalBatch{Delete: []document.ChunkID{id}})
	} else {
		res, err = r.vector.real.Apply(r.Context(), store.VectorBatch{Delete: []document.ChunkID{id}})
	}
	r.applied(sink, res, err)
}

func (r *rig) applied(sink document.Sink, res store.Result, err error) {
	r.Helper()
	if sink == document.Lexical {
		err = errors.Join(err, r.lexical.real.Refresh(r.Context()))
	} else {
		err = errors.Join(err, r.vector.real.Refresh(r.Context()))
	}
	if err = errors.Join(append(append([]error{err}, res.Put...), res.Delete...)...); err != nil {
		r.Fatal(err)
	}
}
