package watcher_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/watcher"
)

// settled waits until a write that ended now can be told from any later one by
// its change time.
func settled() { time.Sleep(2*time.Second + 10*time.Millisecond) }

// unseen is a configuration under which only the root itself is watched.
func unseen(cfg watcher.Config) watcher.Config {
	cfg.MaxWatches, cfg.Poll = 1, time.Hour
	return cfg
}

// disguise writes a file in place, or, with another file in its place, and
// gives it the time that it had.
func disguise(t *testing.T, file, content string, replace bool) {
	t.Helper()
	info, err := os.Stat(file)
	must(t, err)
	if replace {
		must(t, os.Remove(file)) // its inode is free for the next one
	}
	must(t, os.WriteFile(file, []byte(content), 0o644))
	must(t, os.Chtimes(file, info.ModTime(), info.ModTime()))
}

func (r *rig) filesRead() uint64 {
	r.t.Helper()
	rep, err := rpc.Call[struct{}, contract.Report](r.t.Context(), r.bus.Conn(), contract.SubjectReport, struct{}{})
	must(r.t, err)
	return rep.Counters["files_read"]
}

func TestEditOfTheSameSizeAndTime_IsSeen(t *testing.T) {
	t.Parallel()
	root := folder(t, "same")
	d := filepath.Join(root, "d")
	old := time.Now().Add(-time.Hour)
	want := map[string]string{}
	for i := range 6 {
		name := fmt.Sprintf("%d.txt", i)
		write(t, filepath.Join(d, name), "one")
		must(t, os.Chtimes(filepath.Join(d, name), old, old))
		want["d/"+name] = "one"
	}
	settled()
	edit := func(i int, content string, replace bool) {
		name := fmt.Sprintf("%d.txt", i)
		disguise(t, filepath.Join(d, name), content, replace)
		want["d/"+name] = content
	}
	r := startRig(t, watching(root))
	r.expect("same", wt, want)
	edit(0, "two", false)
	edit(1, "two", true)
	r.expect("same", wt, want) // by its event

	r.stop()
	edit(2, "two", false)
	edit(3, "two", true)
	r.cfg = unseen(r.cfg)
	r.start() // by the first comparison
	r.expect("same", wt, want)

	edit(4, "two", false)
	edit(5, "two", true)
	if n := r.announce(contract.Announce{Paths: []string{d}}).Changed; n != 2 {
		t.Errorf("%d of 2 edits in a folder that was announced", n)
	}
	r.expect("same", wt, want)
	edit(0, "six", false)
	edit(1, "six", true)
	if n := r.announce(contract.Announce{Paths: []string{filepath.Join(d, "0.txt"), filepath.Join(d, "1.txt")}}).Changed; n != 2 {
		t.Errorf("%d of 2 edits that were announced", n)
	}
	r.expect("same", wt, want)

	r.stop()
	r.cfg.Rescan = 10 * time.Millisecond
	r.start()
	edit(2, "six", false)
	edit(3, "six", true)
	r.expect("same", wt, want) // by a rescan
}

