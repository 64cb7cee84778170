//go:build memory

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"strconv"
	"testing"
)

// memoryTaken is what a process takes, in bytes.
type memoryTaken struct{ heap, resident int64 }

func takeMemory(t *testing.T) (f memoryTaken) {
	t.Helper()
	runtime.GC()
	runtime.GC() // what the first one made free to collect
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`RssAnon:\s+(\d+) kB`).FindSubmatch(text)
	if found == nil {
		t.Fatal("the system does not tell the memory of a process")
	}
	kb, err := strconv.ParseInt(string(found[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return memoryTaken{int64(m.HeapAlloc), kb << 10}
}

// TestMemoryOfEmptyFiles prints what each file costs that has nothing in it, and
// writes a profile of the heap. It is run by `make memory`.
func TestMemoryOfEmptyFiles(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("FRESHET_MEMORY_FILES"))
	if err != nil {
		t.Fatal("FRESHET_MEMORY_FILES is the number of files")
	}
	r := up(t, t.TempDir(), t.TempDir())
	none := takeMemory(t)
	r.stop()
	root := t.TempDir()
	for i := range files {
		dir := filepath.Join(root, fmt.Sprintf("dir%03d", i/5000), fmt.Sprintf("sub%04d", i/100))
		if i%100 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file_%03d.txt", i%100)), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data := t.TempDir()
	report := func(when string) {
		now, n := takeMemory(t), int64(files)
		t.Logf("%-12s heap %4d MB (%5d bytes a file), resident %4d MB (%5d bytes a file)", when,
			now.heap>>20, (now.heap-none.heap)/n, now.resident>>20, (now.resident-none.resident)/n)
	}
	r = up(t, data, root)
	report("first index")
	out, err := os.Create(os.Getenv("FRESHET_MEMORY_PROFILE"))
	if err == nil {
		err = pprof.Lookup("heap").WriteTo(out, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	r.stop()
	r = up(t, data, root)
	report("next start")
}
