package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// running gathers what a Watch reports until the test ends.
type running struct {
	mu      sync.Mutex
	changes []Change
	came    chan struct{}
}

func run(t *testing.T, w *Watch) *running {
	t.Helper()
	r := &running{came: make(chan struct{}, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- w.Run(ctx, func(_ context.Context, batch []Change) {
			r.mu.Lock()
			r.changes = append(r.changes, batch...)
			r.mu.Unlock()
			select {
			case r.came <- struct{}{}:
			default:
			}
		})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return r
}

// until waits for a change that fits.
func (r *running) until(t *testing.T, fits func(Change) bool) {
	t.Helper()
	for {
		r.mu.Lock()
		for _, c := range r.changes {
			if fits(c) {
				r.mu.Unlock()
				return
			}
		}
		r.mu.Unlock()
		select {
		case <-r.came:
		case <-t.Context().Done():
			t.Fatal("it never came")
		}
	}
}

// TestOverflow_IsTold makes more events than the kernel's queue holds before
// anybody reads them.
func TestOverflow_IsTold(t *testing.T) {
	root := t.TempDir()
	must(t, os.Mkdir(filepath.Join(root, "d"), 0o755))
	w, err := New(Options{Root: root})
	must(t, err)
	w.Ensure("")
	w.Ensure("d")
	limit := 16384
	if b, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events"); err == nil {
		_, err = fmt.Sscan(string(b), &limit)
		must(t, err)
	}
	// fsnotify takes one buffer of up to 4,096 events out of the queue. Events
	// of alternating files are not merged.
	var files [2]*os.File
	for i := range files {
		files[i], err = os.Create(filepath.Join(root, "d", fmt.Sprint(i)))
		must(t, err)
		t.Cleanup(func() { must(t, files[i].Close()) })
	}
	for i := range limit + 8192 {
		_, err := files[i%2].WriteAt([]byte("x"), 0)
		must(t, err)
	}
	r := run(t, w)
	r.until(t, func(c Change) bool { return c.Lost && c.Tree && c.Path == "" })
	if w.Overflows() == 0 {
		t.Error("no overflow was counted")
	}
	// What lost its watch gets it back.
	w.Ensure("")
	w.Ensure("d")
	must(t, os.WriteFile(filepath.Join(root, "d", "after"), nil, 0o644))
	r.until(t, func(c Change) bool { return c.Path == "d/after" })
}

func TestSteadyWrites_AreToldAtTheCeiling(t *testing.T) {
	d := &debounce{quiet: 50 * time.Millisecond, ceiling: 500 * time.Millisecond, pending: map[string]*waiting{}}
	start := time.Now()
	for at := time.Duration(0); at < 500*time.Millisecond; at += 20 * time.Millisecond {
		d.add("busy", false, false, start.Add(at))
		if out, _, _ := d.take(start.Add(at)); len(out) > 0 {
			t.Fatalf("came after %s of steady writes", at)
		}
	}
	if out, _, _ := d.take(start.Add(500 * time.Millisecond)); len(out) != 1 {
		t.Errorf("nothing came at the ceiling: %v", out)
	}
	d.add("old", false, false, start)
	d.add("new", true, false, start.Add(5*time.Millisecond))
	d.add("later", false, false, start.Add(30*time.Millisecond))
	if _, next, ok := d.take(start.Add(49 * time.Millisecond)); !ok || !next.Equal(start.Add(50*time.Millisecond)) {
		t.Errorf("next at %s", next.Sub(start))
	}
	if out, next, ok := d.take(start.Add(50 * time.Millisecond)); len(out) != 2 || !ok || !next.Equal(start.Add(80*time.Millisecond)) {
		t.Errorf("the halves of a rename came apart: %v, next at %s", out, next.Sub(start))
	}
}

func TestRename_TellsTheNewNameBeforeTheOldOneGoes(t *testing.T) {
	d := &debounce{quiet: 50 * time.Millisecond, ceiling: 500 * time.Millisecond, pending: map[string]*waiting{}}
	start := time.Now()
	d.add("old", false, true, start)
	d.add("new", false, false, start.Add(35*time.Millisecond)) // a busy machine
	if out, _, _ := d.take(start.Add(85 * time.Millisecond)); len(out) != 1 || out[0].Path != "new" {
		t.Errorf("first came %v", out)
	}
	if out, _, _ := d.take(start.Add(100 * time.Millisecond)); len(out) != 1 || out[0].Path != "old" {
		t.Errorf("then came %v", out)
	}
	// A file that was renamed to keep it, and written again, is there.
	d.add("saved", false, true, start)
	d.add("saved", false, false, start.Add(time.Millisecond))
	if out, _, _ := d.take(start.Add(51 * time.Millisecond)); len(out) != 1 {
		t.Errorf("what was written again waits as if it were gone: %v", out)
	}
}

func TestDirectoryRegisteredUnderItsNewName_IsWatched(t *testing.T) {
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "a/sub"), 0o755))
	w, err := New(Options{Root: root})
	must(t, err)
	for _, d := range []string{"", "a", "a/sub"} {
		w.Ensure(d)
	}
	must(t, os.Rename(filepath.Join(root, "a"), filepath.Join(root, "b")))
	// A walk comes to the new name before the events of the rename are read.
	w.Ensure("b")
	w.Ensure("b/sub")
	r := run(t, w)
	r.until(t, func(c Change) bool { return c.Path == "b" })
	w.Ensure("b")
	w.Ensure("b/sub")
	must(t, os.WriteFile(filepath.Join(root, "b/sub/f"), nil, 0o644))
	r.until(t, func(c Change) bool { return c.Path == "b/sub/f" })
	r.until(t, func(c Change) bool { return c.Path == "a" && c.Tree })
}

func TestDirectoriesBeyondMaxWatches_ArePolled(t *testing.T) {
	root := t.TempDir()
	must(t, os.MkdirAll(filepath.Join(root, "a/b"), 0o755))
	w, err := New(Options{Root: root, MaxWatches: 1, Poll: 5 * time.Millisecond})
	must(t, err)
	for _, d := range []string{"", "a", "a/b"} {
		w.Ensure(d)
	}
	if w.Degraded() == "" {
		t.Error("not degraded")
	}
	r := run(t, w)
	r.until(t, func(c Change) bool { return c.Path == "a" && c.Tree })
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.changes {
		if c.Path == "a/b" {
			t.Error("a directory below a polled one is polled, too")
		}
	}
}
