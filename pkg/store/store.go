// Package store declares the two ports behind which passages are found: Lexical
// and Vector. A store is disposable: the log can fill it again. It holds ids,
// tokens or vectors, and the few attributes that filters and signals need.
//
// Every implementation passes the conformance suite of its port (package
// storetest), and is safe for concurrent use. Where a store does not exist,
// or a server does not answer, calls return document.Unavailable; only SetMark
// creates one.
package store

import (
	"context"
	"iter"
	"math"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// Sinks are the two stores of one generation.
type Sinks struct {
	Lexical Lexical
	Vector  Vector
}

// Attrs are what a store keeps of a chunk beside its tokens or vector. A
// search returns them with each hit.
type Attrs struct {
	Source   document.Source
	Doc      document.DocID
	Path     document.Path
	Language string
	Kind     string
	// Symbol is what document.Span.Defines returns: the names that the chunk
	// defines, one a line.
	Symbol string
}

// Filter narrows a search inside the store. Empty lists do not narrow; any
// entry of a list may match, and every list must match.
type Filter struct {
	Sources   []document.Source
	Languages []string
	Kinds     []string
	// Dirs are folders or whole paths: an entry matches a document whose path
	// equals it or lies below it. No globs.
	Dirs []string
}

// IsZero reports whether f lets everything through.
func (f Filter) IsZero() bool {
	return len(f.Sources) == 0 && len(f.Languages) == 0 && len(f.Kinds) == 0 && len(f.Dirs) == 0
}

// Hit is a chunk found by a search, best first. Scores of one store are
// comparable with each other only.
type Hit struct {
	ID    document.ChunkID
	Score float64
	Attrs Attrs
}

// Ref names a chunk that a store holds, and its document.
type Ref struct {
	ID     document.ChunkID
	Source document.Source
	Doc    document.DocID
}

// Scope narrows IDs to one document; the zero Scope is everything.
type Scope struct {
	Source document.Source
	Doc    document.DocID
}

// Result has one error per item of a batch, in the batch's order; nil means
// done. Putting an id that is there, and deleting one that is not, is done.
type Result struct {
	Put    []error
	Delete []error
}

// Mark is what a store keeps of itself, inside it: by it a store that was
// wiped, exchanged or restored from an older copy is told apart from the one
// that the log knows.
type Mark struct {
	// ID is the random identity that the store was given; empty in a store
	// that was never given one, or lost it.
	ID string
	// Position is the INDEXED sequence up to which the store is complete.
	Position uint64
}

// Store is what both ports share.
type Store interface {
	// Mark reads the mark. It is the zero Mark where there is no store yet;
	// it is never one that was read before.
	Mark(ctx context.Context) (Mark, error)
	// PeekMark reads the mark as Mark does, and looks at nothing else: it costs
	// one small request, so that every search can be followed by one.
	PeekMark(ctx context.Context) (Mark, error)
	// SetMark writes the mark, and creates the store where there is none. It
	// may be persisted later (at the next snapshot), never earlier than what
	// was applied before the call.
	SetMark(ctx context.Context, m Mark) error
	// Refresh makes everything applied so far visible to Search and IDs.
	Refresh(ctx context.Context) error
	// IDs iterates over what the store holds, in no order. It sees what was
	// refreshed before the call; later changes may or may not appear.
	IDs(ctx context.Context, scope Scope) iter.Seq2[Ref, error]
	// Count is the number of chunks held.
	Count(ctx context.Context) (int, error)
	// Drop deletes everything, the mark included. An embedded store is closed
	// by it.
	Drop(ctx context.Context) error
	// Close persists what is not yet persisted and releases resources.
	Close() error
}

// Expunger is a store whose files are freshet's own.
type Expunger interface {
	// Expunge writes the files anew without what was deleted, and returns how
	// many chunks that leaves out.
	Expunge(ctx context.Context) (chunks int, err error)
}

// Saver is a store that works in memory and keeps what it holds in files of its
// own, at each snapshot.
type Saver interface {
	// SnapshotErr is the error of the last snapshot, nil after one that
	// succeeded.
	SnapshotErr() error
	// Recovered says in one sentence which files could not be read when the store
	// was opened, so that it was begun empty; "" where all could.
	Recovered() string
}

// LexicalEntry is a chunk for the lexical sink. Tokens are the output of
// package analysis, in order, each at most 255 bytes; duplicates count.
type LexicalEntry struct {
	ID     document.ChunkID
	Attrs  Attrs
	Tokens []string
}

// LexicalBatch is applied deletes last; an id may not stand in both lists.
type LexicalBatch struct {
	Put    []LexicalEntry
	Delete []document.ChunkID
}

// Term is a token of a query with its weight.
type Term struct {
	Token  string
	Weight float64
	// Required leaves out what does not hold it.
	Required bool
}

// Lexical ranks by BM25 over tokens: the sum over the query's terms of
// weight · idf · tf·(K1+1) / (tf + K1·(1 − B + B·len/avglen)), with
// idf = ln(1 + (N − n + 0.5)/(n + 0.5)) (Robertson and Zaragoza 2009, as in
// Lucene, which leaves out the factor K1+1: it does not change the order).
type Lexical interface {
	Store
	// Apply writes a batch. The error is for trouble with the store as a
	// whole; then nothing is known of the items.
	Apply(ctx context.Context, batch LexicalBatch) (Result, error)
	// Search returns the best k chunks that hold at least one term and every one
	// that is required, in the order of Hit.Compare.
	Search(ctx context.Context, terms []Term, filter Filter, k int) ([]Hit, error)
	// Counts returns the statistics that Search weighs the tokens by.
	Counts(ctx context.Context, tokens []string) (Counts, error)
	// Beginning returns the first tokens that begin with prefix, in the order of
	// their bytes, at most limit, which is at most MaxBeginning. Tokens that
	// only deleted chunks had may be among them.
	Beginning(ctx context.Context, prefix string, limit int) ([]string, error)
}

// MaxBeginning is the most tokens that Lexical.Beginning returns.
const MaxBeginning = 1000

// Counts are the statistics behind a lexical store's idf. Those of several
// stores add up, so that one scale can hold for all of them.
type Counts struct {
	Chunks int   // that hold any token
	With   []int // that hold each of the tokens asked for, in order
}

// Add adds the counts of another store for the same tokens.
func (c *Counts) Add(o Counts) {
	if c.With == nil {
		c.With = make([]int, len(o.With))
	}
	c.Chunks += o.Chunks
	for i, n := range o.With {
		c.With[i] += n
	}
}

// IDF is the idf of token i, as in the formula of Lexical.
func (c *Counts) IDF(i int) float64 {
	n := float64(c.With[i])
	return math.Log(1 + (float64(c.Chunks)-n+0.5)/(n+0.5))
}

// BM25 parameters.
const (
	K1 = 1.5
	B  = 0.75
)

// VectorEntry is a chunk for the vector sink.
type VectorEntry struct {
	ID     document.ChunkID
	Attrs  Attrs
	Vector embed.Vector
}

// VectorBatch is applied deletes last; an id may not stand in both lists.
type VectorBatch struct {
	Put    []VectorEntry
	Delete []document.ChunkID
}

// Vector ranks by dot product of unit vectors.
type Vector interface {
	Store
	Apply(ctx context.Context, batch VectorBatch) (Result, error)
	// Search returns the best k chunks, in the order of Hit.Compare.
	Search(ctx context.Context, query embed.Vector, filter Filter, k int) ([]Hit, error)
}
