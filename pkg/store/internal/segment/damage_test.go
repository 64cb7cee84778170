package segment_test

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/flat"
	"github.com/freshet-dev/freshet/pkg/store/postings"
)

// snapshot makes a store with two segments and deletions, and returns its
// files and mark.
func snapshot(t testing.TB, e engine) (files map[string][]byte, mark store.Mark) {
	t.Helper()
	dir := t.TempDir()
	s := mustOpen(t, e, dir, 0)
	change(t, e, s, span(0, 200), nil)
	change(t, e, s, span(200, 280), span(10, 20))
	mark = store.Mark{ID: "one", Position: 9}
	setMark(t, s, mark)
	mustClose(t, s)
	files = filesOf(t, dir)
	if len(files) != 3 {
		t.Fatalf("the snapshot has the files %v", slices.Sorted(maps.Keys(files)))
	}
	return files, mark
}

func TestDamagedSnapshot_TheStoreBeginsEmpty(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		files, _ := snapshot(t, e)
		r := rand.New(rand.NewPCG(1, 9))
		damages := map[string]func(data []byte) []byte{
			"missing":      func([]byte) []byte { return nil },
			"emptied":      func([]byte) []byte { return []byte{} },
			"torn":         func(d []byte) []byte { return d[:r.IntN(len(d))] },
			"one byte off": func(d []byte) []byte { return d[:len(d)-1] },
			"one too many": func(d []byte) []byte { return append(d, 0) },
			"bit flipped":  func(d []byte) []byte { d[r.IntN(len(d))] ^= 1 << r.IntN(8); return d },
			"first byte":   func(d []byte) []byte { d[0] ^= 255; return d },
			"last byte":    func(d []byte) []byte { d[len(d)-1] ^= 1; return d },
			"zeroed tail":  func(d []byte) []byte { clear(d[len(d)/2:]); return d },
		}
		for name := range files {
			for what, harm := range damages {
				t.Run(name+" "+what, func(t *testing.T) {
					dir := t.TempDir()
					broken := maps.Clone(files)
					if data := harm(slices.Clone(files[name])); data != nil {
						broken[name] = data
					} else {
						delete(broken, name)
					}
					writeFiles(t, dir, broken)
					s := mustOpen(t, e, dir, 0)
					if s.Recovered() == "" || markOf(t, s) != (store.Mark{}) {
						t.Fatalf("recovered %q, mark %+v", s.Recovered(), markOf(t, s))
					}
					holds(t, s, nil)
					change(t, e, s, span(0, 30), nil)
					next := store.Mark{ID: "two"}
					setMark(t, s, next)
					mustClose(t, s)
					again := mustOpen(t, e, dir, 0)
					if markOf(t, again) != next || again.Recovered() != "" {
						t.Fatalf("mark %+v, recovered %q", markOf(t, again), again.Recovered())
					}
					holds(t, again, span(0, 30))
				})
			}
		}
	})
}

func TestUnfinishedWrites_AreSweptAwayAtTheOpening(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		files, mark := snapshot(t, e)
		dir := t.TempDir()
		files["000000000002.seg"] = []byte("never named by a manifest")
		files["MANIFEST.tmp"] = []byte("half")
		writeFiles(t, dir, files)
		s := mustOpen(t, e, dir, 0)
		if markOf(t, s) != mark || s.Recovered() != "" {
			t.Fatalf("mark %+v (was %+v), recovered %q", markOf(t, s), mark, s.Recovered())
		}
		if left := filesOf(t, dir); len(left) != 3 {
			t.Fatalf("left: %v", slices.Sorted(maps.Keys(left)))
		}
		holds(t, s, append(span(0, 10), span(20, 280)...))
	})
}

func TestNewerFormat_IsRefusedAndKept(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		files, _ := snapshot(t, e)
		m := files["MANIFEST"]
		magic := len("freshet-store\n")
		binary.LittleEndian.PutUint32(m[magic:], binary.LittleEndian.Uint32(m[magic:])+1)
		body := m[:len(m)-4]
		binary.LittleEndian.PutUint32(m[len(body):], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
		dir := t.TempDir()
		writeFiles(t, dir, files)
		if _, err := e.open(dir, 0); document.KindOf(err) != document.VersionMismatch {
			t.Fatalf("opened with %v", err)
		}
		for name, data := range filesOf(t, dir) {
			if !slices.Equal(files[name], data) {
				t.Errorf("%s was changed", name)
			}
			delete(files, name)
		}
		if len(files) > 0 {
			t.Errorf("%d files are gone", len(files))
		}
	})
}

