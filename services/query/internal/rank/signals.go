package rank

import (
	"slices"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

type fileKey struct {
	source document.Source
	doc    document.DocID
}

// file is a document with its candidates and what its path says.
type file struct {
	passages []*candidate.Candidate // best first
	signals  candidate.Signals      // of the file
	weight   float64                // of what its path and its other passages say, 0 to 1
	score    float64
}

// saturation returns the factor for each further passage of a file. The more
// its score exceeds that of the second best file, the less others have to say.
func saturation(score, second float64, w *Weights) float64 {
	if second <= 0 {
		return 1
	}
	lead := max(score/second-1, 0)
	return w.Saturation + (1-w.Saturation)*min(w.SaturationLead*lead, 1)
}

// Signals orders fused candidates by everything that is known of them, best
// first, and sets Signals and Final. With off nothing but Fused counts.
//
// A passage scores Fused plus Definition. A file scores its best passage plus
// Coherence times its next ones, each counting less than the one before, plus
// the matches of its path, all times the penalties, the priority, and what the
// question asks for by name. The best passage of a file has the file's score;
// each further one has it in proportion, times Saturation, which fades where the
// file stands far above all others.
func Signals(all []candidate.Candidate, q *Query, w *Weights, p Priorities, off bool) {
	if off {
		for i := range all {
			all[i].Final = all[i].Fused
			all[i].Signals = none
			q.lift(&all[i], w)
		}
		sortBy(all, func(c *candidate.Candidate) float64 { return c.Final })
		return
	}
	files := group(all, q, w, p)
	first, second := 0.0, 0.0
	for _, f := range files {
		f.rate(w)
		if f.score > first {
			first, second = f.score, first
		} else {
			second = max(second, f.score)
		}
	}
	for _, f := range files {
		f.spread(saturation(f.score, second, w))
	}
	for i := range all {
		q.lift(&all[i], w)
	}
	sortBy(all, func(c *candidate.Candidate) float64 { return c.Final })
}

func group(all []candidate.Candidate, q *Query, w *Weights, p Priorities) map[fileKey]*file {
	files := map[fileKey]*file{}
	short := q.short(w)
	for i := range all {
		c := &all[i]
		k := fileKey{c.Attrs.Source, c.Attrs.Doc}
		f := files[k]
		if f == nil {
			f = &file{weight: short}
			if contract.CollectionOf(c.Generation).Prose() {
				f.weight *= w.Prose
			}
			at := placeOf(document.Path(c.Attrs.Path.Raw()))
			f.signals = (&facts{query: q, candidate: c, at: &at, weights: w, priorities: p}).ofFile(f.weight)
			files[k] = f
		}
		c.Signals = f.signals
		of := facts{query: q, candidate: c, weights: w}
		for _, s := range ofPassages {
			c.Signals[s.is] = s.rate(&of, 1)
		}
		f.passages = append(f.passages, c)
	}
	return files
}

// short is how much the files of a query's hits count beside the passages: a few
// words name a file or what it is about, a long description fits one passage,
// and some of its words are in the name of some file by chance.
func (q *Query) short(w *Weights) float64 {
	n := float64(q.Len())
	switch {
	case n <= w.LongFrom:
		return 1
	case n >= w.LongTo:
		return w.Long
	}
	return 1 - (1-w.Long)*(n-w.LongFrom)/(w.LongTo-w.LongFrom)
}

// coherent is how many further passages of a file count for it.
const coherent = 8

func (f *file) rate(w *Weights) {
	slices.SortFunc(f.passages, func(a, b *candidate.Candidate) int { return byNumber(own(a), own(b), a, b) })
	factor, coherence := w.Coherence*f.weight, 0.0
	for _, c := range f.passages[1:min(len(f.passages), coherent+1)] {
		coherence += factor * own(c)
		factor *= w.CoherenceDecay
	}
	f.signals[candidate.Coherence] = coherence
	f.score = scoreOf(own(f.passages[0]), &f.signals)
}

// spread gives the file's score to its passages.
func (f *file) spread(further float64) {
	best := own(f.passages[0])
	further = 1 - f.weight*(1-further)
	factor := 1.0
	for i, c := range f.passages {
		if i > 0 {
			factor *= further
		}
		proportion := 1.0
		if best > 0 {
			proportion = own(c) / best
		}
		c.Signals[candidate.Coherence] = f.signals[candidate.Coherence]
		c.Signals[candidate.Saturation] = factor
		c.Final = f.score * proportion * factor
	}
}
