package vulture

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

const (
	maxFiles  = 40  // that a writer keeps
	maxBuried = 100 // deleted ones that it may write again
)

// writer changes files in a folder of its own. It belongs to one goroutine.
type writer struct {
	recorder
	author author
	home   string // name of its folder below Dir
	serial int    // of names
	files  map[string]draft
	gone   map[string]draft   // deleted files
	former map[string][]draft // what files held before
}

func newWriter(v *Vulture, i int) *writer {
	rng := rand.New(rand.NewPCG(v.cfg.Seed, uint64(i)))
	w := &writer{recorder: recorder{v: v, ground: v.grounds[0], rng: rng}, home: fmt.Sprintf("w%d", i),
		author: author{rng: rng, words: words{rng: rng, base: i * wordsPerWriter}},
		files:  map[string]draft{}, gone: map[string]draft{}, former: map[string][]draft{}}
	if i == 0 && v.kept != nil {
		w.author.wanted = slices.Sorted(maps.Values(v.kept.words))
	}
	return w
}

// run writes until stop is closed. What is begun is finished.
func (w *writer) run(ctx context.Context, stop <-chan struct{}) error {
	for {
		if err := w.step(ctx); err != nil {
			return err
		}
		if more, err := w.rest(ctx, stop); !more {
			return err
		}
	}
}

func (w *writer) step(ctx context.Context) error {
	op := operation{name: "create", do: (*writer).create}
	if len(w.files) >= 4 {
		op = draw(w.rng, w.v.cfg.Hidden)
	}
	if err := op.do(w, ctx); err != nil {
		return fmt.Errorf("vulture: %s: %w", op.name, err)
	}
	w.count(op.name)
	return nil
}

// pick returns a random name out of a map of files. Names are sorted first, so
// that the seed alone decides.
func (w *writer) pick(of map[string]draft) string {
	names := slices.Sorted(maps.Keys(of))
	return names[w.rng.IntN(len(names))]
}

// bury keeps a deleted file, so that it can come back.
func (w *writer) bury(name string, d draft) {
	delete(w.files, name)
	delete(w.former, name)
	if len(w.gone) == maxBuried {
		delete(w.gone, w.pick(w.gone))
	}
	w.gone[name] = d
}

// without returns the words of a that do not stand in b.
func without(a, b draft) []string {
	return slices.DeleteFunc(a.words(), func(word string) bool { return slices.Contains(b.words(), word) })
}

// both returns the words of a that stand in b, too.
func both(a, b draft) []string {
	return slices.DeleteFunc(a.words(), func(word string) bool { return !slices.Contains(b.words(), word) })
}

func (w *writer) parent(name string) error {
	return os.MkdirAll(filepath.Dir(w.ground.file(name)), 0o755)
}
