package bus_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// copier is a worker that writes a document to CHUNKS for each of FILES, from
// its own connection.
func copier(b *bus.Bus, done chan<- string, calls *atomic.Int64) bus.Worker {
	w := worker(each(func(m *bus.Msg) error {
		calls.Add(1)
		head, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
		if err != nil {
			return err
		}
		out := contract.OutputHead{Path: head.Path, Covers: contract.Covering(head.View, contract.Cover{Version: head.Version, Hash: head.Hash})}
		ack := b.Publish(context.Background(), bus.Out{Subject: contract.ChunksSubject("g", head.Source, head.Doc), Header: out.Header(), Body: []byte("{}")})[0]
		if ack.Err == nil || errors.Is(ack.Err, bus.ErrConflict) {
			done <- string(head.Path)
			return nil
		}
		return ack.Err
	}))
	w.MaxTries = 2
	return w
}

func noDeadLetters(t *testing.T, b *bus.Bus) {
	t.Helper()
	if err := b.Dead().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := b.Dead().Len(); n > 0 {
		t.Errorf("%d dead letters", n)
	}
}

// A guard that refuses is no fault of the documents: nothing is tried in vain,
// nothing is given up, and all goes on when the guard lets it.
func TestFullDisk_MakesNoDeadLetters(t *testing.T) {
	t.Parallel()
	srv, writer := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	b, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	var full atomic.Bool
	asked := make(chan struct{}, 1)
	full.Store(true)
	b.Room().Guard(func(int64) error {
		if !full.Load() {
			return nil
		}
		select {
		case asked <- struct{}{}:
		default:
		}
		return document.Errorf(document.Unavailable, "full")
	})
	var calls atomic.Int64
	done := make(chan string, 100)
	for i := range 20 {
		put(t, writer, document.Path(fmt.Sprintf("f%d.go", i)), "x", 0)
	}
	start(t, b, copier(b, done, &calls))
	for range 3 {
		<-asked
	}
	if n := calls.Load(); n > 0 {
		t.Errorf("%d messages were handled in vain", n)
	}
	if err := b.Publish(t.Context(), filePut("new.go", "x", 0))[0].Err; document.KindOf(err) != document.Unavailable {
		t.Errorf("publish on a full disk: %v", err)
	}
	full.Store(false)
	for range 20 {
		<-done
	}
	noDeadLetters(t, writer)
}

