package vulture

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// operation is one kind of write with its weight.
type operation struct {
	name   string
	weight int
	do     func(*writer, context.Context) error
}

var operations = []operation{
	{"create", 12, (*writer).create},
	{"edit", 34, (*writer).edit},
	{"flurry", 8, (*writer).flurry},
	{"append", 12, (*writer).extend},
	{"slow write", 4, (*writer).drip},
	{"rewrite", 6, (*writer).rewrite},
	{"revert", 6, (*writer).revert},
	{"delete", 10, (*writer).remove},
	{"recreate", 8, (*writer).recreate},
	{"disguised edit", 6, (*writer).disguise},
	{"edit of two names", 3, (*writer).alias},
	{"rename", 8, (*writer).move},
	{"move directory", 3, (*writer).moveDirectory},
	{"delete directory", 1, (*writer).removeDirectory},
}

// hidden are writes that leave next to no trace of their own: the time and the
// size of before, or another name of the file.
var hidden = []string{"disguised edit", "edit of two names"}

// draw returns an operation at random, by weight; hidden ones only where that
// is asked for.
func draw(rng *rand.Rand, hiding bool) operation {
	operations := operations
	if !hiding {
		operations = slices.DeleteFunc(slices.Clone(operations), func(o operation) bool { return slices.Contains(hidden, o.name) })
	}
	total := 0
	for _, op := range operations {
		total += op.weight
	}
	n := rng.IntN(total)
	for _, op := range operations {
		if n -= op.weight; n < 0 {
			return op
		}
	}
	panic("the weights do not add up")
}

func (w *writer) create(ctx context.Context) error {
	if len(w.files) >= maxFiles {
		return w.remove(ctx)
	}
	d := w.author.draft()
	return w.put(ctx, w.name(d.ext), d)
}

// name makes a new path below the writer's folder.
func (w *writer) name(ext string) string {
	w.serial++
	dir := w.home
	switch n := w.rng.IntN(8); {
	case n < 4:
		dir = path.Join(dir, fmt.Sprintf("d%d", n))
	case n == 4:
		dir = path.Join(dir, "d0", "inner")
	}
	return path.Join(dir, fmt.Sprintf("%s_%d%s", common[w.rng.IntN(len(common))], w.serial, ext))
}

func (w *writer) edit(ctx context.Context) error {
	name := w.pick(w.files)
	return w.put(ctx, name, w.author.edit(w.files[name]))
}

