package plain

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// Line is a line of a version of a document.
type Line struct {
	Head contract.FileHead
	Line int // from 1
	// In returns the line that is meant in the text, 0 for none; nil: it is Line.
	In func(text []byte) int
}

// Holder is the passage that holds a line.
type Holder struct {
	Found candidate.Found
	Line  int  // that was meant, 0 where no passage holds it
	Read  bool // whether the log gave the text of the document
}

// At returns for each line the passage that holds it: a chunk of a document that is
// cut, or plain lines of one that is not. A blank line is in the passage behind it,
// or before it at the end.
func (s *Searcher) At(ctx context.Context, lines []Line, keep func(*store.Attrs) bool) ([]Holder, error) {
	var keys []resolve.DocKey
	var heads []contract.FileHead
	at := map[document.Version]int{}
	for i := range lines {
		h := &lines[i].Head
		if _, ok := s.Generation(h.Collection); h.Op != contract.OpPut || !ok {
			continue
		}
		if _, known := at[h.Version]; !known {
			at[h.Version] = len(heads)
			heads, keys = append(heads, *h), append(keys, s.key(h))
		}
	}
	passages, texts, err := s.spots(ctx, heads, keys)
	if err != nil {
		return nil, err
	}
	out := make([]Holder, len(lines))
	for i := range lines {
		k, ok := at[lines[i].Head.Version]
		if !ok {
			continue
		}
		line := lines[i].Line
		if in := lines[i].In; in != nil {
			line = in(texts[k])
		}
		out[i].Read = texts[k] != nil
		if p := holder(passages[k], line); p != nil && line > 0 && (keep == nil || keep(&p.found.Attrs)) {
			out[i].Found, out[i].Line = p.found, min(max(line, p.first), p.last)
		}
	}
	return out, nil
}

// spots returns the passages of documents, and their texts: nil where the log gives none.
func (s *Searcher) spots(ctx context.Context, heads []contract.FileHead, keys []resolve.DocKey) (passages [][]spot, texts [][]byte, err error) {
	if len(heads) == 0 {
		return nil, nil, nil
	}
	bodies, err := s.Reader.Chunks(ctx, keys)
	if err != nil {
		return nil, nil, err
	}
	var uncut []contract.FileHead
	for i := range heads {
		if bodies[keys[i]].Late() {
			return nil, nil, resolve.ErrLate
		}
		if bodies[keys[i]].Of(&heads[i]) == nil {
			uncut = append(uncut, heads[i])
		}
	}
	contents, err := s.Reader.Files(ctx, uncut)
	if err != nil {
		return nil, nil, err
	}
	passages, texts = make([][]spot, len(heads)), make([][]byte, len(heads))
	for i := range heads {
		h := &heads[i]
		if cut := bodies[keys[i]].Of(h); cut != nil {
			passages[i], texts[i] = spotsOfChunks(h, keys[i].Generation, cut), bodies[keys[i]].Bytes(h)
		} else if raw, ok := contents[h.Version]; ok {
			passages[i], texts[i] = spotsOfLines(h, keys[i].Generation, raw), raw
		} else {
			continue
		}
		if texts[i] == nil {
			texts[i] = []byte{}
		}
	}
	return passages, texts, nil
}

// spot is a passage and its lines.
type spot struct {
	found       candidate.Found
	first, last int
}

// holder returns the passage that holds a line, of several the shortest.
func holder(all []spot, line int) *spot {
	var best, next, before *spot
	for i := range all {
		p := &all[i]
		switch {
		case p.first <= line && line <= p.last:
			if best == nil || p.last-p.first < best.last-best.first {
				best = p
			}
		case p.first > line && (next == nil || p.first < next.first):
			next = p
		case p.last < line && (before == nil || p.last > before.last):
			before = p
		}
	}
	switch {
	case best != nil:
		return best
	case next != nil:
		return next
	case before != nil && before.last+1 >= line:
		return before
	}
	return nil
}

// Holding returns the index of the chunk that holds a line as At does; -1 for none.
func Holding(chunks []document.Chunk, line int) int {
	all := make([]spot, len(chunks))
	for i := range chunks {
		all[i] = spot{first: chunks[i].StartLine, last: chunks[i].EndLine}
	}
	p := holder(all, line)
	return slices.IndexFunc(chunks, func(c document.Chunk) bool { return p != nil && c.StartLine == p.first && c.EndLine == p.last })
}

func spotsOfChunks(h *contract.FileHead, g document.Generation, cut *document.Content) []spot {
	out := make([]spot, len(cut.Chunks))
	for i := range cut.Chunks {
		c := &cut.Chunks[i]
		out[i] = spot{candidate.OfChunk(h, g, cut.Language, c), c.StartLine, c.EndLine}
	}
	return out
}

func spotsOfLines(h *contract.FileHead, g document.Generation, raw []byte) []spot {
	var out []spot
	for i, w := range windows(raw) {
		text := raw[w.start:w.end:w.end]
		found := inWindow(h, g, text, &w)
		found.ID = windowID(h, text, i)
		out = append(out, spot{found, w.startLine, w.endLine})
	}
	return out
}

// inWindow is a window of a document that is not cut yet, without its id.
func inWindow(h *contract.FileHead, g document.Generation, text []byte, w *window) candidate.Found {
	return candidate.Found{
		Attrs:      store.Attrs{Source: h.Source, Doc: h.Doc, Path: h.Path, Kind: document.KindBlock},
		Generation: g,
		Window: &candidate.Window{View: h.View, Version: h.Version, Hash: h.Hash, Start: w.start,
			StartLine: w.startLine, EndLine: w.endLine, Text: text},
	}
}

// windowID is the id of the window i of a document. It is made like that of a
// chunk, of the version and the bytes, and never meets one.
func windowID(h *contract.FileHead, text []byte, i int) document.ChunkID {
	return document.NewChunkID(h.Source, h.Path, "lines:"+document.HashOf(text), i, h.Version)
}