// A guard that begins to refuse while a PubAck is outstanding means that none
// may come: a server that cannot write does not answer.
func TestServerCannotWrite_PublishIsToldSo(t *testing.T) {
	t.Parallel()
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	stream, err := b.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	// Nobody answers on a subject that no stream has.
	if err := b.JetStream().DeleteStream(t.Context(), stream.CachedInfo().Config.Name); err != nil {
		t.Fatal(err)
	}
	other, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	silent, err := other.Conn().SubscribeSync("freshet.files.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	var full atomic.Bool
	b.Room().Guard(func(int64) error {
		if full.Load() {
			return document.Errorf(document.Unavailable, "cannot be written to")
		}
		return nil
	})
	result := make(chan error, 1)
	go func() { result <- b.Publish(t.Context(), filePut("a.go", "x", 0))[0].Err }()
	if _, err := silent.NextMsgWithContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	full.Store(true)
	if err := <-result; document.KindOf(err) != document.Unavailable {
		t.Errorf("got %v", err)
	}
}

// A NATS server with a limit of its own says that it has no room. That is told,
// counts against no document, and ends when there is room.
func TestServerWithoutRoom_MakesNoDeadLetters(t *testing.T) {
	t.Parallel()
	ns, err := server.NewServer(&server.Options{
		Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(),
		JetStreamMaxStore: 1 << 20, NoSigs: true, NoLog: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	t.Cleanup(func() {
		ns.Shutdown()
		ns.WaitForShutdown()
	})
	b, err := bus.Connect(t.Context(), ns.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if err := bus.EnsureStreams(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	put(t, b, "first.go", "x", 0)
	// Feedback, for which there is no room, keeps no log from being made.
	_, _, err = bus.FeedbackOf(b).Keep(t.Context(), contract.FeedbackEventSubject("a"), []byte("{}"))
	if document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("feedback without room for it: %v", err)
	}
	// Something else fills the server.
	filler := []byte(strings.Repeat("x", 64<<10))
	kv, err := b.JetStream().KeyValue(t.Context(), contract.BucketSources)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; ; i++ {
		if _, err := kv.Put(t.Context(), fmt.Sprintf("filler.%d", i), filler); err != nil {
			break
		}
	}
	err = b.Publish(t.Context(), filePut("second.go", "x", 0))[0].Err
	if document.KindOf(err) != document.Unavailable || !strings.Contains(err.Error(), "max_file_store") {
		t.Errorf("publish to a full server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	reported := make(chan error, 1)
	go func() {
		reported <- bus.ServeReport(ctx, b, func() contract.Report { return contract.Report{Service: "chunker", Started: time.Now()} })
	}()
	for {
		rep, err := rpc.Call[struct{}, contract.Report](t.Context(), b.Conn(), contract.SubjectReport, struct{}{})
		if document.KindOf(err) == document.Unavailable {
			continue // not yet
		}
		if err != nil || len(rep.Degraded) != 1 || !strings.Contains(rep.Degraded[0], "no room") {
			t.Errorf("the report says %q, %v", rep.Degraded, err)
		}
		break
	}
	cancel()
	if err := <-reported; err != nil {
		t.Error(err)
	}
	var calls atomic.Int64
	done := make(chan string, 100)
	start(t, b, copier(b, done, &calls))
	if err := b.JetStream().DeleteKeyValue(t.Context(), contract.BucketSources); err != nil {
		t.Fatal(err)
	}
	<-done
	noDeadLetters(t, b)
}

// A restart of the embedded server is one that its connections survive.
func TestRestartedServer_KeepsWhatItAccepted(t *testing.T) {
	t.Parallel()
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	var calls atomic.Int64
	done := make(chan string, 100)
	start(t, b, copier(b, done, &calls))
	seq := put(t, b, "a.go", "x", 0)
	<-done
	for range 3 {
		if err := srv.Restart(); err != nil {
			t.Fatal(err)
		}
	}
	for {
		err := b.Publish(t.Context(), filePut("b.go", "x", 0))[0].Err
		if err == nil || errors.Is(err, bus.ErrConflict) { // an earlier try got through
			break
		}
		if t.Context().Err() != nil {
			t.Fatal("the connection does not come back")
		}
	}
	if got := <-done; got != "b.go" {
		t.Errorf("%s was handled, want b.go", got)
	}
	m, err := b.Get(t.Context(), contract.StreamFiles, seq)
	if err != nil || m.Seq != seq {
		t.Errorf("message %d: %v", seq, err)
	}
}

// A head may come as a nudge and as its durable delivery, at once. Where it is to
// be handled again, that waits until nobody has it in hand.
func TestNudgedChange_IsHandledOnceAtATime(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	begun, release := make(chan string, 10), make(chan struct{})
	var again atomic.Bool
	start(t, b, worker(each(func(m *bus.Msg) error {
		path := m.Header.Get(contract.HeaderPath)
		if path != "slow.go" {
			begun <- path
			return nil
		}
		again.Store(m.Again)
		begun <- path
		<-release
		return nil
	})))
	put(t, b, "slow.go", "x", 0)
	if got := <-begun; got != "slow.go" {
		t.Fatal(got)
	}
	b.Redo(contract.StageChunker, contract.FileSubject("s", document.DocOf("slow.go"), document.Worktree))
	put(t, b, "other.go", "x", 0)
	if got := <-begun; got != "other.go" {
		t.Fatal(got) // by its durable delivery
	}
	// One worker handles nudges, in order, so this one comes after the first.
	b.Redo(contract.StageChunker, contract.FileSubject("s", document.DocOf("other.go"), document.Worktree))
	if got := <-begun; got != "other.go" {
		t.Errorf("%s was handled a second time at once", got)
	}
	close(release)
	if got := <-begun; got != "slow.go" || !again.Load() {
		t.Errorf("%s, again %v: a handler is not told that it has handled the head", got, again.Load())
	}
}

// A lease that was not kept in time, because the machine had no time for it, has
// the message delivered to the process that handles it. It is not handled beside
// that, and nobody takes it for one that ends its worker.
func TestMessageComesAgainWhileItIsHandled_IsHandledOnceAtATime(t *testing.T) {
	t.Parallel()
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	other, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(other.Close)
	deliveries, err := other.Conn().SubscribeSync("_INBOX.>")
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Conn().Flush(); err != nil {
		t.Fatal(err)
	}
	delivered := func() string {
		for {
			m, err := deliveries.NextMsgWithContext(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(m.Reply, "$JS.ACK."+contract.StreamFiles+".") {
				return m.Reply
			}
		}
	}
	begun, release := make(chan string, 10), make(chan struct{})
	var inHand, most atomic.Int64
	w := worker(each(func(m *bus.Msg) error {
		path := m.Header.Get(contract.HeaderPath)
		begun <- path
		if path == "slow.go" {
			most.Store(max(most.Load(), inHand.Add(1)))
			<-release
			inHand.Add(-1)
		}
		return nil
	}))
	w.Batch = 1
	start(t, b, w)
	put(t, b, "slow.go", "x", 0)
	<-begun
	if err := other.Conn().Publish(delivered(), []byte("-NAK")); err != nil {
		t.Fatal(err)
	}
	// Both workers are at slow.go when it has come again. Where the second handles
	// it, that is seen by the counter as soon as it may go on.
	delivered()
	put(t, b, "next.go", "x", 0)
	delivered()
	close(release)
	for got := ""; got != "next.go"; {
		got = <-begun
	}
	if n := most.Load(); n > 1 {
		t.Errorf("%d at a time", n)
	}
	marks, err := b.JetStream().Stream(t.Context(), "KV_"+contract.BucketSuspects)
	if err != nil {
		t.Fatal(err)
	}
	if info := marks.CachedInfo(); info.State.LastSeq > 0 {
		t.Errorf("%d marks of suspects", info.State.LastSeq)
	}
}