// flurry edits one file several times in short succession, so that questions
// of one version are answered at the moment when the next one comes.
func (w *writer) flurry(ctx context.Context) error {
	name := w.pick(w.files)
	for range 3 + w.rng.IntN(5) {
		if err := w.put(ctx, name, w.author.edit(w.files[name])); err != nil {
			return err
		}
		select {
		case <-time.After(time.Duration(w.rng.Float64() * float64(w.v.cfg.Pace))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (w *writer) rewrite(ctx context.Context) error {
	name := w.pick(w.files)
	return w.put(ctx, name, w.author.rewrite(w.files[name]))
}

// revert writes what the file held before, A to B to A.
func (w *writer) revert(ctx context.Context) error {
	name := w.pick(w.files)
	past := w.former[name]
	if len(past) == 0 {
		return w.edit(ctx)
	}
	return w.put(ctx, name, past[w.rng.IntN(len(past))])
}

// recreate writes a deleted file again, half of the time as it was.
func (w *writer) recreate(ctx context.Context) error {
	if len(w.gone) == 0 {
		return w.create(ctx)
	}
	name := w.pick(w.gone)
	d := w.gone[name]
	if w.rng.IntN(2) == 0 {
		d = w.author.rewrite(d)
	}
	return w.put(ctx, name, d)
}

// put writes a file: in place, or as a temporary file that takes its place, as
// editors do it.
func (w *writer) put(ctx context.Context, name string, d draft) error {
	old, existed := w.files[name]
	if existed {
		past := append(w.former[name], old)
		w.former[name] = past[max(0, len(past)-3):]
	}
	delete(w.gone, name)
	w.files[name] = d
	content := d.content()
	target := effect{at: w.ground.spot(name), content: content}
	change := change{added: without(d, old), removed: without(old, d), kept: both(old, d)}
	if w.rng.IntN(2) == 0 {
		target.way = inPlace
		return w.do(ctx, []effect{target}, change, func() error {
			if err := w.parent(name); err != nil {
				return err
			}
			return os.WriteFile(w.ground.file(name), content, 0o644)
		})
	}
	w.serial++
	temporary := fmt.Sprintf("%s.%d~%s", strings.TrimSuffix(name, d.ext), w.serial, d.ext)
	effects := []effect{{at: w.ground.spot(temporary), content: content, way: inPlace}, target, {at: w.ground.spot(temporary)}}
	return w.do(ctx, effects, change, func() error {
		if err := w.parent(name); err != nil {
			return err
		}
		if err := os.WriteFile(w.ground.file(temporary), content, 0o644); err != nil {
			return err
		}
		return os.Rename(w.ground.file(temporary), w.ground.file(name))
	})
}

// slowest is the longest pause between two pieces of a file.
const slowest = 400 * time.Millisecond

// drip writes a file in two pieces, as a download or a slow disk does: what was written so
// far may be looked at in between.
func (w *writer) drip(ctx context.Context) error {
	name := w.pick(w.files)
	old := w.files[name]
	d := w.author.edit(old)
	w.files[name] = d
	content, rest := d.content(), time.Duration((.2+.8*w.rng.Float64())*float64(slowest))
	change := change{added: without(d, old), removed: without(old, d), kept: both(old, d)}
	return w.do(ctx, []effect{{at: w.ground.spot(name), content: content, way: inPlace}}, change, func() error {
		f, err := os.Create(w.ground.file(name))
		if err != nil {
			return err
		}
		first := len(content) / 2
		if _, err = f.Write(content[:first]); err == nil {
			time.Sleep(rest) // what is begun is finished
			_, err = f.Write(content[first:])
		}
		return errors.Join(err, f.Close())
	})
}

// extend appends to a file.
func (w *writer) extend(ctx context.Context) error {
	name := w.pick(w.files)
	old := w.files[name]
	d := w.author.extend(old)
	w.files[name] = d
	more := d.sections[len(d.sections)-1]
	return w.do(ctx, []effect{{at: w.ground.spot(name), content: d.content(), way: appended}}, change{added: more.words, kept: old.words()}, func() error {
		f, err := os.OpenFile(w.ground.file(name), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		if _, err := f.WriteString(more.text); err != nil {
			return err
		}
		return f.Close()
	})
}

func (w *writer) remove(ctx context.Context) error {
	name := w.pick(w.files)
	d := w.files[name]
	w.bury(name, d)
	return w.do(ctx, []effect{{at: w.ground.spot(name)}}, change{removed: d.words()}, func() error { return os.Remove(w.ground.file(name)) })
}

func (w *writer) move(ctx context.Context) error {
	from := w.pick(w.files)
	d := w.files[from]
	to := w.name(d.ext)
	delete(w.files, from)
	delete(w.former, from)
	w.files[to] = d
	effects := []effect{{at: w.ground.spot(to), content: d.content()}, {at: w.ground.spot(from)}}
	return w.do(ctx, effects, change{added: d.words(), to: to}, func() error {
		if err := w.parent(to); err != nil {
			return err
		}
		return os.Rename(w.ground.file(from), w.ground.file(to))
	})
}

// below returns the files in a random subfolder; "" when there is none.
func (w *writer) below() (dir string, names []string) {
	dirs := map[string]draft{}
	for name := range w.files {
		if d := path.Dir(name); d != w.home {
			dirs[d] = draft{}
		}
	}
	if len(dirs) == 0 {
		return "", nil
	}
	dir = w.pick(dirs)
	for name := range w.files {
		if strings.HasPrefix(name, dir+"/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return dir, names
}

// folders announces whole folders.
func (w *writer) folders(names ...string) (a contract.Announce) {
	for _, name := range names {
		a.Paths = append(a.Paths, w.ground.file(name))
	}
	return a
}

func (w *writer) moveDirectory(ctx context.Context) error {
	dir, names := w.below()
	if dir == "" {
		return w.create(ctx)
	}
	w.serial++
	target := path.Join(w.home, fmt.Sprintf("moved%d", w.serial))
	var effects []effect
	var words []string
	for _, name := range names {
		d := w.files[name]
		to := target + strings.TrimPrefix(name, dir)
		effects = append(effects, effect{at: w.ground.spot(to), content: d.content()})
		delete(w.files, name)
		delete(w.former, name)
		w.files[to] = d
		words = d.words()
	}
	for _, name := range names {
		effects = append(effects, effect{at: w.ground.spot(name)})
	}
	// Asked for is the last file, which any order reaches late.
	last := target + strings.TrimPrefix(names[len(names)-1], dir)
	return w.do(ctx, effects, change{added: words, to: last, announce: w.folders(dir, target)}, func() error {
		return os.Rename(w.ground.file(dir), w.ground.file(target))
	})
}

func (w *writer) removeDirectory(ctx context.Context) error {
	dir, names := w.below()
	if dir == "" {
		return w.create(ctx)
	}
	var effects []effect
	var words []string
	for _, name := range names {
		d := w.files[name]
		words = append(words, d.words()...)
		effects = append(effects, effect{at: w.ground.spot(name)})
		w.bury(name, d)
	}
	return w.do(ctx, effects, change{removed: words, announce: w.folders(dir)}, func() error { return os.RemoveAll(w.ground.file(dir)) })
}