// A write to memory that is mapped changes no time of the file: that was set
// when the page was written to first.
func TestFileThatIsNamed_IsRead(t *testing.T) {
	t.Parallel()
	root := folder(t, "mapped")
	write(t, filepath.Join(root, "d/a.txt"), "one")
	f, err := os.OpenFile(filepath.Join(root, "d/a.txt"), os.O_RDWR, 0)
	must(t, err)
	defer func() { must(t, f.Close()) }()
	page, err := unix.Mmap(int(f.Fd()), 0, 3, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	must(t, err)
	defer func() { must(t, unix.Munmap(page)) }()
	page[0] = 'o'
	settled()
	r := startRig(t, unseen(watching(root)))
	r.expect("mapped", wt, map[string]string{"d/a.txt": "one"})
	copy(page, "two")
	rep := r.announce(contract.Announce{Paths: []string{filepath.Join(root, "d/a.txt")}})
	if rep.Changed != 1 {
		t.Errorf("changed: %d", rep.Changed)
	}
	r.expect("mapped", wt, map[string]string{"d/a.txt": "two"})
}

func TestAnotherMode_PublishesNothing(t *testing.T) {
	t.Parallel()
	root := folder(t, "modes")
	file := filepath.Join(root, "d/a.txt")
	write(t, file, "text")
	write(t, filepath.Join(root, "d/b.txt"), "text")
	write(t, filepath.Join(root, "d/nul.txt"), "a\x00b")
	settled()
	r := startRig(t, unseen(watching(root)))
	r.stop()
	last := r.lastSeq()
	r.start()
	if n := r.filesRead(); n != 0 {
		t.Errorf("a restart without changes read %d files", n)
	}
	must(t, os.Chmod(file, 0o600))
	settled()
	for i, want := range []uint64{1, 1, 1} { // read once, and remembered
		r.announce(contract.Announce{})
		if n := r.filesRead(); n != want {
			t.Errorf("%d files were read after look %d, want %d", n, i, want)
		}
	}
	r.announce(contract.Announce{Paths: []string{file}})
	if n := r.filesRead(); n != 2 {
		t.Errorf("a file that is named was not read")
	}
	if n := r.lastSeq() - last; n != 0 {
		t.Errorf("%d messages were published", n)
	}
}

func TestEditThroughAnotherName_IsSeen(t *testing.T) {
	t.Parallel()
	one, two, outside := folder(t, "one"), folder(t, "two"), filepath.Join(t.TempDir(), "outside.txt")
	write(t, filepath.Join(one, "first.txt"), "aaa")
	write(t, filepath.Join(one, "lonely.txt"), "lonely")
	for _, name := range []string{filepath.Join(one, "second.txt"), filepath.Join(two, "third.txt"), outside} {
		must(t, os.MkdirAll(filepath.Dir(name), 0o755))
		must(t, os.Link(filepath.Join(one, "first.txt"), name))
	}
	r := startRig(t, watching(one, two))
	expect := func(content, lonely string) {
		t.Helper()
		r.expect("one", wt, map[string]string{"first.txt": content, "second.txt": content, "lonely.txt": lonely})
		r.expect("two", wt, map[string]string{"third.txt": content})
	}
	expect("aaa", "lonely")
	write(t, filepath.Join(one, "second.txt"), "bbb")
	expect("bbb", "lonely")
	write(t, filepath.Join(two, "third.txt"), "ccc")
	expect("ccc", "lonely")
	// Nobody is told of what happens outside.
	write(t, outside, "ddd")
	rep := r.announce(contract.Announce{Paths: []string{filepath.Join(two, "third.txt")}})
	for source, paths := range map[document.Source][]string{"one": {"first.txt", "second.txt"}, "two": {"third.txt"}} {
		heads := r.heads(source, wt)
		for _, path := range paths {
			if h := heads[path]; h.Hash != document.HashOf([]byte("ddd")) || rep.Token.Seq < uint64(h.Version) {
				t.Errorf("%s in %s is version %d (%s), the token is %s", path, source, h.Version, h.Hash, rep.Token)
			}
		}
	}
	expect("ddd", "lonely")
	// A file that had one name when it was looked at.
	must(t, os.Link(filepath.Join(one, "lonely.txt"), filepath.Join(two, "fourth.txt")))
	r.expect("two", wt, map[string]string{"third.txt": "ddd", "fourth.txt": "lonely"})
	write(t, filepath.Join(two, "fourth.txt"), "together")
	r.expect("two", wt, map[string]string{"third.txt": "ddd", "fourth.txt": "together"})
	expect2 := map[string]string{"first.txt": "ddd", "second.txt": "ddd", "lonely.txt": "together"}
	r.expect("one", wt, expect2)
	// One name gets a file of its own.
	must(t, os.WriteFile(filepath.Join(one, "new.txt"), []byte("alone"), 0o644))
	must(t, os.Rename(filepath.Join(one, "new.txt"), filepath.Join(one, "second.txt")))
	expect2["second.txt"] = "alone"
	r.expect("one", wt, expect2)
	write(t, filepath.Join(two, "third.txt"), "eee")
	expect2["first.txt"] = "eee"
	r.expect("one", wt, expect2)
}

// The answer to an announcement has a token that covers every name.
func TestToken_CoversEveryNameOfAFile(t *testing.T) {
	t.Parallel()
	one, two := folder(t, "one"), folder(t, "two")
	write(t, filepath.Join(one, "d/a.txt"), "old")
	must(t, os.Mkdir(filepath.Join(two, "d"), 0o755))
	must(t, os.Link(filepath.Join(one, "d/a.txt"), filepath.Join(two, "d/b.txt")))
	r := startRig(t, unseen(watching(one, two)))
	write(t, filepath.Join(one, "d/a.txt"), "new")
	rep := r.announce(contract.Announce{Paths: []string{filepath.Join(one, "d/a.txt")}})
	for source, path := range map[document.Source]string{"one": "d/a.txt", "two": "d/b.txt"} {
		h := r.heads(source, wt)[path]
		if !h.Live || h.Size != 3 || rep.Token.Seq < uint64(h.Version) {
			t.Errorf("%s in %s is version %d, the token is %s", path, source, h.Version, rep.Token)
		}
	}
	if rep.Changed != 2 {
		t.Errorf("changed: %d", rep.Changed)
	}
}

// A file is replaced by one of the same content, of which the log knows the old
// inode, and gets another name before its times say anything.
func TestYoungCopyOfAFile_IsFoundByItsOtherName(t *testing.T) {
	t.Parallel()
	root := folder(t, "one")
	first, second := filepath.Join(root, "first.txt"), filepath.Join(root, "second.txt")
	write(t, first, "old")
	r := startRig(t, unseen(watching(root)))
	write(t, filepath.Join(root, "copy.txt"), "old")
	must(t, os.Rename(filepath.Join(root, "copy.txt"), first))
	r.announce(contract.Announce{Paths: []string{first}})
	must(t, os.Link(first, second))
	r.announce(contract.Announce{Paths: []string{second}})
	write(t, second, "new content")
	r.announce(contract.Announce{Paths: []string{second}})
	for path, h := range r.heads("one", wt) {
		if h.Size != int64(len("new content")) {
			t.Errorf("%s has %d bytes in the log", path, h.Size)
		}
	}
}

// A file is edited through a name that is gone before anybody looks.
func TestEditThroughANameThatIsGone_IsSeen(t *testing.T) {
	t.Parallel()
	for what, leave := range map[string]func(name string) error{
		"removed": os.Remove,
		"replaced": func(name string) error {
			if err := os.WriteFile(name+"~", []byte("other"), 0o644); err != nil {
				return err
			}
			return os.Rename(name+"~", name)
		},
		"moved away": func(name string) error { return os.Rename(name, filepath.Join(t.TempDir(), "gone.txt")) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			one, two := folder(t, "one"), folder(t, "two")
			kept, gone := filepath.Join(one, "d/kept.txt"), filepath.Join(two, "d/gone.txt")
			write(t, kept, "old")
			must(t, os.MkdirAll(filepath.Dir(gone), 0o755))
			must(t, os.Link(kept, gone))
			r := startRig(t, unseen(watching(one, two)))
			must(t, os.WriteFile(gone, []byte("edited"), 0o644))
			must(t, leave(gone))
			rep := r.announce(contract.Announce{Paths: []string{gone}})
			if h := r.heads("one", wt)["d/kept.txt"]; h.Size != int64(len("edited")) || rep.Token.Seq < uint64(h.Version) {
				t.Errorf("the other name has %d bytes in version %d, the token is %s", h.Size, h.Version, rep.Token)
			}
		})
	}
}

