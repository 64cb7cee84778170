package logcheck_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/logcheck"
)

// serve runs a real server on a folder while fn writes to it.
func serve(t *testing.T, dir string, fn func(js jetstream.JetStream)) {
	t.Helper()
	ns, err := server.NewServer(&server.Options{DontListen: true, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	if !ns.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not get ready")
	}
	nc, err := nats.Connect("", nats.InProcessServer(ns))
	if err != nil {
		t.Fatal(err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	fn(js)
	nc.Close()
	ns.Shutdown()
	ns.WaitForShutdown()
}

// fill makes a stream of 200 subjects of one message each, with replaced,
// deleted and purged ones, and buckets beside it.
func fill(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	ctx := t.Context()
	s, err := js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: "DOCS", Subjects: []string{"docs.*"}, MaxMsgsPerSubject: 1, FirstSeq: 1 << 40, AllowDirect: true})
	if err != nil {
		t.Fatal(err)
	}
	for round := range 3 {
		for i := range 200 {
			m := &nats.Msg{Subject: fmt.Sprintf("docs.%d", i), Header: nats.Header{"Round": {fmt.Sprint(round)}}, Data: []byte(strings.Repeat("x", 100+i))}
			if _, err := js.PublishMsg(ctx, m); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 10 {
		if err := s.Purge(ctx, jetstream.WithPurgeSubject(fmt.Sprintf("docs.%d", 2*i))); err != nil {
			t.Fatal(err)
		}
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "keys"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		for range 3 {
			if _, err := kv.Put(ctx, fmt.Sprintf("key%d", i), []byte("value")); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := kv.Purge(ctx, "key3"); err != nil {
		t.Fatal(err)
	}
	objects, err := js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "things"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4 {
		if _, err := objects.PutBytes(ctx, fmt.Sprint(i), make([]byte, 300<<10)); err != nil {
			t.Fatal(err)
		}
	}
	if err := objects.Delete(ctx, "2"); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, dir string, clean bool) *logcheck.Log {
	t.Helper()
	l, err := logcheck.Open(dir, clean)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What the server wrote is whole, whether it was stopped or killed.
func TestLogAfterAStopOrKill_IsWhole(t *testing.T) {
	dir := t.TempDir()
	killed := filepath.Join(t.TempDir(), "killed")
	serve(t, dir, func(js jetstream.JetStream) {
		fill(t, js)
		if err := os.CopyFS(killed, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	})
	for _, again := range []bool{false, true} {
		for name, l := range map[string]*logcheck.Log{"stopped": open(t, dir, true), "killed": open(t, killed, false)} {
			if damaged := l.Damaged(); len(damaged) > 0 {
				f, err := l.Findings()
				t.Errorf("%s, again %v: %+v, %v", name, again, f, err)
			}
		}
		serve(t, dir, func(jetstream.JetStream) {})
	}
	for _, stream := range []string{"DOCS", "KV_keys", "OBJ_things"} {
		if !open(t, dir, true).Exact(stream) {
			t.Errorf("%s is not exact after a clean stop", stream)
		}
	}
}

func blockOf(t *testing.T, dir, stream string) string {
	t.Helper()
	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", stream, "msgs", "*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatalf("blocks of %s: %v, %v", stream, blocks, err)
	}
	return blocks[0]
}

// Of a block with flipped bits exactly the messages that they hit are taken
// out; none that was replaced or deleted comes back, and the sequences go on.
func TestFlippedBits_CostExactlyTheirMessages(t *testing.T) {
	whole := t.TempDir()
	serve(t, whole, func(js jetstream.JetStream) { fill(t, js) })
	for _, clean := range []bool{true, false} {
		for seed := range uint64(25) {
			dir := filepath.Join(t.TempDir(), "log")
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			path := blockOf(t, dir, "DOCS")
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			pick := rand.New(rand.NewPCG(seed, 0))
			for range 1 + seed%3 {
				raw[pick.IntN(len(raw))] ^= 1 << pick.IntN(8)
			}
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if !clean { // a kill leaves no index of the end
				if err := os.Remove(filepath.Join(filepath.Dir(path), "index.db")); err != nil {
					t.Fatal(err)
				}
			}
			mended(t, fmt.Sprintf("seed %d, clean %v", seed, clean), dir, clean)
		}
	}
}

// mended mends the stream DOCS and holds it against what was in it.
func mended(t *testing.T, name, dir string, clean bool) {
	t.Helper()
	l := open(t, dir, clean)
	if !slices.Equal(l.Damaged(), []string{"DOCS"}) {
		t.Fatalf("%s: damaged is %v", name, l.Damaged())
	}
	findings, err := l.Findings()
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Mend(); err != nil {
		t.Fatal(err)
	}
	if damaged := open(t, dir, clean).Damaged(); len(damaged) > 0 {
		t.Errorf("%s: damaged after it was mended: %v", name, damaged)
	}
	lost := findings[0].Lost
	if len(lost) > 3 || findings[0].Unsure == clean {
		t.Errorf("%s: %+v", name, findings)
	}
	serve(t, dir, func(js jetstream.JetStream) {
		s, err := js.Stream(t.Context(), "DOCS")
		if err != nil {
			t.Fatal(err)
		}
		missing := 0
		for i := range 200 {
			subject := fmt.Sprintf("docs.%d", i)
			m, err := s.GetLastMsgForSubject(t.Context(), subject)
			gone := i < 20 && i%2 == 0
			switch {
			case err == nil && (gone || m.Header.Get("Round") != "2") && clean:
				t.Errorf("%s: %s shows %q", name, subject, m.Header.Get("Round"))
			case err != nil && !gone && !slices.Contains(lost, subject):
				missing++
			}
		}
		if clean && missing > 0 || missing > 3 {
			t.Errorf("%s: %d messages are missing beside %v", name, missing, lost)
		}
		ack, err := js.Publish(t.Context(), "docs.next", nil)
		if err != nil || clean && ack.Sequence != 1<<40+600 {
			t.Errorf("%s: the next message is %+v, %v", name, ack, err)
		}
	})
}
