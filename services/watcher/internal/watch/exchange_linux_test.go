package watch

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestEditAfterASwap_IsSeen has two trees swap places in one step, while another
// goroutine walks and registers what it finds, and edits a file in each.
func TestEditAfterASwap_IsSeen(t *testing.T) {
	root := t.TempDir()
	w, err := New(Options{Root: root, Quiet: time.Millisecond, Ceiling: 5 * time.Millisecond})
	must(t, err)
	for _, dir := range []string{"a/deep", "b/deep"} {
		must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	register(w, root, "")
	ctx, cancel := context.WithCancel(t.Context())
	m := &mirror{w: w, root: root, content: map[string]string{}, changed: make(chan struct{})}
	var beside sync.WaitGroup
	beside.Go(func() {
		for ctx.Err() == nil {
			register(w, root, "")
		}
	})
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx, m.handle) }()
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	for i := range 40 {
		for range 1 + i%3 {
			must(t, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
		}
		for _, path := range []string{"a/deep/one.go", "b/deep/one.go", "a/two.go", "b/two.go"} {
			text := fmt.Sprint(path, i)
			must(t, m.write(path, text))
			must(t, m.until(ctx, path, text))
		}
	}
	cancel()
	beside.Wait()
	must(t, <-done)
}