// A file has a name that nobody has looked at yet when it is edited through
// another: one that was made, moved, or came in another's place.
func TestNameThatNobodyLookedAt_IsCoveredByTheToken(t *testing.T) {
	t.Parallel()
	for what, name := range map[string]func(file, other string) error{
		"made": os.Link,
		"moved": func(file, other string) error {
			return errors.Join(os.Link(file, other+"~"), os.Rename(other+"~", other))
		},
		"in another's place": func(file, other string) error {
			return errors.Join(os.WriteFile(other, []byte("was here"), 0o644), os.Remove(other), os.Link(file, other))
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			one, two := folder(t, "one"), folder(t, "two")
			file, other := filepath.Join(one, "d/file.txt"), filepath.Join(two, "d/other.txt")
			write(t, file, "old")
			write(t, other, "old")
			r := startRig(t, unseen(watching(one, two)))
			must(t, os.Remove(other))
			must(t, name(file, other))
			must(t, os.WriteFile(file, []byte("edited"), 0o644))
			rep := r.announce(contract.Announce{Paths: []string{file}})
			if h := r.heads("two", wt)["d/other.txt"]; h.Size != int64(len("edited")) || rep.Token.Seq < uint64(h.Version) {
				t.Errorf("the other name has %d bytes in version %d, the token is %s", h.Size, h.Version, rep.Token)
			}
		})
	}
}

