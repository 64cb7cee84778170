//go:build prove

package e2e

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	freshet "github.com/freshet-dev/freshet/services/freshet"
)

const (
	diskSize    = 160 << 20
	diskReserve = 32 << 20
	// diskSlack is how far the reserve may be touched: by the batches that were
	// allowed and on their way at the last look, and by what the server writes
	// for itself.
	diskSlack = 4 << 20
)

// The disk becomes full while the program indexes and files are edited: first
// by what freshet writes, then by somebody else, to the last byte. It has to
// stop and say so, answer searches, and go on by itself when there is room.
func TestFullDisk_LosesNothing(t *testing.T) {
	t.Parallel()
	withSmallDisk(t, diskSize, func(t *testing.T, d *smallDisk) {
		t.Logf("the disk is %s", d.kind)
		root := folder(t, "books")
		data := filepath.Join(d.dir, "state")
		words := library(t, root, 60)
		r := upWith(t, data, func(o *freshet.Options) {
			o.Config.Disk.Reserve, o.Space = diskReserve, d.space
			o.Config.Indexer.Snapshot = time.Second
		}, root)

		lowest := watchFree(t, d)
		d.leave(diskReserve + 3<<20)
		edits := editLibrary(t, root, words)
		bulk := writeBulk(t, root)
		sentence := r.untilFull("nearly full")
		t.Logf("red: %s", sentence)
		r.refuses(root, "nearly full")
		r.searchable(words[0])
		now := edits()
		if free := lowest(); free < diskReserve-diskSlack {
			t.Errorf("%d bytes were free at one moment, %d are promised", free, diskReserve)
		} else {
			t.Logf("lowest free space %.1f MiB of a reserve of %.1f MiB", float64(free)/(1<<20), float64(diskReserve)/(1<<20))
		}
		d.leave(-1)
		r.whole(now, bulk)

		// Somebody else writes the disk full to the last byte, and something of
		// the log's is written at that moment.
		edits = editLibrary(t, root, words)
		d.leave(0)
		r.writeUntilBroken()
		sentence = r.untilFull("cannot be written to")
		t.Logf("red: %s", sentence)
		r.searchable(bulk[0])
		now = edits()
		d.leave(-1)
		r.whole(now, bulk)
		r.stop()
		storesEqualLog(t, data)
	})
}

// watchFree looks at the free space all the time, and returns the lowest that
// it saw.
func watchFree(t *testing.T, d *smallDisk) (lowest func() int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	least := d.free()
	var watching sync.WaitGroup
	watching.Go(func() {
		for ctx.Err() == nil {
			least = min(least, d.free())
			time.Sleep(time.Millisecond) // not to take a processor of its own
		}
	})
	return func() int64 {
		cancel()
		watching.Wait()
		return least
	}
}

// editLibrary gives the books new words until it is called; then it returns the
// word of each, "" for those that were deleted.
func editLibrary(t *testing.T, root string, words []string) (end func() map[string]string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	now := map[string]string{}
	var editing sync.WaitGroup
	editing.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			book := n % len(words)
			path := filepath.Join(fmt.Sprintf("shelf%d", book%3), words[book]+".go")
			word := "Edition" + unique(1)
			var err error
			if book == 7 {
				word = ""
				err = os.RemoveAll(filepath.Join(root, path))
			} else {
				err = os.WriteFile(filepath.Join(root, path), []byte(goFile(word)), 0o644)
			}
			if err != nil {
				t.Error(err)
				return
			}
			now[path] = word
			time.Sleep(20 * time.Millisecond) // the pace of a person in a hurry
		}
	})
	return func() map[string]string {
		cancel()
		editing.Wait()
		return now
	}
}

// writeBulk writes more than the disk takes, and returns one word of each file.
func writeBulk(t *testing.T, root string) (words []string) {
	t.Helper()
	for i := range 60 {
		word := "Bulk" + unique(1)
		words = append(words, word)
		var b strings.Builder
		fmt.Fprintf(&b, "A chapter about %s.\n", word)
		for range 24 {
			// Nothing that can be compressed to less than half.
			fmt.Fprintf(&b, "\n%s\n", unique(180))
		}
		write(t, filepath.Join(root, "bulk", fmt.Sprintf("%03d.md", i)), b.String())
	}
	return words
}

// unique is text that is nowhere else, in words of letters.
func unique(words int) string {
	raw := make([]byte, 12*words)
	_, _ = rand.Read(raw)
	var b strings.Builder
	for i, c := range raw {
		if i > 0 && i%12 == 0 {
			b.WriteByte(' ')
		}
		b.WriteByte('a' + c%26)
	}
	return b.String()
}

