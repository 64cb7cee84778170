package embedded

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// open starts a server on a folder, with the streams of the log.
func open(t *testing.T, dir string) (*Server, *bus.Bus) {
	t.Helper()
	srv, err := Start(Config{Dir: dir, Port: NoListen})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := srv.Shutdown(); err != nil {
			t.Error(err)
		}
	})
	b, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	return srv, b
}

// A flipped bit in the files of a log that is open is found; a whole log is
// whole, also while it is written to.
func TestFlippedBitInAnOpenLog_IsFoundByTheCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv, b := open(t, dir)
	last := map[string]uint64{}
	for i := range 50 {
		subject := contract.FileSubject("s", document.DocID(string(rune('a'+i%26))), "worktree")
		ack := b.Publish(t.Context(), bus.Out{Subject: subject, Header: map[string][]string{contract.HeaderPath: {"a"}}, Expect: last[subject]})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		last[subject] = ack.Seq
		if i%10 == 0 {
			if err := srv.Check(t.Context(), b, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	blocks, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", contract.StreamFiles, "msgs", "*.blk"))
	if err != nil || len(blocks) == 0 {
		t.Fatalf("blocks: %v, %v", blocks, err)
	}
	raw, err := os.ReadFile(blocks[0])
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)/2] ^= 4
	f, err := os.OpenFile(blocks[0], os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(raw, 0)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	if err = srv.Check(t.Context(), b, false); err != nil {
		t.Errorf("the files are read although nobody asked: %v", err)
	}
	err = srv.Check(t.Context(), b, true)
	if !errors.Is(err, ErrDamaged) || document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), contract.StreamFiles) {
		t.Errorf("a flipped bit is found as %v", err)
	}
}

// What the server has cut off of a stream leaves files that are whole: the next
// start takes the stream for damaged all the same.
func TestServerCutOffMessages_TheNextStartKnowsOfTheDamage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv, b := open(t, dir)
	srv.lost = map[string]int{}
	if err := srv.moreLost(map[string]int{contract.StreamChunks: 2, contract.StreamFiles: 0}); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), contract.StreamChunks) {
		t.Fatalf("two lost messages are told as %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, damagedMarker), []byte(strings.Join(srv.cut, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Close()
	if err := srv.Shutdown(); err != nil {
		t.Fatal(err)
	}
	if srv, _ = open(t, dir); !strings.Contains(strings.Join(srv.Damage(), "\n"), contract.StreamChunks) || !srv.Unclean() {
		t.Errorf("the next start knows of the damage %v, unclean: %v", srv.Damage(), srv.Unclean())
	}
}

// A block that goes from under an open log is found, also where the server has
// all of it in memory; one that the server removes itself is no damage.
func TestBlockGoesWhileTheLogIsOpen_ItIsMissed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	srv, b := open(t, dir)
	publish := func() {
		t.Helper()
		for i := range 9 {
			subject := contract.FileSubject("s", document.DocID(string(rune('a'+i))), "worktree")
			ack := b.Publish(t.Context(), bus.Out{Subject: subject, Header: map[string][]string{contract.HeaderPath: {"a"}}})[0]
			if ack.Err != nil {
				t.Fatal(ack.Err)
			}
		}
	}
	blocks := func() []string {
		t.Helper()
		paths, err := filepath.Glob(filepath.Join(dir, "jetstream", "*", "streams", contract.StreamFiles, "msgs", "*.blk"))
		if err != nil {
			t.Fatal(err)
		}
		return paths
	}
	check := func() error { return srv.Check(t.Context(), b, true) }
	publish()
	if err := check(); err != nil {
		t.Fatal(err)
	}
	before := blocks()
	s, err := b.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err == nil {
		err = s.Purge(t.Context())
	}
	if err != nil {
		t.Fatal(err)
	}
	publish()
	if now := blocks(); len(now) == 0 || len(before) == 0 || now[0] == before[0] {
		t.Fatalf("the server keeps its blocks: %v, %v", before, now)
	}
	if err := check(); err != nil {
		t.Errorf("a block that the server removed counts as damage: %v", err)
	}
	for _, path := range blocks() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if err := check(); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), contract.StreamFiles) {
		t.Errorf("a missing block is found as %v", err)
	}
}

// A stream that waits for itself answers nobody, which time alone tells from a
// busy one: here it has none. The end of the program is no silence.
func TestLogThatDoesNotAnswer_IsToldAsSilent(t *testing.T) {
	t.Parallel()
	srv, b := open(t, t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := silence(t.Context(), ctx, contract.StreamFiles, context.DeadlineExceeded); !errors.Is(err, ErrSilent) ||
		!strings.Contains(err.Error(), "the stream FILES does not say how it is: start freshet again") {
		t.Errorf("a stream that does not answer is told as %v", err)
	}
	if err := srv.check(t.Context(), b, false, time.Nanosecond); !errors.Is(err, ErrSilent) {
		t.Errorf("a log that does not answer in time is told as %v", err)
	}
	if err := srv.check(ctx, b, false, time.Minute); errors.Is(err, ErrSilent) || err == nil {
		t.Errorf("an end of the program is told as %v", err)
	}
}

// A disk without room is told from one that fails.
func TestFailedWrite_IsToldByItsCause(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Critical write error: write 1.blk: no space left on device":  "make room",
		"failed to store a msg on stream: message block data missing": "put right what is wrong",
	} {
		s := &Server{cfg: Config{Log: slog.New(slog.DiscardHandler)}}
		s.breaks(nil, errors.New(text))
		if got := s.Broken().Error(); !strings.Contains(got, want) {
			t.Errorf("%q is told as %q", text, got)
		}
	}
}
