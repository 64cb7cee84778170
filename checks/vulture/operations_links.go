package vulture

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"
)

// disguise replaces a word by another of its length, and gives the file the
// time that it had: nothing but its change time tells of that. Half of the
// times another file takes its place, which most file systems give the inode
// that has just become free.
func (w *writer) disguise(ctx context.Context) error {
	name := w.pick(w.files)
	old := w.files[name]
	d := w.author.reword(old)
	w.files[name] = d
	file, content := w.ground.file(name), d.content()
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	target := effect{at: w.ground.spot(name), content: content, way: inPlace}
	remove := func() error { return nil }
	if w.rng.IntN(2) == 0 {
		target.way, remove = replaced, func() error { return os.Remove(file) }
	}
	return w.do(ctx, []effect{target}, change{added: without(d, old), removed: without(old, d), kept: both(old, d)}, func() error {
		if err := remove(); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
		return os.Chtimes(file, info.ModTime(), info.ModTime())
	})
}

// reword returns d with another word in one section, of the same length.
func (a *author) reword(d draft) draft {
	next := d
	next.sections = slices.Clone(d.sections)
	s := &next.sections[a.rng.IntN(len(next.sections))]
	i, word := a.rng.IntN(len(s.words)), a.words.unique()
	s.text, s.words = strings.ReplaceAll(s.text, s.words[i], word), slices.Clone(s.words)
	s.words[i] = word
	return next
}

// alias gives a file a second name, edits it through either, and takes the
// name away again. Only the name that is written to is announced, and what is
// asked for is the other one.
func (w *writer) alias(ctx context.Context) error {
	name := w.pick(w.files)
	d := w.files[name]
	other := w.name(d.ext)
	err := w.do(ctx, []effect{{at: w.ground.spot(other), content: d.content()}}, change{}, func() error {
		if err := w.parent(other); err != nil {
			return err
		}
		return os.Link(w.ground.file(name), w.ground.file(other))
	})
	for range 1 + w.rng.IntN(3) {
		if err == nil {
			err = w.editBoth(ctx, name, other)
		}
		select {
		case <-time.After(time.Duration(w.rng.Float64() * float64(w.v.cfg.Pace))):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if err != nil {
		return err
	}
	return w.do(ctx, []effect{{at: w.ground.spot(other)}}, change{}, func() error { return os.Remove(w.ground.file(other)) })
}

// editBoth edits a file of two names through one of them. The writer knows it
// by the first.
func (w *writer) editBoth(ctx context.Context, name, other string) error {
	through, asked := name, other
	if w.rng.IntN(2) == 0 {
		through, asked = other, name
	}
	old := w.files[name]
	d := w.author.edit(old)
	w.files[name] = d
	content := d.content()
	effects := []effect{
		{at: w.ground.spot(name), content: content, way: inPlace},
		{at: w.ground.spot(other), content: content, way: inPlace},
	}
	c := change{added: without(d, old), removed: without(old, d), kept: both(old, d), to: asked, announce: w.folders(through)}
	return w.do(ctx, effects, c, func() error { return os.WriteFile(w.ground.file(through), content, 0o644) })
}