// untilFull waits until the status tells that the disk is full, and returns
// the sentence.
func (r *rig) untilFull(say string) string {
	r.t.Helper()
	for {
		for _, d := range r.status().Degraded {
			if strings.HasPrefix(d, "disk: ") && strings.Contains(d, say) {
				return d
			}
		}
		r.pause()
	}
}

// pause is the time between two looks at what nobody announces.
func (r *rig) pause() {
	select {
	case <-time.After(50 * time.Millisecond):
	case err := <-r.done:
		r.cancel = nil
		r.t.Fatalf("freshet ended: %v", err)
	case <-r.t.Context().Done():
		r.t.Fatal("the test ended before what it waits for")
	}
}

// refuses checks that changes are refused with the reason.
func (r *rig) refuses(path, say string) {
	r.t.Helper()
	_, err := client.Announce.Ask(r.t.Context(), r.bus.Conn(), contract.Announce{Paths: []string{path}})
	if document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), say) {
		r.t.Errorf("announced on a full disk: %v", err)
	}
}

// searchable checks that a search is answered from both indexes.
func (r *rig) searchable(word string) {
	r.t.Helper()
	rep := r.search(contract.SearchRequest{Query: word})
	for slices.ContainsFunc(rep.Degraded, func(d string) bool { return strings.HasPrefix(d, "watcher: it does not answer") }) {
		r.pause() // it has a fraction of a second, which says nothing of the disk
		rep = r.search(contract.SearchRequest{Query: word})
	}
	if len(rep.Hits) == 0 || slices.ContainsFunc(rep.Degraded, func(d string) bool { return !strings.HasPrefix(d, "pending: ") }) {
		r.t.Errorf("on a full disk %d hits, degraded %q", len(rep.Hits), rep.Degraded)
	}
}

// writeUntilBroken writes to the log past the guard until the server cannot.
func (r *rig) writeUntilBroken() {
	r.t.Helper()
	body := make([]byte, 256<<10)
	_, _ = rand.Read(body)
	subject := contract.FileSubject("nobody", document.MarkerDoc, document.Worktree)
	head := contract.FileHead{Source: "nobody", Doc: document.MarkerDoc, View: document.Worktree, Op: contract.OpMarker, Time: time.Now()}
	for range 1000 {
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
		_, err := r.bus.JetStream().PublishMsg(ctx, &nats.Msg{Subject: subject, Header: head.Header(), Data: body})
		cancel()
		if err != nil {
			return
		}
	}
	r.t.Fatal("the disk does not become full")
}

// whole waits until everything that was written is shown, and checks that
// nothing is lost, left over or given up.
func (r *rig) whole(books map[string]string, bulk []string) {
	r.t.Helper()
	began := time.Now()
	for {
		// The log is not there while it is opened again, and an answer that was
		// on its way then never comes.
		ctx, cancel := context.WithTimeout(r.t.Context(), 5*time.Second)
		st, err := client.Status.Ask(ctx, r.bus.Conn(), client.None)
		cancel()
		if err == nil && st.Ready && len(st.Degraded) == 0 {
			break
		}
		r.pause()
	}
	r.look() // what the last events may not have told yet
	for st := r.status(); !st.Ready || len(st.Pending) > 0; st = r.status() {
		r.pause()
	}
	r.t.Logf("whole again after %s", time.Since(began).Round(time.Millisecond))
	if failed := r.status().Failed; len(failed) > 0 {
		r.t.Errorf("given up: %+v", failed)
	}
	swept := ask[struct{}, contract.SweepReply](r.t, r.bus, contract.SubjectSweep, struct{}{})
	r.t.Logf("swept %d, restored %d of %d", swept.Removed, swept.Restored, swept.Compared)
	if swept.Restored > 0 {
		r.t.Errorf("%d listed passages were missing in a store", swept.Restored)
	}
	if again := ask[struct{}, contract.SweepReply](r.t, r.bus, contract.SubjectSweep, struct{}{}); again.Removed+again.Restored > 0 {
		r.t.Errorf("a second sweep removed %d and restored %d", again.Removed, again.Restored)
	}
	r.equal()
	for path, word := range books {
		if word != "" {
			r.shows("latest", word, "books/"+filepath.ToSlash(path))
		}
	}
	for i, word := range bulk {
		r.shows("latest", word, fmt.Sprintf("books/bulk/%03d.md", i))
	}
}
