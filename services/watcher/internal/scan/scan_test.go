package scan

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/watcher/internal/ignore"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newDisk(root string) *Disk {
	return &Disk{
		Root: root, Limit: 1 << 20, Budget: NewBudget(32 << 20), Memory: &Memory{},
		Rules: ignore.New(ignore.Options{Git: true, Read: func(rel string) ([]byte, bool) {
			b, err := os.ReadFile(filepath.Join(root, rel))
			return b, err == nil
		}}),
	}
}

func look(t *testing.T, d *Disk, raw string, known contract.FileHead) Finding {
	t.Helper()
	f, err := d.Look(t.Context(), Candidate{Raw: raw}, known, nil)
	must(t, err)
	d.Budget.Give(f.Weight)
	return f
}

// head is what the log would say after f was published.
func (f Finding) head() contract.FileHead {
	h := contract.FileHead{Path: f.Path, Op: contract.OpPut, Hash: f.Hash, Size: f.Size, Modified: f.Modified,
		Inode: f.Inode, Changed: f.Changed, Collection: f.Collection, Reason: string(f.Reason), Version: 7}
	if f.Kind == Skip {
		h.Op = contract.OpSkipped
	}
	return h
}

// TestContentRewrittenWhileItIsRead_IsNeverTorn rewrites a file all the time, every time with another
// letter and in pieces of another prime length, so that no two states of
// different letters within one look have the same size. The pieces begin small
// again before a state is above the limit. A content that is taken must be of
// one letter.
func TestContentRewrittenWhileItIsRead_IsNeverTorn(t *testing.T) {
	root := t.TempDir()
	file, err := os.Create(filepath.Join(root, "a.txt"))
	must(t, err)
	t.Cleanup(func() { must(t, file.Close()) })
	d := newDisk(root)
	var done atomic.Bool
	begun := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		const shortest, longest = 8009, 32003
		piece := shortest
		for i := 0; !done.Load(); i++ {
			for piece++; !big.NewInt(int64(piece)).ProbablyPrime(0); {
				piece++
			}
			if piece > longest {
				piece = shortest
			}
			if err := file.Truncate(0); err != nil {
				t.Error(err)
			}
			letters := bytes.Repeat([]byte{byte('a' + i%26)}, piece)
			for at := range 10 {
				if _, err := file.WriteAt(letters, int64(at*piece)); err != nil {
					t.Error(err)
				}
				runtime.Gosched()
			}
			if i == 0 {
				close(begun)
			}
		}
	})
	<-begun
	taken, unstable := 0, 0
	for taken < 50 && unstable < 500 {
		f := look(t, d, "a.txt", contract.FileHead{})
		if f.Kind == Unstable {
			unstable++
			continue
		}
		taken++
		if f.Kind != Put {
			t.Fatalf("a file that is being written: %+v", f.Kind)
		}
		if n := len(f.Content); n > 0 && bytes.Count(f.Content, f.Content[:1]) != n {
			t.Errorf("a content of %d bytes is of several letters", n)
		}
	}
	done.Store(true)
	writer.Wait()
	if f := look(t, d, "a.txt", contract.FileHead{}); f.Kind != Put || len(f.Content) == 0 {
		t.Errorf("a quiet file: %+v", f.Kind)
	}
}

func TestUnreadableDirectory_IsToldAndAFailingDiskIsAnError(t *testing.T) {
	root := t.TempDir()
	d := newDisk(root)
	f, err := d.Look(t.Context(), Candidate{Raw: "dir", Err: &os.PathError{Op: "open", Path: "dir", Err: syscall.EACCES}}, contract.FileHead{}, nil)
	if err != nil || f.Kind != Skip || f.Reason != "unreadable: permission denied" {
		t.Errorf("%+v, %v", f, err)
	}
	if f, err := d.Look(t.Context(), Candidate{Raw: "dir", Err: &os.PathError{Op: "open", Path: "dir", Err: syscall.EIO}}, contract.FileHead{}, nil); err == nil {
		t.Errorf("a failing disk is taken for the truth: %+v", f)
	}
}

func TestBudget_IsKeptAndGivenBack(t *testing.T) {
	root := t.TempDir()
	for i := range 64 {
		must(t, os.WriteFile(filepath.Join(root, fmt.Sprint(i)), []byte(strings.Repeat("x", 1000)), 0o644))
	}
	d := newDisk(root)
	d.Budget = NewBudget(4000)
	var held, most atomic.Int64
	g, ctx := errgroup.WithContext(t.Context())
	for i := range 64 {
		g.Go(func() error {
			f, err := d.Look(ctx, Candidate{Raw: fmt.Sprint(i)}, contract.FileHead{}, nil)
			if err != nil {
				return err
			}
			n := held.Add(int64(len(f.Content)))
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			runtime.Gosched()
			held.Add(-int64(len(f.Content)))
			d.Budget.Give(f.Weight)
			return nil
		})
	}
	must(t, g.Wait())
	if most.Load() > 4000 {
		t.Errorf("%d bytes were held", most.Load())
	}
	if n, err := d.Budget.Take(t.Context(), 4000, nil); err != nil || n != 4000 {
		t.Error("the budget was not given back")
	}
}

// BenchmarkGoSource walks, reads and hashes Go's own source.
func BenchmarkGoSource(b *testing.B) {
	root := goSource(b)
	var files, size atomic.Int64
	for b.Loop() {
		files.Store(0)
		size.Store(0)
		d := newDisk(root)
		candidates := make(chan Candidate, 64)
		g, ctx := errgroup.WithContext(context.Background())
		g.Go(func() error {
			defer close(candidates)
			return d.Walk(ctx, "", nil, func(c Candidate) error {
				select {
				case candidates <- c:
					return nil
				case <-ctx.Done():
					return ctx.Err()
				}
			})
		})
		for range 2 * runtime.GOMAXPROCS(0) {
			g.Go(func() error {
				for c := range candidates {
					f, err := d.Look(ctx, c, contract.FileHead{}, nil)
					if err != nil {
						return err
					}
					files.Add(1)
					size.Add(int64(len(f.Content)))
					d.Budget.Give(f.Weight)
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	seconds := b.Elapsed().Seconds() / float64(b.N)
	b.ReportMetric(float64(files.Load())/seconds, "files/s")
	b.ReportMetric(float64(size.Load())/1e6/seconds, "MB/s")
	b.ReportMetric(float64(files.Load()), "files")
	b.ReportMetric(float64(size.Load())/1e6, "MB")
}

// goSource returns the folder of Go's own source.
func goSource(b *testing.B) string {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	must(b, err)
	return filepath.Join(strings.TrimSpace(string(out)), "src")
}
