//go:build churn

package e2e

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// churn is how much TestManyChanges_StateStaysThatOfTheSources does.
type churn struct {
	edits        int // of one file
	rounds, made int // files that are made and deleted in each round
	large, again int // large files, and how often each is replaced
}

// churnOf is the share of 20,000 edits, 10 rounds of 2,000 files and 10 large
// files replaced 100 times that FRESHET_CHURN names in percent.
func churnOf(t *testing.T) churn {
	t.Helper()
	text := os.Getenv("FRESHET_CHURN")
	percent, err := strconv.Atoi(text)
	if err != nil || percent < 1 || percent > 100 {
		t.Fatalf("FRESHET_CHURN is %q, want a number from 1 to 100", text)
	}
	return churn{
		edits: 200 * percent, rounds: 10, made: 20 * percent,
		large: max(1, percent/10), again: max(10, percent),
	}
}

// taken is how many bytes the files below a folder take, by folder.
func taken(t *testing.T, dir string) (total int64, by map[string]int64) {
	t.Helper()
	by = map[string]int64{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, filepath.Dir(path))
		if err != nil {
			return err
		}
		total += info.Size()
		by[rel] += info.Size()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return total, by
}

// held is how many messages and bytes each stream and bucket of the log has.
func (r *rig) held() map[string]jetstream.StreamState {
	r.t.Helper()
	out := map[string]jetstream.StreamState{}
	list := r.bus.JetStream().ListStreams(r.t.Context())
	for info := range list.Info() {
		out[info.Config.Name] = info.State
	}
	if err := list.Err(); err != nil {
		r.t.Fatal(err)
	}
	return out
}

// idle waits until everything is searchable, however long the machine takes.
func (r *rig) idle() {
	r.t.Helper()
	for {
		req := contract.SearchRequest{Query: "kept", Token: "latest", DeadlineMS: 60_000}
		if rep := ask[contract.SearchRequest, contract.SearchReply](r.t, r.bus, contract.SubjectSearch, req); len(rep.Pending) == 0 {
			return
		}
	}
}

// purged waits until nothing that was deleted is left in the log.
func (r *rig) purged() {
	r.t.Helper()
	r.follow()
	for left := -1; left != 0; time.Sleep(20 * time.Millisecond) {
		left = 0
		r.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
			if h.Op == contract.OpDelete {
				left++
			}
			return left == 0
		})
		for _, stream := range contract.Streams[1:4] {
			r.bus.Outputs(stream).Range(func(_ bus.OutputKey, h contract.OutputHead) bool {
				if h.Covers.Gone() {
					left++
				}
				return left == 0
			})
		}
	}
}

// What freshet takes on the disk and in memory.
type footprint struct {
	log    map[string]jetstream.StreamState
	disk   int64
	by     map[string]int64
	memory int64
}

// footprint is taken of a run that has nothing to do any more, and ends it.
// before is the heap without the run.
func (r *rig) footprint(before int64) footprint {
	r.t.Helper()
	r.purged()
	f := footprint{log: r.held()}
	r.bus.Close() // its head tables are no part of the run
	f.memory = quietHeap() - before
	r.stop()
	f.disk, f.by = taken(r.t, r.data)
	return f
}

// quietHeap is the least that the heap comes down to. The server keeps a block
// that was read for ten seconds, and what is busy still may keep more: it is
// looked for until it has not become a tenth less for longer than that.
func quietHeap() int64 {
	least := heap()
	for since, was := time.Now(), least; time.Since(since) < 13*time.Second; time.Sleep(time.Second) {
		least = min(least, heap())
		if least < was-was/10 {
			since, was = time.Now(), least
		}
	}
	return least
}

// What may be taken whatever there is: the journal of purges (16 records of 256
// documents), a little of each folder of files, and the buffers and caches of the
// server and its clients, which grow with what goes through them at once.
const (
	journalMost = 16 * 40 << 10
	folderMost  = 80 << 10
	memoryMost  = 8 << 20
)

// within fails where a run takes more than another one of the same files, and a
// third of it.
func (f footprint) within(t *testing.T, fresh footprint) {
	t.Helper()
	const meta = "KV_" + contract.BucketMeta
	allow := func(name string, bytes, least int64) int64 {
		if strings.Contains(name, meta) {
			least += journalMost
		}
		return bytes*13/10 + least
	}
	for name, state := range f.log {
		if limit := allow(name, int64(fresh.log[name].Bytes), folderMost); int64(state.Bytes) > limit {
			t.Errorf("%s holds %d messages, %d bytes, and %d, %d in a fresh index", name, state.Msgs, state.Bytes, fresh.log[name].Msgs, fresh.log[name].Bytes)
		}
	}
	for folder, bytes := range f.by {
		if bytes > allow(folder, fresh.by[folder], folderMost) {
			t.Errorf("%s takes %d bytes, and %d in a fresh index", folder, bytes, fresh.by[folder])
		}
	}
	if f.disk > allow(meta, fresh.disk, folderMost) {
		t.Errorf("%d bytes on disk, and %d of a fresh index", f.disk, fresh.disk)
	}
	if f.memory > allow("", fresh.memory, memoryMost) {
		t.Errorf("%d bytes of memory, and %d of a fresh index", f.memory, fresh.memory)
	}
}

// One file is edited again and again, files come and go, and large ones are
// replaced. It is alone in the process, because it measures the heap.
func TestManyChanges_StateStaysThatOfTheSources(t *testing.T) {
	c, dir := churnOf(t), t.TempDir()
	file := func(name, text string) {
		t.Helper()
		write(t, filepath.Join(dir, name), text)
	}
	for i := range 200 {
		file(fmt.Sprintf("kept%d.txt", i), random(t, 100))
	}
	before := heap()
	r := up(t, t.TempDir(), dir)
	begun := time.Now()
	lap := func(what string) {
		t.Logf("%6.1f s: %s", time.Since(begun).Seconds(), what)
		begun = time.Now()
	}
	for range c.edits {
		file("edited.txt", random(t, 20))
		r.look(filepath.Join(dir, "edited.txt"))
	}
	lap(fmt.Sprintf("%d edits of one file", c.edits))
	for round := range c.rounds {
		sub := fmt.Sprintf("round%d", round)
		for i := range c.made {
			file(filepath.Join(sub, fmt.Sprintf("made%d.go", i)), fmt.Sprintf("package round\n\n// Made%d of round %d.\nfunc Made%d() {}\n", i, round, i))
		}
		r.look(dir)
		if err := os.RemoveAll(filepath.Join(dir, sub)); err != nil {
			t.Fatal(err)
		}
		r.look(dir)
	}
	lap(fmt.Sprintf("%d rounds of %d files made and deleted", c.rounds, c.made))
	for range c.again {
		for i := range c.large {
			file(fmt.Sprintf("large%d.txt", i), random(t, 16_000))
		}
		r.look(dir)
	}
	r.idle()
	lap(fmt.Sprintf("%d large files replaced %d times", c.large, c.again))
	if _, err := bus.NewCollector(r.bus, bus.BodyGrace).Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	churned := r.footprint(before)
	lap("purged and stopped")

	before = heap()
	f := up(t, t.TempDir(), dir)
	f.idle()
	fresh := f.footprint(before)
	lap("a fresh index")
	t.Logf("%.1f MB on disk, %.1f of a fresh index; %.1f MB of memory, %.1f of a fresh one",
		float64(churned.disk)/1e6, float64(fresh.disk)/1e6, float64(churned.memory)/1e6, float64(fresh.memory)/1e6)
	churned.within(t, fresh)
}