// A file is replaced unseen and gets a second name, which is announced: of the
// first the log knows another inode. Then it is edited through the second.
func TestFileThatWasReplacedUnseen_IsCoveredByTheToken(t *testing.T) {
	t.Parallel()
	root := folder(t, "one")
	first, second := filepath.Join(root, "d/first.txt"), filepath.Join(root, "d/second.txt")
	write(t, first, "old")
	r := startRig(t, unseen(watching(root)))
	must(t, os.WriteFile(first+"~", []byte("newer"), 0o644))
	must(t, os.Rename(first+"~", first))
	must(t, os.Link(first, second))
	r.announce(contract.Announce{Paths: []string{second}})
	must(t, os.WriteFile(second, []byte("newest"), 0o644))
	rep := r.announce(contract.Announce{Paths: []string{second}})
	if h := r.heads("one", wt)["d/first.txt"]; h.Size != int64(len("newest")) || rep.Token.Seq < uint64(h.Version) {
		t.Errorf("the first name has %d bytes in version %d, the token is %s", h.Size, h.Version, rep.Token)
	}
}

// Several ask for a token of one name at once: who finds that another has taken
// its change up already waits for the other names all the same.
func TestChangeThatAnotherTookUp_TokenCoversEveryName(t *testing.T) {
	t.Parallel()
	one, two := folder(t, "one"), folder(t, "two")
	file, other := filepath.Join(one, "d/file.txt"), filepath.Join(two, "d/other.txt")
	write(t, file, "0")
	must(t, os.MkdirAll(filepath.Dir(other), 0o755))
	must(t, os.Link(file, other))
	r := startRig(t, unseen(watching(one, two)))
	for round := range 20 {
		must(t, os.WriteFile(file, []byte(strings.Repeat("x", round+2)), 0o644))
		tokens := make(chan uint64, 6)
		for range cap(tokens) {
			go func() {
				rep, err := rpc.Call[contract.Announce, contract.AnnounceReply](t.Context(), r.bus.Conn(), contract.SubjectAnnounce, contract.Announce{Paths: []string{file}})
				if err != nil {
					t.Error(err)
				}
				tokens <- rep.Token.Seq
			}()
		}
		least := uint64(math.MaxUint64)
		for range cap(tokens) {
			least = min(least, <-tokens)
		}
		if h := r.heads("two", wt)["d/other.txt"]; uint64(h.Version) > least {
			t.Errorf("round %d: the other name is version %d, a token is %d", round, h.Version, least)
		}
	}
}
