package bus_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

func put(t testing.TB, b *bus.Bus, path document.Path, body string, expect uint64) uint64 {
	t.Helper()
	ack := b.Publish(t.Context(), filePut(path, body, expect))[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	return ack.Seq
}

func filePut(path document.Path, body string, expect uint64) bus.Out {
	h := contract.FileHead{Path: path, Op: contract.OpPut, Hash: document.HashOf([]byte(body)), Size: int64(len(body)), Collection: document.CollectionCode}
	return bus.Out{Subject: contract.FileSubject("s", document.DocOf(path), document.Worktree), Header: h.Header(), Body: []byte(body), Expect: expect}
}

func TestPublishWithStaleExpectation_IsAConflict(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	first := put(t, b, "a.go", "one", 0)
	if ack := b.Publish(t.Context(), filePut("a.go", "two", 0))[0]; !errors.Is(ack.Err, bus.ErrConflict) {
		t.Fatalf("a second first message: got %v, want ErrConflict", ack.Err)
	}
	second := put(t, b, "a.go", "two", first)
	if second <= first {
		t.Fatalf("sequence went from %d to %d", first, second)
	}
}

func TestNewFiles_StartsFarAboveZero(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	if seq := put(t, b, "a.go", "one", 0); seq < uint64(1_700_000_000)<<20 {
		t.Fatalf("first sequence is %d, want one made from the clock", seq)
	}
}

func TestLargeBody_SurvivesTheClaimCheckByteForByte(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	noise := make([]byte, 2<<20)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	text := bytes.Repeat([]byte("the same line again\n"), 10_000)
	for name, body := range map[document.Path][]byte{"noise": noise, "text": text, "empty": {}} {
		seq := put(t, b, name, string(body), 0)
		m, err := b.Get(t.Context(), contract.StreamFiles, seq)
		if err != nil {
			t.Fatal(err)
		}
		got, err := m.Body(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, body) {
			t.Errorf("%s: %d bytes came back as %d others", name, len(body), len(got))
		}
		if claimed := m.Header.Get(contract.HeaderClaim) != ""; claimed != (name == "noise") {
			t.Errorf("%s: claim check is %v", name, claimed)
		}
	}
}

func TestGetLastOfManyHeads_LeavesOutWhatIsNotThere(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var subjects []string
	var outs []bus.Out
	for i := range 700 {
		o := filePut(document.Path(fmt.Sprintf("f%d.go", i)), fmt.Sprintf("body %d", i), 0)
		subjects = append(subjects, o.Subject)
		if i%7 != 0 {
			outs = append(outs, o)
		}
	}
	for _, a := range b.Publish(t.Context(), outs...) {
		if a.Err != nil {
			t.Fatal(a.Err)
		}
	}
	got, err := b.GetLast(t.Context(), contract.StreamFiles, subjects...)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(outs) {
		t.Fatalf("got %d heads, want %d", len(got), len(outs))
	}
	body, err := got[subjects[1]].Body(t.Context())
	if err != nil || string(body) != "body 1" {
		t.Fatalf("body %q, error %v", body, err)
	}
	none, err := b.GetLast(t.Context(), contract.StreamFiles, subjects[0])
	if err != nil || len(none) != 0 {
		t.Fatalf("absent subject: %d heads, error %v", len(none), err)
	}
}

func TestReplacedMessage_IsGone(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	first := put(t, b, "a.go", "one", 0)
	put(t, b, "a.go", "two", first)
	if _, err := b.Get(t.Context(), contract.StreamFiles, first); !errors.Is(err, bus.ErrGone) {
		t.Fatalf("got %v, want ErrGone", err)
	}
}

func TestTable_FollowsEveryHeadAndWaitsForTheLast(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	files := b.Files()
	if err := files.Ready(t.Context()); err != nil {
		t.Fatalf("an empty stream is not ready: %v", err)
	}
	var mu sync.Mutex
	changes := 0
	cancel := files.Observe(func(bus.FileKey, contract.FileHead, contract.FileHead) { mu.Lock(); changes++; mu.Unlock() })
	defer cancel()
	var last uint64
	for i := range 50 {
		last = put(t, b, "a.go", fmt.Sprint(i), last)
	}
	if err := files.Wait(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	h, ok := files.Get(bus.FileKey{Source: "s", Doc: document.DocOf("a.go"), View: document.Worktree})
	if !ok || uint64(h.Version) != last || h.Path != "a.go" {
		t.Fatalf("head is %+v", h)
	}
	mu.Lock()
	defer mu.Unlock()
	if changes == 0 {
		t.Fatal("no change was observed")
	}
}

func TestLastMessageIsRemoved_WaitOfATableEnds(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	files := b.Files()
	put(t, b, "a.go", "one", 0)
	last := put(t, b, "b.go", "two", 0)
	s, err := b.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.DeleteMsg(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	if err := files.Wait(t.Context(), last); err != nil {
		t.Fatalf("waiting for a removed message: %v", err)
	}
}

func TestLastSeq_IsNeverOlderThanTheCall(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			var last uint64
			for i := range 50 {
				ack := b.Publish(t.Context(), filePut(document.Path(fmt.Sprint("f", w)), fmt.Sprint(i), last))[0]
				if ack.Err != nil {
					t.Error(ack.Err)
					return
				}
				last = ack.Seq
				got, err := b.LastSeq(t.Context(), contract.StreamFiles)
				if err != nil || got < last {
					t.Errorf("last sequence %d after %d was acknowledged (%v)", got, last, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestTokenOfALostPart_IsUnknown(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var lost, kept document.Token
	func() {
		srv, err := embedded.Start(embedded.Config{Dir: dir, Port: embedded.NoListen})
		if err != nil {
			t.Fatal(err)
		}
		b, err := srv.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := bus.EnsureStreams(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		seq := put(t, b, "a.go", "one", 0)
		if kept, err = b.Tokens().Of(t.Context(), seq); err != nil {
			t.Fatal(err)
		}
		lost = document.Token{Epoch: kept.Epoch, Seq: kept.Seq + 5} // was acknowledged, then lost with the power
		b.Close()
		// No clean stop: the marker is taken away again.
		if err := srv.Shutdown(); err != nil {
			t.Fatal(err)
		}
	}()
	removeCleanMarker(t, dir)
	_, b := bustest.NewServer(t, embedded.Config{Dir: dir, Port: embedded.NoListen})
	var last uint64
	for i := range 20 {
		last = put(t, b, "b.go", fmt.Sprint(i), last)
	}
	if seq, err := b.Tokens().Resolve(t.Context(), kept, last); err != nil || seq != kept.Seq {
		t.Errorf("a token from before the stop: %d, %v", seq, err)
	}
	if _, err := b.Tokens().Resolve(t.Context(), lost, last); document.KindOf(err) != document.TokenUnknown {
		t.Errorf("a token of the lost part: %v, want token_unknown", err)
	}
	now, err := b.Tokens().Of(t.Context(), last)
	if err != nil {
		t.Fatal(err)
	}
	if now.Epoch == kept.Epoch {
		t.Error("an unclean stop did not begin an epoch")
	}
	if _, err := b.Tokens().Resolve(t.Context(), document.Token{Epoch: now.Epoch, Seq: last + 1}, last); document.KindOf(err) != document.TokenUnknown {
		t.Errorf("a token beyond the log: %v, want token_unknown", err)
	}
}

func TestPortInUse_IsOneClearError(t *testing.T) {
	t.Parallel()
	srv, _ := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.AnyPort})
	var port int
	if _, err := fmt.Sscanf(srv.ClientURL(), "nats://127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	_, err := embedded.Start(embedded.Config{Dir: t.TempDir(), Port: port})
	if document.KindOf(err) != document.Unavailable {
		t.Fatalf("got %v, want unavailable", err)
	}
}
