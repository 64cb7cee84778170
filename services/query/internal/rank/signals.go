package rank

import (
	"slices"

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
	path     candidate.Signals      // of the path alone
	score    float64
}

// Signals orders fused candidates by everything that is known of them, best
// first, and sets Signals and Final. With off nothing but Fused counts.
//
// A passage scores Fused plus Definition. A file scores its best passage plus
// Coherence times its next ones, each counting less than the one before, plus the matches of its path, all times the
// penalties. The best passage of a file has the file's score; each further one
// has it in proportion, times Saturation.
func Signals(all []candidate.Candidate, q *Query, w *Weights, off bool) {
	if off {
		for i := range all {
			all[i].Final = all[i].Fused
			all[i].Signals.Penalty, all[i].Signals.Saturation = 1, 1
		}
		return
	}
	for _, f := range group(all, q, w) {
		f.rate(w)
	}
	sortBy(all, func(c *candidate.Candidate) float64 { return c.Final })
}

func group(all []candidate.Candidate, q *Query, w *Weights) map[fileKey]*file {
	files := map[fileKey]*file{}
	for i := range all {
		c := &all[i]
		k := fileKey{c.Attrs.Source, c.Attrs.Doc}
		f := files[k]
		if f == nil {
			f = &file{path: q.ofPath(c.Attrs.Path, w)}
			files[k] = f
		}
		c.Signals = f.path
		c.Signals.Definition = w.Definition * q.defines(c.Attrs.Symbol, c.Attrs.Kind, w)
		f.passages = append(f.passages, c)
	}
	return files
}

// ofPath rates what a path alone says.
func (q *Query) ofPath(p document.Path, w *Weights) candidate.Signals {
	s := candidate.Signals{Penalty: 1, Saturation: 1}
	p = document.Path(p.Raw())
	s.Path = w.Path * q.namesPath(p)
	s.Stem = w.Stem * q.matchStem(p, w)
	s.Directory = w.Directory * q.matchDirs(p)
	s.Penalty = q.penalty(p, w)
	return s
}

// own is what a passage scores by itself.
func own(c *candidate.Candidate) float64 { return c.Fused + c.Signals.Definition }

// coherent is how many further passages of a file count for it.
const coherent = 8

func (f *file) rate(w *Weights) {
	slices.SortFunc(f.passages, func(a, b *candidate.Candidate) int { return byNumber(own(a), own(b), a.ID, b.ID) })
	best := own(f.passages[0])
	coherence, factor := 0.0, w.Coherence
	for _, c := range f.passages[1:min(len(f.passages), coherent+1)] {
		coherence += factor * own(c)
		factor *= w.CoherenceDecay
	}
	f.score = (best + coherence + f.path.Path + f.path.Stem + f.path.Directory) * f.path.Penalty
	saturation := 1.0
	for i, c := range f.passages {
		if i > 0 {
			saturation *= w.Saturation
		}
		proportion := 1.0
		if best > 0 {
			proportion = own(c) / best
		}
		c.Signals.Coherence = coherence
		c.Signals.Saturation = saturation
		c.Final = f.score * proportion * saturation
	}
}
