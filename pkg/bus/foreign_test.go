package bus_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/bus/embedded"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// Somebody deletes both consumers of a worker; what is published then is
// handled all the same. Then somebody takes their place with one that
// acknowledges nothing.
func TestConsumersAreDeletedOrReplaced_TheWorkerGoesOn(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	handled := make(chan string, 100)
	start(t, b, worker(each(func(m *bus.Msg) error {
		handled <- m.Header.Get(contract.HeaderPath)
		return nil
	})))
	await := func(path string) {
		t.Helper()
		for got := range handled {
			if got == path {
				return // what came before comes again
			}
		}
	}
	put(t, b, "a.go", "x", 0)
	await("a.go")
	for _, stream := range []string{contract.StreamFiles, contract.StreamDead} {
		if err := b.JetStream().DeleteConsumer(t.Context(), stream, "chunker"); err != nil {
			t.Fatal(err)
		}
	}
	put(t, b, "b.go", "x", 0)
	await("b.go")
	if err := b.JetStream().DeleteConsumer(t.Context(), contract.StreamFiles, "chunker"); err != nil {
		t.Fatal(err)
	}
	// The worker may be faster: then this is refused, and there is nothing to put back.
	_, _ = b.JetStream().CreateConsumer(t.Context(), contract.StreamFiles, jetstream.ConsumerConfig{Durable: "chunker", AckPolicy: jetstream.AckNonePolicy, FilterSubject: "freshet.files.none.*.*"})
	stop := start(t, b, worker(each(func(m *bus.Msg) error {
		handled <- m.Header.Get(contract.HeaderPath)
		return nil
	})))
	put(t, b, "c.go", "x", 0)
	await("c.go")
	stop()
	info, err := b.JetStream().Consumer(t.Context(), contract.StreamFiles, "chunker")
	if err != nil {
		t.Fatal(err)
	}
	if cfg := info.CachedInfo().Config; cfg.AckPolicy != jetstream.AckExplicitPolicy {
		t.Errorf("the consumer acknowledges with %v", cfg.AckPolicy)
	}
}

