package bus_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// noise is a body that goes into the object store.
func noise(t testing.TB) string {
	t.Helper()
	body := make([]byte, 600<<10)
	if _, err := rand.Read(body); err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// bodies is what the stream of the object store holds, and by which subjects.
func bodies(t testing.TB, b *bus.Bus) jetstream.StreamState {
	t.Helper()
	s, err := b.JetStream().Stream(t.Context(), "OBJ_"+contract.BucketBodies)
	if err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(">"))
	if err != nil {
		t.Fatal(err)
	}
	return info.State
}

func collect(t testing.TB, c *bus.Collector) {
	t.Helper()
	if _, err := c.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// readable reads the body of the head of a path.
func readable(t testing.TB, b *bus.Bus, path document.Path) string {
	t.Helper()
	m, err := b.LeaderLast(t.Context(), contract.StreamFiles, contract.FileSubject("s", document.DocOf(path), document.Worktree))
	if err != nil {
		t.Fatal(err)
	}
	body, err := m.Body(t.Context())
	if err != nil {
		t.Fatalf("the body that the head of %s names: %v", path, err)
	}
	return string(body)
}

func TestBodiesThatNoHeadNames_AreCollectedWithTheirMarks(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	var seq uint64
	var last string
	for range 13 {
		last = noise(t)
		seq = put(t, b, "large.go", last, seq)
	}
	c := bus.NewCollector(b, bus.BodyGrace)
	collect(t, c)
	state := bodies(t, b)
	if state.Bytes > 2*600<<10 {
		t.Errorf("after 13 versions of one file of 600 KiB the bodies take %d bytes", state.Bytes)
	}
	if readable(t, b, "large.go") != last {
		t.Error("the last version reads as another")
	}
	put(t, b, "large.go", "small now", seq)
	collect(t, c)
	if state := bodies(t, b); state.Msgs != 0 {
		t.Errorf("nobody names a body, and %d messages are left: %v", state.Msgs, state.Subjects)
	}
}

func TestBodyOfAPublishThatLost_IsCollected(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	put(t, b, "large.go", "first", 0)
	if ack := b.Publish(t.Context(), filePut("large.go", noise(t), 0))[0]; !errors.Is(ack.Err, bus.ErrConflict) {
		t.Fatalf("a second first message: got %v, want ErrConflict", ack.Err)
	}
	collect(t, bus.NewCollector(b, time.Hour))
	if state := bodies(t, b); state.Msgs != 0 {
		t.Errorf("%d messages are left of a body that nobody names", state.Msgs)
	}
}

// abandoned puts an object as a writer does that ends before it publishes.
func abandoned(t testing.TB, b *bus.Bus, name string, owner map[string]string) {
	t.Helper()
	s, err := b.JetStream().ObjectStore(t.Context(), contract.BucketBodies)
	if err == nil {
		_, err = s.Put(t.Context(), jetstream.ObjectMeta{Name: name, Metadata: owner}, bytes.NewReader([]byte(noise(t))))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestBodyWhoseWriterEnded_IsCollectedAfterTheGraceOnly(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	subject := contract.FileSubject("s", document.DocOf("a.go"), document.Worktree)
	abandoned(t, b, strings.Repeat("a", 64), map[string]string{"subject": subject, "expect": "0"})
	// Chunks without an object are what a put leaves that ended half way.
	if _, err := b.JetStream().Publish(t.Context(), "$O."+contract.BucketBodies+".C.half", []byte(noise(t))); err != nil {
		t.Fatal(err)
	}
	patient, hasty := bus.NewCollector(b, time.Hour), bus.NewCollector(b, 0)
	collect(t, patient)
	collect(t, patient)
	if state := bodies(t, b); len(state.Subjects) != 3 {
		t.Fatalf("within the grace %v is left, want the object and the chunks", state.Subjects)
	}
	collect(t, hasty)
	if state := bodies(t, b); state.Msgs != 0 {
		t.Errorf("after the grace %v is left", state.Subjects)
	}
}

func TestBodyOfAnEarlierRelease_StaysWhileAnyHeadNamesIt(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	named, unnamed := strings.Repeat("a", 64), strings.Repeat("b", 64)
	abandoned(t, b, named, nil)
	abandoned(t, b, unnamed, nil)
	out := filePut("old.go", "", 0)
	out.Header.Set(contract.HeaderClaim, named)
	ack := b.Publish(t.Context(), out)[0]
	if ack.Err != nil {
		t.Fatal(ack.Err)
	}
	c := bus.NewCollector(b, 0)
	collect(t, c)
	s, err := b.JetStream().ObjectStore(t.Context(), contract.BucketBodies)
	if err != nil {
		t.Fatal(err)
	}
	list, err := s.List(t.Context())
	if err != nil || len(list) != 1 || list[0].Name != named {
		t.Fatalf("left are %v (%v), want the one that a head names", list, err)
	}
	put(t, b, "old.go", "new", ack.Seq)
	collect(t, c)
	if state := bodies(t, b); state.Msgs != 0 {
		t.Errorf("nobody names it any more, and %v is left", state.Subjects)
	}
}

func TestBodyIsCollectedWhileItsWriterSleeps_ItIsPutAgain(t *testing.T) {
	t.Parallel()
	_, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	// The room is asked after the body was put and before the message is
	// published: in between, the collector comes by.
	body := noise(t)
	c := bus.NewCollector(b, 0)
	asked := 0
	b.Room().Guard(func(int64) error {
		if asked++; asked > 1 && bodies(t, b).Msgs > 0 {
			collect(t, c)
		}
		return nil
	})
	put(t, b, "large.go", body, 0)
	b.Room().Guard(nil)
	collect(t, c)
	if readable(t, b, "large.go") != body {
		t.Error("the body reads as another")
	}
}

func TestBodyOfAPurgedDocument_IsCollectedAtOnce(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	put(t, b, "large.go", noise(t), 0)
	c := bus.NewCollector(b, bus.BodyGrace)
	collect(t, c)
	if state := bodies(t, b); state.Msgs == 0 {
		t.Fatal("a named body was collected")
	}
	s, err := b.JetStream().Stream(t.Context(), contract.StreamFiles)
	if err == nil {
		err = s.Purge(t.Context(), jetstream.WithPurgeSubject(contract.FileSubject("s", document.DocOf("large.go"), document.Worktree)))
	}
	if err != nil {
		t.Fatal(err)
	}
	collect(t, c)
	if state := bodies(t, b); state.Msgs != 0 {
		t.Errorf("the document is purged, and %v is left", state.Subjects)
	}
}
