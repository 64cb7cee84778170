package cache_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/services/freshet/internal/cache"
	"github.com/freshet-dev/freshet/services/freshet/internal/state"
)

// keep makes a state of a size that was used last at a time.
func keep(t *testing.T, c cache.Cache, root string, size int, used time.Time) string {
	t.Helper()
	path, err := c.State(root)
	if err != nil {
		t.Fatal(err)
	}
	f, err := state.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "log"), bytes.Repeat([]byte{'x'}, size), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(path, "format"), used, used); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStateOfAFolder_IsKeptByAgeAndRoom(t *testing.T) {
	c := cache.Cache{Dir: filepath.Join(t.TempDir(), "in"), Age: time.Hour, Bytes: 10_000}
	now := time.Now()
	ago := func(m int) time.Time { return now.Add(-time.Duration(m) * time.Minute) }
	old := keep(t, c, "/old", 10, ago(61))
	busy := keep(t, c, "/busy", 10, ago(90))
	mine := keep(t, c, "/mine", 5000, ago(70))
	large := keep(t, c, "/large", 6000, ago(50))
	small := keep(t, c, "/small", 1000, ago(40))
	held, err := state.Open(busy)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(c.Dir, "somebody's")
	for _, dir := range []string{other, filepath.Join(c.Dir, "half.gone")} {
		if err := os.MkdirAll(filepath.Join(dir, "x"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	// Opening it has told that it was used.
	if err := os.Chtimes(filepath.Join(busy, "format"), ago(90), ago(90)); err != nil {
		t.Fatal(err)
	}
	if err := c.Evict(mine, now); err != nil {
		t.Fatal(err)
	}
	left := func() []string {
		entries, err := os.ReadDir(c.Dir)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, e := range entries {
			if e.IsDir() {
				out = append(out, filepath.Join(c.Dir, e.Name()))
			}
		}
		return out
	}
	want := []string{busy, mine, small, other}
	slices.Sort(want)
	if got := left(); !slices.Equal(got, want) {
		t.Errorf("left are %q, want %q (gone were to be %s and %s)", got, want, old, large)
	}
	if err := held.Close(); err != nil {
		t.Fatal(err)
	}
	if err := c.Evict(mine, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := left(); !slices.Contains(got, mine) || slices.Contains(got, busy) || slices.Contains(got, small) {
		t.Errorf("an hour later %q are left", got)
	}
	// A state that was removed is made again.
	keep(t, c, "/busy", 1, now)
}
