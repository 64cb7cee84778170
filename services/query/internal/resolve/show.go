package resolve

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// show returns a candidate as the first view shows it that does; ok is false
// where none does.
func (s *session) show(c *candidate.Candidate) (shown Shown, ok bool) {
	k := docOf(c)
	body := s.bodies[k]
	if skipResolve {
		if chunk, old := body.find(c.ID); chunk != nil {
			return s.chunk(c, contract.FileHead{Source: k.Source, Doc: k.Doc, Path: c.Attrs.Path, View: document.Worktree}, chunk, old), true
		}
	}
	if c.Window != nil {
		return s.showWindow(c)
	}
	for _, v := range s.views[k] {
		head, ok := s.head(k, v)
		if !ok {
			continue
		}
		now := body.of(&head)
		// What was searched may be the same content, as it was cut before.
		for _, in := range []*content{now, s.before[k].of(&head)} {
			if in == nil {
				continue
			}
			if chunk := chunkOf(&in.Content, c.ID); chunk != nil {
				return s.chunk(c, head, chunk, in), true
			}
		}
		if now != nil {
			continue
		}
		if shown, ok := s.showPending(c, head); ok {
			return shown, true
		}
	}
	return Shown{}, false
}

func (s *session) chunk(c *candidate.Candidate, head contract.FileHead, chunk *document.Chunk, in *content) Shown {
	return Shown{
		Candidate: *c, Head: head, Language: in.Language, Span: chunk.Span,
		Text: in.bytes[chunk.StartByte:chunk.EndByte], Content: in.bytes, Pending: s.isPending(&head),
		Part: document.PartOf(in.Parts, chunk.StartByte, chunk.EndByte),
	}
}

// showPending keeps a chunk of an older content if its text stands byte for
// byte in the new one, as whole lines where it is that, at those that it has there.
func (s *session) showPending(c *candidate.Candidate, head contract.FileHead) (Shown, bool) {
	chunk, old := s.bodies[docOf(c)].find(c.ID)
	now, ok := s.contents[head.Version]
	if chunk == nil || !ok {
		return Shown{}, false
	}
	text := old.bytes[chunk.StartByte:chunk.EndByte]
	shown, ok := s.moved(c, head, old.Language, chunk.Span, text, now, edgesOf(old.bytes, chunk.StartByte, chunk.EndByte))
	if !ok || s.want.Bare == nil {
		return shown, ok
	}
	shown.strip()
	return shown, s.want.Bare(&shown.Candidate, &shown.Head, &shown.Span, shown.Text)
}

// strip leaves of a passage its lines, as if nobody had cut them yet.
func (n *Shown) strip() {
	n.Language = language.OfPath(n.Head.Path)
	n.Span = document.Span{
		StartByte: n.Span.StartByte, EndByte: n.Span.EndByte, StartLine: n.Span.StartLine, EndLine: n.Span.EndLine, Kind: document.KindBlock,
	}
	c := &n.Candidate
	c.Attrs.Language, c.Attrs.Kind, c.Attrs.Symbol, c.Named = n.Language, document.KindBlock, "", contract.Channel{}
}

// showWindow shows lines of a pending document; the document may have moved on
// since they were found.
func (s *session) showWindow(c *candidate.Candidate) (Shown, bool) {
	w := c.Window
	head, ok := s.head(docOf(c), w.View)
	if !ok {
		return Shown{}, false
	}
	at := document.Span{StartByte: w.Start, EndByte: w.Start + len(w.Text), StartLine: w.StartLine, EndLine: w.EndLine, Kind: c.Attrs.Kind}
	if head.Hash == w.Hash && head.Format == "" {
		return Shown{Candidate: *c, Head: head, Language: c.Attrs.Language, Span: at, Text: w.Text, Pending: s.isPending(&head)}, true
	}
	now := s.bodies[docOf(c)].Bytes(&head)
	if now == nil {
		now = s.contents[head.Version]
	}
	return s.moved(c, head, c.Attrs.Language, at, w.Text, now, edges{begins: true, ends: true})
}

