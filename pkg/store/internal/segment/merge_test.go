package segment_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/store"
)

// segments counts the segment files of a fresh snapshot.
func segments(t *testing.T, s embedded, dir string) int {
	t.Helper()
	// Setting the position makes the snapshot write.
	setMark(t, s, store.Mark{ID: "one", Position: markOf(t, s).Position + 1})
	if err := s.Snapshot(context.Background()); err != nil {
		t.Fatal(err)
	}
	n := 0
	for name := range filesOf(t, dir) {
		if strings.HasSuffix(name, ".seg") {
			n++
		}
	}
	return n
}

func TestMerge_KeepsFewSegments(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		dir := t.TempDir()
		s := mustOpen(t, e, dir, 0)
		const batches, size = 120, 70
		for b := range batches {
			change(t, e, s, span(b*size, (b+1)*size), nil)
		}
		// Merging goes on behind the writes; it has to come to an end at at
		// most seven segments a tier.
		for segments(t, s, dir) > 14 {
			runtime.Gosched()
		}
		holds(t, s, span(0, batches*size))
	})
}

func TestMerge_DropsWhatIsDeleted(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		dir := t.TempDir()
		s := mustOpen(t, e, dir, 0)
		change(t, e, s, span(0, 2000), nil)
		full := 0
		segments(t, s, dir)
		for _, data := range filesOf(t, dir) {
			full += len(data)
		}
		change(t, e, s, nil, span(0, 1500))
		for left := full; left > full/2; {
			segments(t, s, dir)
			left = 0
			for _, data := range filesOf(t, dir) {
				left += len(data)
			}
			runtime.Gosched()
		}
		holds(t, s, span(1500, 2000))
		change(t, e, s, nil, span(1500, 2000))
		for segments(t, s, dir) > 0 {
			runtime.Gosched()
		}
		holds(t, s, nil)
	})
}

// Rows that are deleted here and there leave the files, too, although of no
// segment a third is deleted and nothing is written afterwards.
func TestMerge_DropsWhatIsDeletedHereAndThere(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		dir := t.TempDir()
		s := mustOpen(t, e, dir, 0)
		const rows = 6000
		var kept, gone []int
		for i := range rows {
			if i%10 < 3 {
				gone = append(gone, i)
			} else {
				kept = append(kept, i)
			}
		}
		for at := 0; at < rows; at += rows / 3 {
			change(t, e, s, span(at, at+rows/3), nil)
		}
		bytes := func() (n int) {
			if err := s.Snapshot(context.Background()); err != nil {
				t.Fatal(err)
			}
			for _, data := range filesOf(t, dir) {
				n += len(data)
			}
			return n
		}
		full := bytes()
		change(t, e, s, nil, gone)
		for bytes()*10 > full*9 {
			runtime.Gosched()
		}
		holds(t, s, kept)
	})
}

// Deletions that arrive while their segments are being merged must not come
// back with the merged one.
func TestDeletionsDuringAMerge_StayDeleted(t *testing.T) {
	each(t, func(t *testing.T, e engine) {
		dir := t.TempDir()
		s := mustOpen(t, e, dir, time.Millisecond)
		const writers, rounds, size = 2, 60, 80
		alive := make([][]int, writers)
		var wait sync.WaitGroup
		for w := range writers {
			wait.Go(func() {
				r := rand.New(rand.NewPCG(uint64(w), 3))
				for i := range rounds {
					first := (w*rounds + i) * size
					put := span(first, first+size)
					var del []int
					for range min(len(alive[w]), 3*size/4) {
						at := r.IntN(len(alive[w]))
						del = append(del, alive[w][at])
						alive[w] = slices.Delete(alive[w], at, at+1)
					}
					result, err := e.apply(s, put, del)
					if err == nil {
						err = s.Refresh(context.Background())
					}
					for _, e := range append(result.Put, result.Delete...) {
						if err == nil {
							err = e
						}
					}
					if err != nil {
						t.Error(err)
						return
					}
					alive[w] = append(alive[w], put...)
				}
			})
		}
		wait.Wait()
		want := slices.Concat(alive...)
		holds(t, s, want)
		if err := s.SnapshotErr(); err != nil {
			t.Fatal(err)
		}
		mustClose(t, s)
		holds(t, mustOpen(t, e, dir, 0), want)
	})
}
