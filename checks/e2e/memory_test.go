//go:build memory

package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"strconv"
	"testing"
	"time"
)

// memoryTaken is what a process takes, in bytes: alive on the heap, kept by the
// runtime beyond that (garbage, room between objects, what it has not given back), and in
// memory as the system counts it, without the pages of files.
type memoryTaken struct{ heap, kept, resident int64 }

// takeMemory tells the memory of this process, whose garbage it collects after it
// has looked at what the system sees.
func takeMemory(t *testing.T) memoryTaken {
	t.Helper()
	seen := resident(t)
	runtime.GC()
	runtime.GC() // what the first one made free to collect
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return memoryTaken{int64(m.HeapAlloc), seen - int64(m.HeapAlloc), seen}
}

func resident(t *testing.T) int64 {
	t.Helper()
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
	return kb << 10
}

// TestMemoryOfEmptyFiles_IsPrinted prints what each file costs that has nothing in it and who
// holds it, once all is indexed and after a rest, and writes a profile of the heap at
// rest. It is run by `make memory`.
func TestMemoryOfEmptyFiles_IsPrinted(t *testing.T) {
	files, err := strconv.Atoi(os.Getenv("FRESHET_MEMORY_FILES"))
	if err != nil {
		t.Fatal("FRESHET_MEMORY_FILES is the number of files")
	}
	runtime.MemProfileRate = 64 << 10
	rest, err := time.ParseDuration(os.Getenv("FRESHET_MEMORY_REST"))
	if err != nil {
		t.Fatal("FRESHET_MEMORY_REST is how long it rests")
	}
	r := up(t, t.TempDir(), t.TempDir())
	none, nobody := takeMemory(t), heapByOwner()
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
	data, n := t.TempDir(), int64(files)
	report := func(when string) {
		now := takeMemory(t)
		t.Logf("%s: resident %d MB, %d bytes a file; of it alive %d MB, %d bytes a file; kept beside it %d MB, %d bytes a file", when,
			now.resident>>20, (now.resident-none.resident)/n, now.heap>>20, (now.heap-none.heap)/n, now.kept>>20, (now.kept-none.kept)/n)
		each := heapByOwner()
		for owner := range each {
			each[owner] = (each[owner] - nobody[owner]) / n
		}
		for _, owner := range slices.SortedFunc(maps.Keys(each), func(a, b string) int { return cmp.Compare(each[b], each[a]) }) {
			if each[owner] > 0 {
				t.Logf("  %6d bytes a file  %s", each[owner], owner)
			}
		}
	}
	for _, start := range []string{"first index", "next start"} {
		r = up(t, data, root)
		report(start)
		time.Sleep(rest) // the server gives up what it has in memory by the clock
		report(start + ", " + rest.String() + " later")
		if start == "first index" {
			writeProfile(t)
		}
		r.stop()
	}
}

func writeProfile(t *testing.T) {
	t.Helper()
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
}
