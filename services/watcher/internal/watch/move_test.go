package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestMovedChildOfAForgottenDirectory_IsStillWatched moves a directory that has no
// watch of its own just then, as after the event of its creation, while one
// below it has.
func TestMovedChildOfAForgottenDirectory_IsStillWatched(t *testing.T) {
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "a/sub"), 0o755))
	w, err := New(Options{Root: root})
	must(t, err)
	w.Ensure("")
	w.Ensure("a/sub")
	must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")))
	r := run(t, w)
	r.until(t, func(c Change) bool { return c.Path == "b" })
	w.Ensure("b")
	w.Ensure("b/sub")
	must(t, os.WriteFile(filepath.Join(root, "b/sub/f"), nil, 0o644))
	r.until(t, func(c Change) bool { return c.Path == "b/sub/f" })
}

// TestMovedChildOfAPolledDirectory_IsStillWatched moves a polled directory that holds a
// watched one: a watch had become free in between.
func TestMovedChildOfAPolledDirectory_IsStillWatched(t *testing.T) {
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "a/sub"), 0o755))
	must(t, os.Mkdir(filepath.Join(root, "other"), 0o755))
	// So rarely that nothing is found by it.
	w, err := New(Options{Root: root, MaxWatches: 2, Poll: 1000 * time.Hour})
	must(t, err)
	for _, d := range []string{"", "other", "a"} {
		w.Ensure(d)
	}
	w.forget("other")
	w.Ensure("a/sub")
	must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")))
	r := run(t, w)
	r.until(t, func(c Change) bool { return c.Path == "b" })
	r.until(t, func(c Change) bool { return c.Path == "a" && c.Tree })
	w.Ensure("b") // takes the watch that is left
	must(t, os.WriteFile(filepath.Join(root, "b/f"), nil, 0o644))
	r.until(t, func(c Change) bool { return c.Path == "b/f" })
}

// TestEditAfterAMove_IsSeen moves fresh trees back and forth and edits a file
// in them, while other goroutines walk and register what they find, and keep
// the processors busy.
func TestEditAfterAMove_IsSeen(t *testing.T) {
	root := t.TempDir()
	w, err := New(Options{Root: root, Quiet: time.Millisecond, Ceiling: 5 * time.Millisecond})
	must(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	for range runtime.GOMAXPROCS(0) {
		beside.Go(func() {
			for ctx.Err() == nil {
				register(w, root, "")
			}
		})
		beside.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				_ = strings.Repeat("burn", n%512)
			}
		})
	}
	m := &mirror{w: w, root: root, content: map[string]string{}, changed: make(chan struct{})}
	register(w, root, "")
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, m.handle) }()
	var movers sync.WaitGroup
	for i := range 4 {
		movers.Go(func() {
			for round := range 12 {
				if err := m.round(ctx, fmt.Sprintf("m%d", i), fmt.Sprint(round)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	movers.Wait()
	cancel()
	must(t, <-done)
}

// register calls Ensure for every directory below dir, parents first.
func register(w *Watch, root, dir string) {
	w.Ensure(dir)
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return // gone again
	}
	for _, e := range entries {
		if e.IsDir() {
			register(w, root, strings.TrimPrefix(dir+"/"+e.Name(), "/"))
		}
	}
}

// mirror follows the contents below a root by nothing but changes.
type mirror struct {
	w    *Watch
	root string

	mu      sync.Mutex
	content map[string]string // by path relative to the root
	changed chan struct{}     // closed and replaced after every batch
}

func (m *mirror) handle(_ context.Context, batch []Change) {
	for _, c := range batch {
		m.look(c.Path)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.changed)
	m.changed = make(chan struct{})
}

// look reads a path, or registers and reads everything below it.
func (m *mirror) look(path string) {
	full := filepath.Join(m.root, path)
	if info, err := os.Stat(full); err == nil && info.IsDir() {
		m.w.Ensure(path)
		entries, err := os.ReadDir(full)
		if err != nil {
			return
		}
		for _, e := range entries {
			m.look(strings.TrimPrefix(path+"/"+e.Name(), "/"))
		}
		return
	}
	b, err := os.ReadFile(full)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil {
		delete(m.content, path)
		return
	}
	m.content[path] = string(b)
}

// until waits until a path is known to have a content.
func (m *mirror) until(ctx context.Context, path, want string) error {
	for {
		m.mu.Lock()
		got, changed := m.content[path], m.changed
		m.mu.Unlock()
		if got == want {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fmt.Errorf("%s is %q still, want %q: %w", path, got, want, ctx.Err())
		}
	}
}

// round makes a tree, moves it as soon as it is known, and edits it twice.
func (m *mirror) round(ctx context.Context, name, text string) error {
	a, b := name+text+"a", name+text+"b"
	if err := os.MkdirAll(filepath.Join(m.root, a, "deep"), 0o755); err != nil {
		return err
	}
	if err := m.write(a+"/one.go", text); err != nil {
		return err
	}
	if err := m.write(a+"/deep/three.md", text); err != nil {
		return err
	}
	if err := m.until(ctx, a+"/deep/three.md", text); err != nil {
		return err
	}
	for i, move := range [][2]string{{a, b}, {b, a}} {
		if err := os.Rename(filepath.Join(m.root, move[0]), filepath.Join(m.root, move[1])); err != nil {
			return err
		}
		if err := m.until(ctx, move[1]+"/deep/three.md", text); err != nil {
			return err
		}
		for j, file := range []string{"deep/three.md", "one.go", "deep/three.md"} {
			path := move[1] + "/" + file
			text = fmt.Sprint(text, "-", i, j)
			if err := m.write(path, text); err != nil {
				return err
			}
			if err := m.until(ctx, path, text); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(filepath.Join(m.root, a))
}

func (m *mirror) write(path, text string) error {
	return os.WriteFile(filepath.Join(m.root, path), []byte(text), 0o644)
}
