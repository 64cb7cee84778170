package watcher_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/watcher"
)

// The folder is announced before its own event is looked at, and goes before
// that, too: nobody is told of the documents in it.
func TestAnnouncedFolderCameAndWent_LeavesNothing(t *testing.T) {
	t.Parallel()
	root, outside := folder(t, "brief"), folder(t, "outside")
	r := startRig(t, with(watching(root), func(c *watcher.Config) {
		c.Rescan, c.Debounce, c.MaxDebounce = time.Hour, 300*time.Millisecond, time.Hour
	}))
	for name, leave := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, filepath.Join(outside, filepath.Base(dir))) },
		"renamed": func(dir string) error { return os.Rename(dir, dir+"2") },
	} {
		file := filepath.Join(root, name, "inner", "a.txt")
		write(t, file, name)
		if n := r.announce(contract.Announce{Paths: []string{file}}).Changed; n != 1 {
			t.Fatalf("%d documents were announced", n)
		}
		must(t, leave(filepath.Join(root, name)))
	}
	r.expect("brief", wt, map[string]string{"renamed2/inner/a.txt": "renamed"})
}