func TestOtherDimsOrKind_AreRefusedAndKept(t *testing.T) {
	dir := t.TempDir()
	e := engines["flat"]
	s := mustOpen(t, e, dir, 0)
	change(t, e, s, span(0, 10), nil)
	mark := store.Mark{ID: "one", Position: 1}
	setMark(t, s, mark)
	mustClose(t, s)
	if _, err := flat.Open(dir, dims+1, flat.Options{}); document.KindOf(err) != document.IdentityMismatch {
		t.Fatalf("other dims: %v", err)
	}
	if _, err := postings.Open(dir, postings.Options{}); document.KindOf(err) != document.IdentityMismatch {
		t.Fatalf("other kind: %v", err)
	}
	again := mustOpen(t, e, dir, 0)
	if got := markOf(t, again); got != mark {
		t.Fatalf("the mark was %+v and is %+v", mark, got)
	}
	holds(t, again, span(0, 10))
}

func TestSecondOpen_IsRefused(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		dir := t.TempDir()
		s := mustOpen(t, e, dir, 0)
		for range 3 {
			if _, err := e.open(dir, 0); document.KindOf(err) != document.Conflict {
				t.Fatalf("the second open gives %v", err)
			}
		}
		change(t, e, s, span(0, 5), nil) // the first is none the worse
		mustClose(t, s)
		holds(t, mustOpen(t, e, dir, 0), span(0, 5))
	})
}

func TestSnapshotThatFails_SucceedsOnceItCan(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		ctx := context.Background()
		dir := filepath.Join(t.TempDir(), "store")
		s := mustOpen(t, e, dir, 0)
		change(t, e, s, span(0, 50), nil)
		away := dir + ".away"
		if err := os.Rename(dir, away); err != nil {
			t.Fatal(err)
		}
		if err := s.Snapshot(ctx); err == nil || s.SnapshotErr() == nil {
			t.Fatalf("a snapshot without a folder gives %v and %v", err, s.SnapshotErr())
		}
		change(t, e, s, span(50, 60), nil)
		holds(t, s, span(0, 60))
		if err := os.Rename(away, dir); err != nil {
			t.Fatal(err)
		}
		if err := s.Snapshot(ctx); err != nil || s.SnapshotErr() != nil {
			t.Fatalf("the snapshot afterwards gives %v and %v", err, s.SnapshotErr())
		}
		mustClose(t, s)
		holds(t, mustOpen(t, e, dir, 0), span(0, 60))
	})
}

func TestSnapshot_WritesOnlyWhatIsNew(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		ctx := context.Background()
		dir := t.TempDir()
		s := mustOpen(t, e, dir, 0)
		change(t, e, s, span(0, 3000), nil)
		if err := s.Snapshot(ctx); err != nil {
			t.Fatal(err)
		}
		stat := func() map[string]os.FileInfo {
			out := make(map[string]os.FileInfo)
			for name := range filesOf(t, dir) {
				info, err := os.Stat(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				out[name] = info
			}
			return out
		}
		before := stat()
		change(t, e, s, []int{3000}, []int{5, 6})
		if err := s.Snapshot(ctx); err != nil {
			t.Fatal(err)
		}
		size, kept := int64(0), 0
		for name, info := range stat() {
			if old, ok := before[name]; ok && os.SameFile(old, info) {
				kept++
			} else {
				size += info.Size()
			}
		}
		if kept != 1 || size > 4096 {
			t.Fatalf("%d files were kept and %d bytes written", kept, size)
		}
		unchanged := stat()
		if err := s.Snapshot(ctx); err != nil {
			t.Fatal(err)
		}
		for name, info := range stat() {
			if !os.SameFile(unchanged[name], info) {
				t.Errorf("a snapshot without changes wrote %s", name)
			}
		}
	})
}
