package mine

import (
	"context"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
)

// selection chooses among candidates, file by file in the order of chance.
type selection struct {
	o      *Options
	corpus *corpus
	miner  *miner
	tally  *tally
	out    map[string]bool        // files that are taken out
	cuts   map[string][]candidate // chosen, by file
}

// mostOut is the share of the files that may be taken out of a corpus: it is to
// stay what it is.
const mostOut = 0.1

// run chooses, and changes the corpus accordingly.
func (s *selection) run(ctx context.Context, files []file) ([]eval.Task, error) {
	var tasks []eval.Task
	if s.o.wants(KindNone) {
		none, err := s.none(ctx, files)
		if err != nil {
			return nil, err
		}
		tasks = none
	}
	for _, kind := range []string{KindDocstring, KindHeading} {
		if !s.o.wants(kind) {
			continue
		}
		if err := s.choose(ctx, kind, files); err != nil {
			return nil, err
		}
	}
	made, err := s.apply()
	if err != nil {
		return nil, err
	}
	tasks = append(made, tasks...)
	kept := s.corpus.files[:0]
	for _, f := range s.corpus.files {
		if !s.out[f.name] {
			kept = append(kept, f)
		}
	}
	s.corpus.files = kept
	return tasks, nil
}

// none makes questions of files that are then taken out, with those beside them
// that do the same.
func (s *selection) none(ctx context.Context, files []file) ([]eval.Task, error) {
	families := map[string][]string{}
	for _, f := range files {
		families[family(f.name)] = append(families[family(f.name)], f.name)
	}
	room := int(mostOut * float64(len(files)))
	var tasks []eval.Task
	// From the other end than the questions with an answer.
	for i := len(files) - 1; i >= 0 && len(tasks) < s.o.Tasks; i-- {
		f := files[i]
		with := families[family(f.name)]
		if s.out[f.name] || len(s.out)+len(with) > room {
			continue
		}
		s.o.Progress("choosing what to leave out", len(tasks), s.o.Tasks)
		list, err := s.quietly(ctx, f)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if c.name != "" && s.corpus.defined[c.name] > 1 {
				s.tally.leave(KindNone, "has a namesake that stays", 1)
				continue
			}
			s.miner.asked[c.query] = true
			tasks = append(tasks, NewTask(s.o.group(f.name), KindNone, f.language, c.query))
			for _, name := range with {
				s.out[name] = true
			}
			break // one of a file: its others ask for the same corner
		}
	}
	return tasks, nil
}

// quietly finds the questions of a file without counting what is left out: the
// file is looked at a second time where it stays.
func (s *selection) quietly(ctx context.Context, f file) ([]candidate, error) {
	m := *s.miner
	m.tally = newTally()
	list, err := m.of(ctx, f)
	if err != nil {
		return nil, describe(f, err)
	}
	return list, nil
}

// choose takes candidates of a kind until there are enough.
func (s *selection) choose(ctx context.Context, kind string, files []file) error {
	taken := 0
	for _, f := range files {
		if taken >= s.o.Tasks {
			return nil
		}
		if s.out[f.name] || (f.language == "markdown") != (kind == KindHeading) {
			continue
		}
		s.o.Progress("choosing of kind "+kind, taken, s.o.Tasks)
		list, err := s.miner.of(ctx, f)
		if err != nil {
			return describe(f, err)
		}
		// By chance as well, so that not the first functions of all files are
		// asked for.
		list = inOrderOfChance(list, f.name, s.o.Seed)
		room := min(s.o.PerFile, s.o.Tasks-taken)
		for _, c := range list {
			switch {
			case s.miner.asked[c.query]:
				s.tally.leave(kind, elsewhere, 1)
				continue
			case len(s.cuts[f.name]) >= room:
				s.tally.leave(kind, perFile, 1)
				continue
			}
			s.miner.asked[c.query] = true
			s.cuts[f.name] = append(s.cuts[f.name], c)
		}
		taken += len(s.cuts[f.name])
	}
	return nil
}

func inOrderOfChance(list []candidate, name string, seed uint64) []candidate {
	names := make([]file, len(list))
	at := map[string]candidate{}
	for i, c := range list {
		names[i] = file{name: name + "\x00" + c.query}
		at[names[i].name] = c
	}
	var out []candidate
	for _, f := range shuffled(names, seed) {
		if c, ok := at[f.name]; ok { // equal questions once
			out = append(out, c)
			delete(at, f.name)
		}
	}
	return out
}

// apply rewrites the files of the corpus and makes the tasks.
func (s *selection) apply() ([]eval.Task, error) {
	var tasks []eval.Task
	for i := range s.corpus.files {
		f := &s.corpus.files[i]
		if s.out[f.name] {
			if err := s.corpus.remove(f.name); err != nil {
				return nil, err
			}
			continue
		}
		chosen := s.cuts[f.name]
		if len(chosen) == 0 {
			continue
		}
		var cuts []cut
		for _, c := range chosen {
			cuts = append(cuts, c.cut)
		}
		sortCuts(cuts)
		content, err := s.corpus.read(f.name)
		if err != nil {
			return nil, err
		}
		changed := edit(content, cuts)
		if err := s.corpus.write(f.name, changed); err != nil {
			return nil, err
		}
		f.bytes = int64(len(changed))
		for _, c := range chosen {
			tasks = append(tasks, NewTask(s.o.group(f.name), c.kind, f.language, c.query, eval.Target{
				Path: f.name, StartLine: shifted(c.start, cuts), EndLine: shifted(c.end, cuts), Grade: 1,
			}))
		}
	}
	slices.SortFunc(tasks, func(a, b eval.Task) int {
		return strings.Compare(a.Kind+"\x00"+a.ID, b.Kind+"\x00"+b.ID)
	})
	return tasks, nil
}
