package mine

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
	"github.com/freshet-dev/freshet/services/watcher"
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
	c, err := newCorpus(filepath.Join(o.Out, CorpusFolder))
	if err != nil {
		return Report{}, err
	}
	defer c.close()
	// A folder in a git work tree is followed as that whole work tree.
	if root, _, err := watcher.Locate(c.folder); err != nil {
		return Report{}, err
	} else if abs, err := filepath.EvalSymlinks(c.folder); err == nil && !same(root, abs) {
		return Report{}, document.Errorf(document.InvalidRequest, "%s lies in the git work tree %s, which would be indexed instead of the corpus: name a folder outside of it", o.Out, root)
	}
	t := newTally()
	got, err := mineCorpus(ctx, &o, c, t)
	if err != nil {
		return Report{}, err
	}
	r := Report{Sources: o.Sources, Out: o.Out, Group: o.Group, Seed: o.Seed, LeftOut: got.out, Notes: []string{}}
	for _, f := range c.files {
		r.Files++
		r.Bytes += f.bytes
	}
	all := got.list
	if err := WriteTasks(filepath.Join(o.Out, TasksFile), all); err != nil {
		return Report{}, err
	}
	if o.wants(KindCommit) {
		history, notes, err := mineHistories(ctx, &o, t)
		if err != nil {
			return Report{}, err
		}
		r.Notes = append(r.Notes, notes...)
		if len(history) > 0 {
			if err := WriteTasks(filepath.Join(o.Out, CommitsFile), history); err != nil {
				return Report{}, err
			}
		}
		all = append(all, history...)
	}
	r.Made, r.Left = made(all), t.list()
	return r, nil
}

func same(a, b string) bool {
	resolved, err := filepath.EvalSymlinks(a)
	return err == nil && filepath.Clean(resolved) == filepath.Clean(b)
}

// result is what a corpus gave.
type result struct {
	list []Task
	out  int // files taken out
}

// mineCorpus copies the sources, chooses the tasks, and takes out of the copy
// what they ask with.
func mineCorpus(ctx context.Context, o *Options, c *corpus, t *tally) (result, error) {
	cfg := watcher.FromConfig(o.Config)
	var err error
	if cfg.StateDir, err = state.Locate(o.Config.Data); err != nil {
		return result{}, err
	}
	for _, s := range o.Sources {
		if err := c.copy(ctx, cfg, s, o.prefix(s), func(files int) { o.Progress("copying", files, 0) }); err != nil {
			return result{}, err
		}
	}
	if len(c.files) == 0 {
		return result{}, document.Errorf(document.NotFound, "nothing in %s would be indexed: see `freshet plan` for the reasons", strings.Join(o.Sources, ", "))
	}
	cut := chunker.FromConfig(o.Config, "tasks") // the embedder's name is of no interest
	cut.ParserCommand = o.ParserCommand
	cutter, err := chunker.NewCutter(cut)
	if err != nil {
		return result{}, err
	}
	defer cutter.Close()
	s := &selection{
		o: o, corpus: c, tally: t, out: map[string]bool{}, cuts: map[string][]candidate{},
		miner: &miner{corpus: c, cutter: cutter, asked: map[string]bool{}, tally: t},
	}
	return s.run(ctx, shuffled(c.files, o.Seed))
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
