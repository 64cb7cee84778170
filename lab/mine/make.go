package mine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/lab/eval"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/cutter"
	"github.com/freshet-dev/freshet/services/watcher/survey"
)

// Names within the folder that Make fills.
const (
	CorpusFolder = "corpus"        // what is to be indexed
	TasksFile    = "tasks.jsonl"   // tasks on the corpus
	CommitsFile  = "commits.jsonl" // tasks on the history of the repository
)

// Make writes the corpus and the tasks. On an error the folder is left as it is,
// unfinished. Errors of a source are those of adding it.
func Make(ctx context.Context, o Options) (Report, error) {
	o.SetDefaults()
	if err := o.Validate(); err != nil {
		return Report{}, err
	}
	if err := emptyFolder(o.Out); err != nil {
		return Report{}, err
	}
	t := newTally()
	r := Report{Sources: o.paths(), Out: o.Out, Group: o.Group, Seed: o.Seed, Notes: []string{}}
	var all []eval.Task
	if o.ofCorpus() {
		got, err := mineCorpus(ctx, &o, t)
		if err != nil {
			return Report{}, err
		}
		if err := WriteTasks(filepath.Join(o.Out, TasksFile), got.tasks); err != nil {
			return Report{}, err
		}
		all, r.Files, r.Bytes, r.LeftOut = got.tasks, got.files, got.bytes, got.out
	}
	if o.wants(KindCommit) {
		history, notes, err := mineHistory(ctx, &o, t)
		if err != nil {
			return Report{}, err
		}
		if err := writeHistory(o.Out, history); err != nil {
			return Report{}, err
		}
		all, r.Notes = append(all, history...), append(r.Notes, notes...)
	}
	r.Made, r.Left = made(all), t.list()
	return r, nil
}

// writeHistory writes the tasks on a history, where there are any.
func writeHistory(out string, tasks []eval.Task) error {
	if len(tasks) == 0 {
		return nil
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return fmt.Errorf("make the folder of the tasks: %w", err)
	}
	return WriteTasks(filepath.Join(out, CommitsFile), tasks)
}

// apart checks that a folder is indexed as itself: one in a git work tree is
// followed as that whole work tree.
func apart(folder string) error {
	root, _, err := survey.Locate(folder)
	if err != nil {
		return err
	}
	if !same(root, folder) {
		return document.Errorf(document.InvalidRequest, "%s lies in the git work tree %s, which would be indexed instead of the corpus: name a folder outside of it", folder, root)
	}
	return nil
}

// same reports whether two paths lead to one folder.
func same(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// result is what a corpus gave.
type result struct {
	tasks []eval.Task
	files int
	bytes int64
	out   int // files taken out
}

// mineCorpus copies the sources, chooses the tasks, and takes out of the copy
// what they ask with.
func mineCorpus(ctx context.Context, o *Options, t *tally) (result, error) {
	c, err := newCorpus(filepath.Join(o.Out, CorpusFolder))
	if err != nil {
		return result{}, err
	}
	defer c.close()
	if err := apart(c.folder); err != nil {
		return result{}, err
	}
	for _, s := range o.Sources {
		if err := c.copy(ctx, o.Config, s.Path, o.prefix(s), func(files int) { o.Progress("copying", files, 0) }); err != nil {
			return result{}, err
		}
	}
	if len(c.files) == 0 {
		return result{}, document.Errorf(document.NotFound, "nothing in %s would be indexed: see `freshet plan` for the reasons", strings.Join(o.paths(), ", "))
	}
	cut, err := cutter.New(o.Config.Chunker, o.ParserCommand)
	if err != nil {
		return result{}, err
	}
	defer cut.Close()
	s := &selection{
		o: o, corpus: c, tally: t, out: map[string]bool{}, cuts: map[string][]candidate{},
		miner: &miner{corpus: c, cutter: cut, asked: map[string]bool{}, tally: t},
	}
	out, err := s.run(ctx, shuffled(c.files, o.Seed))
	if err != nil {
		return result{}, err
	}
	r := result{tasks: out, files: len(c.files), out: len(s.out)}
	for _, f := range c.files {
		r.bytes += f.bytes
	}
	return r, nil
}

// shuffled orders files by chance, the same with the same seed.
func shuffled(files []file, seed uint64) []file {
	key := func(f file) string {
		var s [8]byte
		binary.BigEndian.PutUint64(s[:], seed)
		sum := sha256.Sum256(append(s[:], f.name...))
		return string(sum[:])
	}
	keys := make(map[string]string, len(files))
	for _, f := range files {
		keys[f.name] = key(f)
	}
	out := slices.Clone(files)
	slices.SortFunc(out, func(a, b file) int { return strings.Compare(keys[a.name], keys[b.name]) })
	return out
}

// bareName is the last part of a symbol.
func bareName(symbol string) string { return symbol[strings.LastIndexByte(symbol, '.')+1:] }

// describe names a file in an error.
func describe(f file, err error) error { return fmt.Errorf("make tasks of %s: %w", f.name, err) }
