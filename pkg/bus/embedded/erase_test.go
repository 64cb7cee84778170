package embedded_test

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// canary is a text that stands nowhere else.
func canary(t testing.TB) string {
	t.Helper()
	raw := make([]byte, 16)
	if _, err := rand.Read(raw); err != nil {
		t.Fatal(err)
	}
	return "canary" + hex.EncodeToString(raw)
}

// filesWith lists the files below a folder that hold some bytes.
func filesWith(t testing.TB, dir string, what []byte) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if bytes.Contains(content, what) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWhatWasRemovedAndErased_StandsInNoFileOfTheLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv, b := bustest.NewServer(t, embedded.Config{Dir: dir, Port: embedded.NoListen})
	replaced, purged, removed, claimed := canary(t), canary(t), canary(t), canary(t)
	large := claimed + noise(t)

	seq := put(t, b, "replaced.go", replaced, 0)
	put(t, b, "replaced.go", "another text", seq)
	put(t, b, "purged.go", purged, 0)
	gone := put(t, b, "removed.go", removed, 0)
	seq = put(t, b, "large.go", large, 0)
	put(t, b, "large.go", "small", seq)
	kept := map[document.Path]string{"replaced.go": "another text", "large.go": "small"}
	for i := range 300 { // more than one block
		path := document.Path(fmt.Sprintf("kept%d.go", i))
		kept[path] = fmt.Sprintf("text %d %s", i, noise(t)[:40<<10])
		put(t, b, path, kept[path], 0)
	}
	s, err := b.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err == nil {
		err = s.Purge(t.Context(), jetstream.WithPurgeSubject(subjectOf("purged.go")))
	}
	if err == nil {
		err = s.DeleteMsg(t.Context(), gone)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bus.NewCollector(b, bus.BodyGrace).Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := filesWith(t, dir, []byte(replaced)); len(found) == 0 {
		t.Fatal("the server overwrites what newer messages replace by itself: nothing is left to erase")
	}
	e, err := srv.Erase(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d messages, %d bytes", e.Messages, e.Bytes)
	for name, what := range map[string][]byte{"replaced": []byte(replaced), "purged": []byte(purged), "removed": []byte(removed), "claimed": []byte(large[:4<<10])} {
		if found := filesWith(t, dir, what); len(found) > 0 {
			t.Errorf("what was %s stands in %v", name, found)
		}
	}
	if e, err := srv.Erase(t.Context(), b); err != nil || e.Messages != 0 {
		t.Errorf("a second time erases %d messages (%v), want none", e.Messages, err)
	}
	readAll(t, b, kept)

	// Without its index, the server reads and checks every record.
	for _, index := range mustGlob(t, filepath.Join(dir, "jetstream", "*", "streams", "*", "msgs", "index.db")) {
		if err := os.Remove(index); err != nil {
			t.Fatal(err)
		}
	}
	before := states(t, b)
	if err := srv.Restart(); err != nil {
		t.Fatal(err)
	}
	for _, index := range mustGlob(t, filepath.Join(dir, "jetstream", "*", "streams", "*", "msgs", "lost*")) {
		t.Errorf("the server gave up %s", index)
	}
	if after := states(t, b); after != before {
		t.Errorf("after a start that reads every record the streams hold %s, before %s", after, before)
	}
	readAll(t, b, kept)
}

// noise is a body that no compression makes small.
func noise(t testing.TB) string {
	t.Helper()
	body := make([]byte, 600<<10)
	if _, err := rand.Read(body); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func subjectOf(path document.Path) string {
	return contract.FileSubject("s", document.DocOf(path), document.Worktree)
}

func put(t testing.TB, b *bus.Bus, path document.Path, body string, expect uint64) uint64 {
	t.Helper()
	h := contract.FileHead{Path: path, Op: contract.OpPut, Hash: document.HashOf([]byte(body)), Size: int64(len(body)), Collection: document.CollectionCode}
	ack := b.Publish(t.Context(), bus.Out{Subject: subjectOf(path), Header: h.Header(), Body: []byte(body), Expect: expect})[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	return ack.Seq
}

func mustGlob(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func readAll(t testing.TB, b *bus.Bus, kept map[document.Path]string) {
	t.Helper()
	for path, text := range kept {
		m, err := b.LeaderLast(t.Context(), contract.StreamFiles, subjectOf(path))
		if err != nil {
			t.Fatal(err)
		}
		if body, err := m.Body(t.Context()); err != nil || string(body) != text {
			t.Errorf("%s reads as another text (%v)", path, err)
		}
	}
}

// states says what each stream holds.
func states(t testing.TB, b *bus.Bus) (all string) {
	t.Helper()
	for _, name := range append([]string{contract.StreamBodies, contract.KeyStream(contract.BucketMeta)}, contract.Streams...) {
		s, err := b.JetStream().Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		st := s.CachedInfo().State
		all += fmt.Sprintf("%s %d messages %d to %d; ", name, st.Msgs, st.FirstSeq, st.LastSeq)
	}
	return all
}
