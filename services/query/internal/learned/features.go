// Package learned puts the best candidates into the order of a model that was
// trained on tasks: by what the channels and signals say of each, without its
// text. Training and serving compute the features here.
package learned

import (
	"strings"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
	"github.com/freshet-dev/freshet/services/query/internal/rank"
)

// feature is one column. Ranks stand as their reciprocals, 0 for none, and
// scores beside the best ones of the answer, so that nothing depends on the size
// of an index or on the scale of an embedder.
type feature struct {
	name  string
	value func(*row) float64
}

// row is a candidate with what is known of it beside the others.
type row struct {
	*candidate.Candidate
	list   *list
	place  int     // in the order of the signals, from 0
	next   float64 // Final of the one below
	file   *file
	within int     // place among the candidates of its file, from 0
	share  float64 // of the words of its symbol, those that the query has
	cover  float64 // of the query's words, those that its symbol and path have
}

// list is what all candidates have in common.
type list struct {
	query        *rank.Query
	final, words float64 // the highest
	low, high    float64 // scores of the vector channel
}

// file is one with candidates.
type file struct {
	place int // among the files, from 0
	count int
}

var features = []feature{
	{"final", func(r *row) float64 { return relative(r.Final, r.list.final) }},
	{"rank", func(r *row) float64 { return reciprocal(r.place + 1) }},
	{"lead", func(r *row) float64 { return relative(r.Final-r.next, r.list.final) }},
	{"fused", func(r *row) float64 { return r.Fused }},
	{"lexical_rank", func(r *row) float64 { return reciprocal(r.LexicalOrder) }},
	{"lexical_score", func(r *row) float64 { return relative(words(r.Candidate), r.list.words) }},
	{"vector_rank", (*row).vectorRank},
	{"vector_score", (*row).vectorScore},

	{"definition", func(r *row) float64 { return r.Signals[candidate.Definition] }},
	{"path", func(r *row) float64 { return r.Signals[candidate.Path] }},
	{"stem", func(r *row) float64 { return r.Signals[candidate.Stem] }},
	{"directory", func(r *row) float64 { return r.Signals[candidate.Directory] }},
	{"coherence", func(r *row) float64 { return r.Signals[candidate.Coherence] }},
	{"penalty", func(r *row) float64 { return r.Signals[candidate.Penalty] }},
	{"saturation", func(r *row) float64 { return r.Signals[candidate.Saturation] }},

	{"file_rank", func(r *row) float64 { return reciprocal(r.file.place + 1) }},
	{"rank_in_file", func(r *row) float64 { return reciprocal(r.within + 1) }},
	{"passages_of_file", func(r *row) float64 { return float64(r.file.count) }},
	{"depth", func(r *row) float64 { return float64(strings.Count(string(r.Attrs.Path), "/")) }},
	{"symbol_share", func(r *row) float64 { return r.share }},
	{"name_cover", func(r *row) float64 { return r.cover }},
	{"names", func(r *row) float64 { return float64(names(r.Attrs.Symbol)) }},

	{"prose", func(r *row) float64 {
		return truth(contract.CollectionOf(r.Generation).Prose())
	}},
	{"function", func(r *row) float64 {
		return truth(r.Attrs.Kind == document.KindFunction || r.Attrs.Kind == document.KindMethod)
	}},
	{"type", func(r *row) float64 {
		return truth(r.Attrs.Kind == document.KindClass || r.Attrs.Kind == document.KindType)
	}},
	{"header", func(r *row) float64 { return truth(r.Attrs.Kind == document.KindHeader) }},
	{"block", func(r *row) float64 { return truth(r.Attrs.Kind == document.KindBlock) }},

	{"query_words", func(r *row) float64 { return float64(r.list.query.Len()) }},
	{"query_symbol", func(r *row) float64 { return truth(r.list.query.Class == analysis.Symbol) }},
	{"query_path", func(r *row) float64 { return truth(r.list.query.Class == analysis.Path) }},
	{"query_error", func(r *row) float64 { return truth(r.list.query.Class == analysis.Error) }},
}

// Base is the feature that a model begins with: the order of the signals.
const Base = "final"

// Names are those of all features, in the order of a row of Rows.
func Names() []string {
	out := make([]string, len(features))
	for i := range features {
		out[i] = features[i].name
	}
	return out
}

// Rows returns the features of the first n of all candidates of a query, which
// stand in the order of the signals.
func Rows(all []candidate.Candidate, n int, query *rank.Query) [][]float64 {
	n = min(n, len(all))
	l, files := look(all, query)
	out, values := make([][]float64, n), make([]float64, n*len(features))
	within := map[fileKey]int{}
	for i := range n {
		c := &all[i]
		k := keyOf(c)
		r := row{Candidate: c, list: l, place: i, file: files[k], within: within[k]}
		within[k]++
		if i+1 < len(all) {
			r.next = all[i+1].Final
		}
		r.share, r.cover = query.Named(c.Attrs.Symbol, string(c.Attrs.Path))
		out[i] = values[i*len(features) : (i+1)*len(features)]
		for f := range features {
			out[i][f] = features[f].value(&r)
		}
	}
	return out
}

type fileKey struct {
	source document.Source
	doc    document.DocID
}

func keyOf(c *candidate.Candidate) fileKey { return fileKey{c.Attrs.Source, c.Attrs.Doc} }

// look finds what the candidates have in common, and their files.
func look(all []candidate.Candidate, query *rank.Query) (*list, map[fileKey]*file) {
	l, files, vectors := &list{query: query}, map[fileKey]*file{}, 0
	for i := range all {
		c := &all[i]
		l.final, l.words = max(l.final, c.Final), max(l.words, words(c))
		if score := c.Vector.Score; c.Vector.Rank > 0 {
			if vectors == 0 {
				l.low, l.high = score, score
			}
			l.low, l.high = min(l.low, score), max(l.high, score)
			vectors++
		}
		k := keyOf(c)
		if files[k] == nil {
			files[k] = &file{place: len(files)}
		}
		files[k].count++
	}
	return l, files
}

// words is the score in the lexical and pending channels together, as the
// fusion has it.
func words(c *candidate.Candidate) float64 { return max(c.Lexical.Score, c.Pending.Score) }

// vectorRank counts a passage that is in no vector index yet as its words do: it
// must not lose for being new.
func (r *row) vectorRank() float64 {
	if r.Vector.Rank == 0 && r.Pending.Rank > 0 {
		return reciprocal(r.LexicalOrder)
	}
	return reciprocal(r.Vector.Rank)
}

func (r *row) vectorScore() float64 {
	switch {
	case r.Vector.Rank > 0 && r.list.high > r.list.low:
		return (r.Vector.Score - r.list.low) / (r.list.high - r.list.low)
	case r.Vector.Rank > 0:
		return 1
	case r.Pending.Rank > 0:
		return relative(words(r.Candidate), r.list.words)
	}
	return 0
}

func relative(value, best float64) float64 {
	if best <= 0 {
		return 0
	}
	return value / best
}

func reciprocal(rank int) float64 {
	if rank == 0 {
		return 0
	}
	return 1 / float64(rank)
}

func names(symbol string) int {
	if symbol == "" {
		return 0
	}
	return strings.Count(symbol, "\n") + 1
}

func truth(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}