// What people do to streams: an age, a size, another compression, other
// subjects; or they delete one.
func TestStreamIsReconfiguredOrDeleted_ItIsPutRight(t *testing.T) {
	t.Parallel()
	b := bustest.New(t)
	js := b.JetStream()
	put(t, b, "a.go", "x", 0)
	if err := b.Files().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := map[string]jetstream.StreamConfig{}
	for _, name := range everyStream {
		s, err := js.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		cfg := s.CachedInfo().Config
		before[name] = cfg
		cfg.MaxAge, cfg.MaxBytes, cfg.Compression, cfg.MaxMsgsPerSubject = 100*time.Hour, 1<<30, jetstream.S2Compression, 7
		cfg.Discard = jetstream.DiscardOld
		if name == contract.StreamChunks {
			cfg.Subjects = []string{"elsewhere.*"}
		}
		if _, err := js.UpdateStream(t.Context(), cfg); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	check := func(mend func(context.Context, *bus.Bus) error) {
		t.Helper()
		if err := mend(t.Context(), b); err != nil {
			t.Fatal(err)
		}
		for _, name := range everyStream {
			s, err := js.Stream(t.Context(), name)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			now, was := s.CachedInfo().Config, before[name]
			if name == contract.StreamFeedback {
				was.MaxAge, was.MaxBytes, was.MaxMsgsPerSubject = now.MaxAge, now.MaxBytes, now.MaxMsgsPerSubject // an administrator's
			}
			if now.MaxAge != was.MaxAge || now.MaxBytes != was.MaxBytes || now.Compression != was.Compression ||
				now.MaxMsgsPerSubject != was.MaxMsgsPerSubject || now.Discard != was.Discard || now.Subjects[0] != was.Subjects[0] {
				t.Errorf("%s has %+v, and had %+v", name, now, was)
			}
		}
	}
	check(bus.Mend)
	last, err := b.LastSeq(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	token, err := b.Tokens().Of(t.Context(), last)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range everyStream {
		if err := js.DeleteStream(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	check(bus.Mend)
	if seq := put(t, b, "a.go", "x", 0); seq <= last {
		t.Errorf("FILES went back from %d to %d", last, seq)
	}
	if seq, err := b.Tokens().Resolve(t.Context(), token, last); document.KindOf(err) != document.TokenUnknown {
		t.Errorf("a token of the log that was deleted stands for %d, %v", seq, err)
	}
	check(bus.EnsureStreams)
}

var everyStream = append([]string{
	contract.StreamFeedback, "KV_" + contract.BucketMeta, "KV_" + contract.BucketSources, "KV_" + contract.BucketSuspects,
	"KV_" + contract.BucketStores, "KV_" + contract.BucketModels, "KV_" + contract.BucketLeases, "KV_" + contract.BucketStanding, "KV_" + contract.BucketSummaries, "KV_" + contract.BucketEvaluations, "KV_" + contract.BucketKeys, "OBJ_" + contract.BucketBodies,
}, contract.Streams...)

// Garbage in the buckets costs what it replaced: the records of other stores
// are known, epochs begin again.
func TestGarbageInBuckets_CostsOnlyWhatItReplaced(t *testing.T) {
	t.Parallel()
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	js := b.JetStream()
	good := bus.RecordKey{Generation: "docs-1", Sink: document.Lexical}
	bad := bus.RecordKey{Generation: "docs-2", Sink: document.Lexical}
	name := func(id string) func(contract.StoreRecord) (contract.StoreRecord, bool) {
		return func(r contract.StoreRecord) (contract.StoreRecord, bool) { r.Store = id; return r, true }
	}
	if err := b.Records().Change(t.Context(), good, name("one")); err != nil {
		t.Fatal(err)
	}
	for bucket, keys := range map[string][]string{
		contract.BucketStores: {contract.StoreKey(bad.Generation, bad.Sink), "nothing", "a.b.c"},
		contract.BucketMeta:   {"epochs", "verify", "role.watcher"},
	} {
		kv, err := js.KeyValue(t.Context(), bucket)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if _, err := kv.PutString(t.Context(), key, "{not of freshet"); err != nil {
				t.Fatal(err)
			}
		}
	}
	again, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	if err := bus.EnsureStreams(t.Context(), again); err != nil {
		t.Fatal(err)
	}
	if err := again.Records().Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := again.Records().Get(good).Store; got != "one" {
		t.Errorf("the good record has the id %q", got)
	}
	if err := again.Records().Change(t.Context(), bad, name("two")); err != nil || again.Records().Get(bad).Store != "two" {
		t.Errorf("the record cannot be replaced: %v", err)
	}
	if v, err := bus.VerifiedOf(again).Last(t.Context()); v != nil || err != nil {
		t.Errorf("the last comparison: %v, %v", v, err)
	}
	seq := put(t, again, "a.go", "x", 0)
	if token, err := again.Tokens().Of(t.Context(), seq); err != nil || token.Seq != seq {
		t.Errorf("token %v, %v", token, err)
	}
}

// A message without headers takes the head of a document: it is absent and
// told, also by a process that starts then, and replaced by what is written
// next or purged by name.
func TestMessageWithoutHeaders_IsToldAndNoHead(t *testing.T) {
	t.Parallel()
	srv, b := bustest.NewServer(t, embedded.Config{Dir: t.TempDir(), Port: embedded.NoListen})
	put(t, b, "a.go", "x", 0)
	put(t, b, "b.go", "x", 0)
	subject := func(path document.Path) string {
		return contract.FileSubject("s", document.DocOf(path), document.Worktree)
	}
	for _, s := range []string{subject("a.go"), "freshet.files.x.y.z", "freshet.files.x.y._", "freshet.chunks.a.b.c", "freshet.dead.x.b.c.d"} {
		if _, err := b.JetStream().Publish(t.Context(), s, []byte("garbage")); err != nil {
			t.Fatal(err)
		}
	}
	again, err := srv.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(again.Close)
	for _, b := range []*bus.Bus{b, again} {
		last, err := b.LastSeq(t.Context(), contract.StreamFiles)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Files().Wait(t.Context(), last); err != nil {
			t.Fatal(err)
		}
		for _, ready := range []func(context.Context) error{b.Outputs(contract.StreamChunks).Ready, b.Dead().Ready} {
			if err := ready(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, ok := b.Files().Get(keyOf("a.go")); ok {
			t.Error("a document is there that the log does not hold any more")
		}
		if _, ok := b.Files().Get(keyOf("b.go")); !ok {
			t.Error("its neighbour is gone")
		}
		if b.Dead().Len() != 0 || b.Outputs(contract.StreamChunks).Len() != 0 {
			t.Error("garbage is taken for a head")
		}
	}
	all, err := bus.ForeignOf(again).List(t.Context())
	if err != nil || len(all) != 5 {
		t.Fatalf("%d are told, %v: %v", len(all), err, all)
	}
	for _, u := range all {
		if u.Subject == subject("a.go") {
			put(t, b, "a.go", "y", u.Seq)
			last, err := b.LastSeq(t.Context(), contract.StreamFiles)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Files().Wait(t.Context(), last); err != nil {
				t.Fatal(err)
			}
		}
		// What has replaced it stays.
		if err := bus.ForeignOf(again).Purge(t.Context(), u); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := again.Files().Get(keyOf("a.go")); !ok {
		t.Error("what replaced garbage is not there")
	}
	for _, b := range []*bus.Bus{b, again} {
		if left, err := bus.ForeignOf(b).List(t.Context()); err != nil || len(left) != 0 {
			t.Errorf("%v are told after the purge, %v", left, err)
		}
	}
}
