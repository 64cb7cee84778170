package analysis

import (
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/freshet-dev/freshet/pkg/document"
)

// version is raised with every change of this package that changes tokens.
const version = "lex3-snowball"

// Lengths in bytes. Longer tokens are encoded data or hashes that nobody
// types; they would only lengthen the dictionary.
const (
	maxWord  = 64  // of a word or a part
	maxWhole = 128 // of an identifier kept whole
	maxRun   = 512 // of a run whose parts are looked at
)

// Sizes of the caches, in entries. Full, they take about 8 MB; 32,768 pieces
// serve 95 % of those in Go's source tree, twice as many 96 %.
const (
	pieceEntries = 1 << 15
	stemEntries  = 1 << 14
	wordEntries  = 1 << 14
	markEntries  = 1 << 12 // of each language beside English
)

// Analyzer makes tokens. It is safe for concurrent use; equal tokens mostly
// share memory, through bounded caches. One per process is enough.
type Analyzer struct {
	pieces  *cache[[]string]                      // piece as it stands in a text, to its tokens
	stems   *cache[string]                        // lower-case word, to its stem
	words   *cache[[]string]                      // name or path, to its words
	marks   [len(foreignLanguages)]*cache[string] // piece, to its marked stem
	scratch sync.Pool                             // *[]string
}

// New returns an Analyzer with empty caches.
func New() *Analyzer {
	a := &Analyzer{
		pieces:  newCache[[]string](pieceEntries),
		stems:   newCache[string](stemEntries),
		words:   newCache[[]string](wordEntries),
		scratch: sync.Pool{New: func() any { s := make([]string, 0, 1024); return &s }},
	}
	for i := range a.marks {
		a.marks[i] = newCache[string](markEntries)
	}
	return a
}

// Signature names everything on which tokens depend. An index whose
// signature differs has to be built again.
func (a *Analyzer) Signature() string {
	return version + "-nfkc" + norm.Version + "-unicode" + unicode.Version
}

// Passage returns the tokens of a chunk, in order and with duplicates: the
// stem of its file twice, its last three directories, the headings, the
// label, the context, and the text (the order of embed.Compose). In prose a
// compound with hyphens is also kept whole (claim-check); in code a hyphen is
// an operator. Prose in another language than English has the stems of that
// language beside those of English, marked so that no word is taken for one. No
// token is longer than 255 bytes. The result is the caller's;
// text is not kept.
func (a *Analyzer) Passage(path document.Path, span *document.Span, text []byte, prose bool) []string {
	scratch := a.scratch.Get().(*[]string)
	out := a.appendPath((*scratch)[:0], path)
	in := unmarked
	if prose {
		in = detect(text)
	}
	for _, h := range span.Headings {
		out = a.appendText(out, []byte(h), true, in)
	}
	out = a.appendText(out, []byte(span.Label), prose, in)
	out = a.appendText(out, []byte(span.Context), prose, in)
	out = a.appendText(out, text, prose, in)
	tokens := append(make([]string, 0, len(out)), out...)
	*scratch = out
	a.scratch.Put(scratch)
	return tokens
}

// appendPath appends the words of a path that Passage gives a chunk.
func (a *Analyzer) appendPath(dst []string, path document.Path) []string {
	raw := document.Path(path.Raw())
	stem := []byte(raw.Stem())
	dst = a.appendText(dst, stem, true, unmarked)
	dst = a.appendText(dst, stem, true, unmarked)
	dirs := raw.Dirs()
	dirs = dirs[max(0, len(dirs)-3):]
	return a.appendText(dst, []byte(strings.Join(dirs, " ")), true, unmarked)
}

// appendText appends the tokens of a text in a language, with those of compounds
// if asked.
func (a *Analyzer) appendText(dst []string, text []byte, compounds bool, in language) []string {
	s := scanner{text: text, compounds: compounds}
	for {
		k, piece, ok := s.next()
		if !ok {
			return dst
		}
		tokens, ok := a.pieces.get(piece)
		if !ok {
			tokens = a.tokens(k, string(piece))
			if len(piece) <= maxWhole {
				a.pieces.put(string(piece), tokens)
			}
		}
		dst = append(dst, tokens...)
		if in != unmarked {
			if token := a.markedPiece(in, k, piece); token != "" {
				dst = append(dst, token)
			}
		}
	}
}

// markedPiece is marked for a piece of a text.
func (a *Analyzer) markedPiece(in language, k kind, piece []byte) string {
	marks := a.marks[in-1]
	token, ok := marks.get(piece)
	if !ok {
		if names := namesOf(k, string(piece)); k != compound && len(names) == 1 {
			token = a.marked(in, &names[0])
		}
		if len(piece) <= maxWord {
			marks.put(string(piece), token)
		}
	}
	return token
}

// tokens returns the tokens of a piece.
func (a *Analyzer) tokens(k kind, piece string) []string {
	var out []string
	for _, n := range namesOf(k, piece) {
		if n.whole != "" {
			out = append(out, n.whole)
		}
		for _, part := range n.parts {
			out = append(out, a.stem(part))
		}
	}
	return out
}