// moved places a passage in a newer content. of are its ends in the older one.
func (s *session) moved(c *candidate.Candidate, head contract.FileHead, lang string, at document.Span, text, now []byte, of edges) (Shown, bool) {
	start, ok := locate(now, text, at.StartByte, of)
	if !ok {
		return Shown{}, false
	}
	line := lineAt(now, start)
	at.EndLine += line - at.StartLine
	at.StartLine = line
	at.StartByte, at.EndByte = start, start+len(text)
	// Shared with the document's newest content, not with the older one, so
	// that what is shown is what the log has.
	return Shown{
		Candidate: *c, Head: head, Language: lang, Span: at, Text: now[start : start+len(text)], Content: now,
		Pending: s.isPending(&head),
	}, true
}

func (s *session) isPending(h *contract.FileHead) bool {
	return s.r.settlement.IsPending(bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View})
}

// drop notes a candidate that is not shown, and whether the log lists it at
// all.
func (s *session) drop(c *candidate.Candidate) {
	s.answer.Dropped++
	for _, v := range s.views[docOf(c)] {
		head, ok := s.head(docOf(c), v)
		if ok && uint64(head.Version) > s.after {
			s.answer.overtakes(&head)
		}
	}
	for _, head := range cutAnew(s, c) {
		s.answer.overtakes(&head)
	}
	if c.Window != nil || !s.isOrphan(c) {
		return
	}
	for sink, rank := range map[document.Sink]int{document.Lexical: c.Lexical.Rank, document.Vector: c.Vector.Rank} {
		if rank > 0 {
			s.answer.Orphans = append(s.answer.Orphans, Orphan{docOf(c), c.ID, sink})
		}
	}
}

// cutAnew returns the heads of a document whose passage was read out of the log, and is
// not one of its passages any more although its content is there: it was away between,
// and CHUNKS shows that, or what it was cut into since, which has other ids. To look again
// finds its lines or these.
func cutAnew(s *session, c *candidate.Candidate) (heads []contract.FileHead) {
	if c.Window != nil || c.Pending.Rank+c.Quoted.Rank+c.Placed.Rank == 0 {
		return nil
	}
	k := docOf(c)
	for _, v := range s.views[k] {
		if head, ok := s.head(k, v); ok {
			heads = append(heads, head)
		}
	}
	return heads
}

// isOrphan reports whether no state of the log that is still on its way can
// explain that a sink holds the passage.
func (s *session) isOrphan(c *candidate.Candidate) bool {
	k := docOf(c)
	body := s.bodies[k]
	if chunk, _ := body.find(c.ID); chunk != nil {
		return false
	}
	if body != nil && body.Unread != nil {
		return false // nobody knows what the log lists
	}
	views := s.views[k]
	if body != nil {
		views = sortedViews(body.Covers)
	}
	for _, v := range views {
		key := bus.FileKey{Source: k.Source, Doc: k.Doc, View: v}
		head, ok := s.heads[key]
		if !ok {
			head, ok = s.r.files.Get(key)
		}
		if s.r.settlement.IsPending(key) || ok && body != nil && body.Covers.At(v).Version < head.Version {
			return false
		}
		if ok && body == nil && head.Op == contract.OpPut {
			return false
		}
	}
	return true
}

// worktreeOnly are the views of most outputs. It must not be changed.
var worktreeOnly = []document.View{document.Worktree}

// sortedViews returns the views of an output, in their order.
func sortedViews(covers contract.Covers) []document.View {
	if _, ok := covers.Find(document.Worktree); ok && covers.Len() == 1 {
		return worktreeOnly
	}
	return inOrder(covers.Views())
}

// inOrder sorts views by name, the worktree first.
func inOrder(views []document.View) []document.View {
	slices.Sort(views)
	if i := slices.Index(views, document.Worktree); i > 0 {
		views = append([]document.View{document.Worktree}, slices.Delete(views, i, i+1)...)
	}
	return views
}

// union returns the views of both, in their order. It changes neither.
func union(a, b []document.View) []document.View {
	if len(a) == 0 || slices.Equal(a, b) {
		return b
	}
	both := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(both, v) {
			both = append(both, v)
		}
	}
	return inOrder(both)
}

func withView(views []document.View, v document.View) []document.View {
	if slices.Contains(views, v) {
		return views
	}
	return append(slices.Clone(views), v)
}
