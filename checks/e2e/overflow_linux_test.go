//go:build prove

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
)

// The program is stopped while more happens than the kernel's queue holds.
// What came behind the overflow is told by no event.
func TestOverflow_LosesNoChanges(t *testing.T) {
	root, data := folder(t, "library"), t.TempDir()
	words := library(t, root, 12)
	file := func(i int) string { return filepath.Join(root, fmt.Sprintf("shelf%d", i%3), words[i]+".go") }
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Fatal(err)
	}
	queue, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	p := start(t, nil, "--data", data, "--nats-port", "0", root)
	r := attach(t, p.url, data)
	if err := p.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for i := range 2 * queue { // two in turn, since equal neighbours are one event
		if err := os.Chtimes(file(i%2), time.Time{}, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	write(t, file(3), goFile("Rewritten"))
	write(t, filepath.Join(root, "new", "deep", "file.go"), goFile("Appeared"))
	if err := os.Remove(file(4)); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := p.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	r.seen("library", "new/deep/file.go", holds(goFile("Appeared")))
	r.seen("library", "shelf0/"+"Volumead.go", holds(goFile("Rewritten")))
	r.seen("library", "shelf1/"+"Volumeae.go", gone)
	t.Logf("%d events; all changes were in the log %s after the program went on", 2*queue, time.Since(began).Round(time.Millisecond))
	if n := r.counter("watcher", "overflows"); n == 0 {
		t.Error("no overflow was counted")
	}
	r.shows("latest", "Rewritten", "library/shelf0/Volumead.go")
	r.shows("latest", "Appeared", "library/new/deep/file.go")
	r.shows("latest", words[4], "")
	r.equal()
	// The new folder is followed.
	write(t, filepath.Join(root, "new", "deep", "file.go"), goFile("Again"))
	r.seen("library", "new/deep/file.go", func(h contract.FileHead) bool { return holds(goFile("Again"))(h) && h.Live })
	r.bus.Close()
	p.stop()
	storesEqualLog(t, data)
}
