package rank

import (
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/query/internal/candidate"
)

// signal is a row of the table of what is known of a passage beside what the
// engines say of it.
type signal struct {
	is candidate.Signal
	// factor: it multiplies the score of the file. Else it is added, weight
	// times the value.
	factor bool
	weight func(*Weights) float64
	// fades: it says something of the file, and counts the less the longer the
	// question is.
	fades bool
	// Where it applies: to each passage by itself, or to a file by its path and
	// its first passage. Signals of neither are made of all passages of a file,
	// see file.rate and file.spread.
	passage, file bool
	value         func(*facts) float64
}

// facts are what a signal may look at.
type facts struct {
	query      *Query
	candidate  *candidate.Candidate
	at         *place // its path
	weights    *Weights
	priorities Priorities
}

// table has every signal once, in the order in which they are added, and
// multiplied.
var table = [...]signal{
	{is: candidate.Definition, passage: true, weight: func(w *Weights) float64 { return w.Definition }, value: func(f *facts) float64 {
		return f.query.defines(f.candidate.Attrs.Symbol, f.candidate.Attrs.Kind, f.weights)
	}},
	{is: candidate.Coherence},
	{is: candidate.Path, file: true, weight: func(w *Weights) float64 { return w.Path }, value: func(f *facts) float64 {
		return f.query.namesPath(f.at)
	}},
	{is: candidate.Stem, file: true, fades: true, weight: func(w *Weights) float64 { return w.Stem }, value: func(f *facts) float64 {
		return f.query.matchStem(f.at, f.weights)
	}},
	{is: candidate.Directory, file: true, fades: true, weight: func(w *Weights) float64 { return w.Directory }, value: func(f *facts) float64 {
		return f.query.matchDirs(f.at)
	}},
	{is: candidate.Penalty, file: true, factor: true, value: func(f *facts) float64 { return f.query.penalty(f.at, f.candidate, f.weights) }},
	{is: candidate.Language, file: true, factor: true, value: func(f *facts) float64 {
		return f.query.asksLanguage(f.candidate, f.weights)
	}},
	{is: candidate.Intent, file: true, factor: true, value: func(f *facts) float64 {
		return f.query.asksProse(f.candidate, f.weights)
	}},
	{is: candidate.Priority, file: true, factor: true, value: func(f *facts) float64 {
		return f.priorities.factor(f.candidate.Attrs.Source, contract.CollectionOf(f.candidate.Generation), f.candidate.Attrs.Path, f.candidate.Metadata)
	}},
	{is: candidate.Saturation, factor: true},
	// Of each passage, above all else: see Query.lift.
	{is: candidate.Verbatim},
	{is: candidate.Named},
	{is: candidate.Place},
}

// none are the signals of which nothing is known.
var none = func() (s candidate.Signals) {
	for i := range table {
		if table[i].factor {
			s[table[i].is] = 1
		}
	}
	return s
}()

// ofPassages are the signals of passages by themselves.
var ofPassages = func() (list []*signal) {
	for i := range table {
		if table[i].passage {
			list = append(list, &table[i])
		}
	}
	return list
}()

// ofFile are the signals of a file alone; weight is that of its words.
func (f *facts) ofFile(weight float64) candidate.Signals {
	s := none
	for i := range table {
		if t := &table[i]; t.file {
			s[t.is] = t.rate(f, weight)
		}
	}
	return s
}

// rate is a signal's value, with its weight.
func (t *signal) rate(f *facts, weight float64) float64 {
	switch {
	case t.factor:
		return t.value(f)
	case t.fades:
		return weight * t.weight(f.weights) * t.value(f)
	}
	return t.weight(f.weights) * t.value(f)
}

// scoreOf is the score of a file with signals, of which own is that of its best
// passage.
func scoreOf(own float64, s *candidate.Signals) float64 {
	sum, product := own, 1.0
	for i := range table {
		switch t := &table[i]; {
		case t.passage || t.is == candidate.Saturation: // of each passage
		case t.factor:
			product *= s[t.is]
		default:
			sum += s[t.is]
		}
	}
	return sum * product
}

// own is what a passage scores by itself.
func own(c *candidate.Candidate) float64 {
	sum := c.Fused
	for _, s := range ofPassages {
		sum += c.Signals[s.is]
	}
	return sum
}
