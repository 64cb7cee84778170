package plain

import (
	"bytes"
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/recall"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// Analyzer makes the tokens of a passage as the lexical sink gets them.
type Analyzer interface {
	Passage(path document.Path, span *document.Span, text []byte, prose bool) []string
}

// Reader reads what the log has of documents.
type Reader interface {
	// Cut reports whether CHUNKS is known to have a content.
	Cut(k resolve.DocKey, h document.Hash) bool
	Chunks(ctx context.Context, keys []resolve.DocKey) (map[resolve.DocKey]*resolve.Body, error)
	Files(ctx context.Context, heads []contract.FileHead) (map[document.Version][]byte, error)
}

// Searcher searches pending documents. It is safe for concurrent use.
type Searcher struct {
	Reader     Reader
	Analyzer   Analyzer
	Generation func(document.Collection) (document.Generation, bool)
	// At most Documents documents with at most Bytes bytes are searched.
	Documents int
	Bytes     int64
}

// Result is what was found, best first, and in which versions was searched.
type Result struct {
	Found    []candidate.Found
	Searched map[document.Version]bool
	With     []int // passages that hold each of the terms; nil without any
}

// passage is a chunk or window with its occurrences of the query's terms.
type passage struct {
	found  candidate.Found
	counts []int // by term
	length int   // tokens
}

// Search looks for terms in the newest contents of heads, which come in order
// of importance. keep says which passages the query's filter lets through, and
// lines whether it can be asked about plain lines of a path: where it can not,
// documents that are not cut yet are left out, because the filter asks for what
// only their chunks will tell. It ends with ctx and returns what it had by then.
func (s *Searcher) Search(ctx context.Context, heads []contract.FileHead, terms []store.Term, scale Scale, keep func(*store.Attrs) bool, lines func(document.Path) bool) (Result, error) {
	r := Result{Searched: map[document.Version]bool{}}
	heads = s.choose(heads)
	if len(heads) == 0 || len(terms) == 0 {
		return r, nil
	}
	keys := make([]resolve.DocKey, len(heads))
	var cut []resolve.DocKey
	for i := range heads {
		keys[i] = s.key(&heads[i])
		// The newest documents of a load are not cut yet; asking whether they
		// are by now would cost as much as reading them.
		if !lines(heads[i].Path) || s.Reader.Cut(keys[i], heads[i].Hash) {
			cut = append(cut, keys[i])
		}
	}
	bodies, err := s.Reader.Chunks(ctx, cut)
	if err != nil {
		return r, err
	}
	var uncut []contract.FileHead
	for i := range heads {
		if lines(heads[i].Path) && bodies[keys[i]].Of(&heads[i]) == nil {
			uncut = append(uncut, heads[i])
		}
	}
	contents, err := s.Reader.Files(ctx, uncut)
	if err != nil {
		return r, err
	}
	filter := newSieve(terms)
	var all []passage
	for i := range heads {
		if over(ctx) {
			break
		}
		h := &heads[i]
		body := bodies[keys[i]]
		if cut := body.Of(h); cut != nil {
			all = s.chunks(all, h, keys[i].Generation, cut, body.Bytes(h), filter, keep)
		} else if raw, ok := contents[h.Version]; ok {
			all = s.windows(all, h, keys[i].Generation, raw, filter, keep)
		} else {
			continue // left out, or replaced meanwhile
		}
		r.Searched[h.Version] = true
	}
	r.Found, r.With = rate(all, terms, scale), with(all, terms)
	slices.SortFunc(r.Found, recall.ByScore)
	return r, nil
}

// with counts the passages that hold each term.
func with(all []passage, terms []store.Term) []int {
	n := make([]int, len(terms))
	for i := range all {
		for t, count := range all[i].counts {
			if count > 0 {
				n[t]++
			}
		}
	}
	return n
}

// over reports whether the time is up. What was found by then still counts.
func over(ctx context.Context) bool { return ctx.Err() != nil }

// BulkShare divides both limits for documents that were not seen live. A bulk
// load has more of them than could ever be searched, so that a few of the
// newest are worth little, and searching all that the limits allow takes a
// hundred milliseconds of every query.
const BulkShare = 16

func (s *Searcher) choose(heads []contract.FileHead) []contract.FileHead {
	var out []contract.FileHead
	left, bulk := s.Bytes, s.Bytes/BulkShare
	bulkLeft := max(1, s.Documents/BulkShare)
	for _, h := range heads {
		if _, ok := s.Generation(h.Collection); h.Op != contract.OpPut || !ok {
			continue
		}
		if h.Size > left || !h.Live && (h.Size > bulk || bulkLeft == 0) {
			continue
		}
		left -= h.Size
		if !h.Live {
			bulk -= h.Size
			bulkLeft--
		}
		if out = append(out, h); len(out) == s.Documents {
			break
		}
	}
	return out
}

func (s *Searcher) key(h *contract.FileHead) resolve.DocKey {
	g, _ := s.Generation(h.Collection)
	return resolve.DocKey{Generation: g, Source: h.Source, Doc: h.Doc}
}

// chunks adds the chunks of a document that is cut but not shown yet.
func (s *Searcher) chunks(all []passage, h *contract.FileHead, g document.Generation, cut *document.Content, raw []byte, f *sieve, keep func(*store.Attrs) bool) []passage {
	for i := range cut.Chunks {
		c := &cut.Chunks[i]
		all = s.add(all, candidate.OfChunk(h, g, cut.Language, c), h, &c.Span, raw[c.StartByte:c.EndByte], f, keep)
	}
	return all
}

// windows adds the lines of a document that is not cut yet.
func (s *Searcher) windows(all []passage, h *contract.FileHead, g document.Generation, raw []byte, f *sieve, keep func(*store.Attrs) bool) []passage {
	for i, w := range windows(raw) {
		text := raw[w.start:w.end:w.end]
		span := document.Span{StartByte: w.start, EndByte: w.end, StartLine: w.startLine, EndLine: w.endLine, Kind: document.KindBlock}
		p := inWindow(h, g, text, &w)
		before := len(all)
		if all = s.add(all, p, h, &span, text, f, keep); len(all) > before {
			all[before].found.ID = windowID(h, text, i)
		}
	}
	return all
}

// add counts the query's terms in a passage and keeps it if it has any.
func (s *Searcher) add(all []passage, p candidate.Found, h *contract.FileHead, span *document.Span, text []byte, f *sieve, keep func(*store.Attrs) bool) []passage {
	if keep != nil && !keep(&p.Attrs) || !f.mayMatch(h.Path, span, text) {
		return all
	}
	counts, length := s.count(h, span, text, f)
	if counts == nil {
		return all
	}
	return append(all, passage{found: p, counts: counts, length: length})
}

// count returns how often each term occurs in a passage, nil where none does,
// and how many tokens it has.
func (s *Searcher) count(h *contract.FileHead, span *document.Span, text []byte, f *sieve) (counts []int, length int) {
	tokens := s.Analyzer.Passage(h.Path, span, text, h.Collection.Prose())
	for _, t := range tokens {
		if i, ok := f.index[t]; ok {
			if counts == nil {
				counts = make([]int, f.terms)
			}
			counts[i]++
		}
	}
	return counts, len(tokens)
}

// Matcher returns what tells of lines whether they hold one of the terms, as
// Search would find them if they stood alone.
func (s *Searcher) Matcher(terms []store.Term) func(h *contract.FileHead, at *document.Span, text []byte) bool {
	f := newSieve(terms)
	return func(h *contract.FileHead, at *document.Span, text []byte) bool {
		if !f.mayMatch(h.Path, at, text) {
			return false
		}
		counts, _ := s.count(h, at, text, f)
		return counts != nil
	}
}

// sieve lets passages through that may hold a term, without analysing them.
type sieve struct {
	terms  int            // variants of a question may name one several times
	index  map[string]int // term to its last place
	starts [][]byte       // lower-case beginnings that a stem shares with its words
}

// sieveBytes is how much of a token is looked for: stemming may change the
// end of a word (happy, happi), not its beginning.
const sieveBytes = 3

func newSieve(terms []store.Term) *sieve {
	f := &sieve{terms: len(terms), index: make(map[string]int, len(terms))}
	for i, t := range terms {
		f.index[t.Token] = i
		start := []byte(t.Token[:min(len(t.Token), sieveBytes)])
		if !slices.ContainsFunc(f.starts, func(o []byte) bool { return bytes.Equal(o, start) }) {
			f.starts = append(f.starts, start)
		}
	}
	return f
}

func (f *sieve) mayMatch(path document.Path, span *document.Span, text []byte) bool {
	for _, part := range [][]byte{text, []byte(path), []byte(span.Label), []byte(span.Context)} {
		if f.inText(part) {
			return true
		}
	}
	return slices.ContainsFunc(span.Headings, func(h string) bool { return f.inText([]byte(h)) })
}

// inText looks at ASCII only; folding and joined words make other text look
// different from its tokens.
func (f *sieve) inText(text []byte) bool {
	lower := make([]byte, len(text))
	for i, c := range text {
		if c >= 0x80 {
			return true
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		lower[i] = c
	}
	for _, start := range f.starts {
		if bytes.Contains(lower, start) {
			return true
		}
	}
	return false
}
