package bus

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

const purgedGeneration = document.Generation("code-test")

// purging is a log with a second process beside the one that purges.
type purging struct {
	t     *testing.T
	dir   string
	srv   natsServer
	b     *Bus
	other *Bus
}

func newPurging(t *testing.T) *purging {
	p := &purging{t: t, dir: t.TempDir()}
	p.open()
	t.Cleanup(p.close)
	return p
}

func (p *purging) open() {
	p.t.Helper()
	var err error
	p.srv = startServer(p.t, p.dir)
	for _, b := range []**Bus{&p.b, &p.other} {
		if *b, err = p.srv.connect(context.Background()); err != nil {
			p.t.Fatal(err)
		}
		if err := EnsureStreams(context.Background(), (*b)); err != nil {
			p.t.Fatal(err)
		}
		(*b).Files()
		(*b).Dead()
		for _, stream := range outputStreams {
			(*b).Outputs(stream)
		}
	}
}

func (p *purging) close() {
	p.b.Close()
	p.other.Close()
	p.srv.stop()
}

// write publishes one message, over what stands on its subject.
func (p *purging) write(stream, subject string, header map[string][]string) uint64 {
	p.t.Helper()
	var expect uint64
	if m, err := p.b.LeaderLast(p.t.Context(), stream, subject); err != nil {
		p.t.Fatal(err)
	} else if m != nil {
		expect = m.Seq
	}
	ack := p.b.Publish(p.t.Context(), Out{Subject: subject, Header: header, Expect: expect})[0]
	if ack.Err != nil {
		p.t.Fatal(ack.Err)
	}
	return ack.Seq
}

// version writes one of a document, the empty text for its deletion.
func (p *purging) version(path document.Path, text string) contract.Cover {
	p.t.Helper()
	h := contract.FileHead{Path: path, Op: contract.OpDelete, Collection: document.CollectionCode}
	if text != "" {
		h.Op, h.Hash = contract.OpPut, document.HashOf([]byte(text))
	}
	seq := p.write(contract.StreamFiles, contract.FileSubject("s", document.DocOf(path), document.Worktree), h.Header())
	return contract.Cover{Version: document.Version(seq), Hash: h.Hash}
}

func (p *purging) key(path document.Path) DocKey { return DocKey{"s", document.DocOf(path)} }

// outputs writes every output of a version.
func (p *purging) outputs(path document.Path, c contract.Cover) {
	p.t.Helper()
	h := contract.OutputHead{Generation: purgedGeneration, Source: "s", Doc: document.DocOf(path), Path: path, Covers: contract.Covering(document.Worktree, c)}
	if c.Hash != "" {
		h.Count = 1
	}
	p.write(contract.StreamChunks, h.Subject(contract.StreamChunks), h.Header())
	p.write(contract.StreamVectors, h.Subject(contract.StreamVectors), h.Header())
	for _, h.Sink = range document.Sinks {
		p.write(contract.StreamIndexed, h.Subject(contract.StreamIndexed), h.Header())
	}
}

// gone writes a document, its deletion, and what the stages make of both.
func (p *purging) gone(path document.Path) Deleted {
	p.t.Helper()
	p.outputs(path, p.version(path, "text of "+string(path)))
	c := p.version(path, "")
	p.outputs(path, c)
	return Deleted{p.key(path), c.Version, []document.View{document.Worktree}}
}

// messages counts what the stream's leader holds.
func (p *purging) messages(stream string) uint64 {
	p.t.Helper()
	s, err := p.b.js.Stream(p.t.Context(), stream)
	if err != nil {
		p.t.Fatal(err)
	}
	return s.CachedInfo().State.Msgs
}

// settled waits until the tables of both processes have as many heads.
func (p *purging) settled(want int) {
	p.t.Helper()
	for _, b := range []*Bus{p.b, p.other} {
		lens := func() []int {
			return []int{b.Files().Len(), b.Outputs(contract.StreamChunks).Len(), b.Outputs(contract.StreamVectors).Len(), b.Outputs(contract.StreamIndexed).Len() / 2}
		}
		for got := lens(); got[0] != want || got[1] != want || got[2] != want || got[3] != want; got = lens() {
			if !pause(p.t.Context(), time.Millisecond) {
				p.t.Fatalf("a process has %v heads, want %d of each", got, want)
			}
		}
	}
	for _, stream := range contract.Streams[:3] {
		if n := p.messages(stream); int(n) != want {
			p.t.Errorf("%s holds %d messages, want %d", stream, n, want)
		}
	}
}

func (p *purging) purge(docs ...Deleted) {
	p.t.Helper()
	if err := PurgesOf(p.b).Remove(p.t.Context(), docs); err != nil {
		p.t.Fatal(err)
	}
}

// run runs the purger until the test has what it waits for.
func (p *purging) run(b *Bus) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- PurgesOf(b).run(ctx, slog.New(slog.DiscardHandler), 10*time.Millisecond) }()
	return func() {
		cancel()
		if err := <-done; err != nil {
			p.t.Error(err)
		}
	}
}

func TestDeletedDocument_LeavesTheLogAndEveryHeadTable(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	p.outputs("kept.go", p.version("kept.go", "kept"))
	for _, path := range []document.Path{"a.go", "b.go", "c.go"} {
		p.gone(path)
	}
	half := p.version("half.go", "half") // deleted, and not in every output yet
	p.outputs("half.go", half)
	gone := p.version("half.go", "")
	defer p.run(p.b)()
	p.settled(2)
	p.outputs("half.go", gone)
	p.settled(1)
}

// The same worker without the floor would bring a deleted document back: it
// found no output, and there is none again.
func TestLateOutputOfAPurgedDocument_IsTakenBack(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	first := p.version("a.go", "text")
	p.outputs("a.go", first)
	c := p.version("a.go", "")
	p.outputs("a.go", c)
	p.outputs("kept.go", p.version("kept.go", "kept"))
	p.purge(Deleted{p.key("a.go"), c.Version, []document.View{document.Worktree}})
	p.settled(1)

	h := contract.OutputHead{Generation: purgedGeneration, Source: "s", Doc: document.DocOf("a.go"), Path: "a.go", Covers: contract.Covering(document.Worktree, first)}
	late := Made{contract.StreamChunks, h.Subject(contract.StreamChunks), p.write(contract.StreamChunks, h.Subject(contract.StreamChunks), h.Header()), h.Source, h.Doc, h.Covers}
	kept := late
	kept.Doc = document.DocOf("kept.go")
	for name, b := range map[string]*Bus{"with head tables": p.other, "without": p.bare()} {
		got, err := PurgesOf(b).Late(t.Context(), []Made{late, kept})
		if err != nil {
			t.Fatal(err)
		}
		if !got[0] || got[1] {
			t.Errorf("%s, the output of the purged document is late: %t, that of a live one: %t", name, got[0], got[1])
		}
	}
	if n := p.messages(contract.StreamChunks); n != 1 {
		t.Errorf("%d messages in CHUNKS, want that of the live document", n)
	}
}

// bare is a process that follows no head table.
func (p *purging) bare() *Bus {
	b, err := p.srv.connect(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(b.Close)
	return b
}

func TestDocumentIsMadeAgainBeforeThePurge_ItStays(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	d := p.gone("a.go")
	again := p.version("a.go", "again")
	p.purge(d)
	if n := p.messages(contract.StreamFiles); n != 1 {
		t.Fatalf("FILES holds %d messages, want the new version", n)
	}
	// What is made of the new version is no late output.
	h := contract.OutputHead{Generation: purgedGeneration, Source: "s", Doc: d.Doc, Path: "a.go", Covers: contract.Covering(document.Worktree, again)}
	p.outputs("a.go", again)
	late, err := PurgesOf(p.other).Late(t.Context(), []Made{{contract.StreamChunks, h.Subject(contract.StreamChunks), 1, "s", d.Doc, h.Covers}})
	if err != nil || late[0] {
		t.Errorf("the output of the new version is late: %t, %v", late[0], err)
	}
	p.purge(d) // as one that was cut off would
	p.settled(1)
}

func TestPurgeThatWasCutOff_IsFinishedByTheNextPurger(t *testing.T) {
	t.Parallel()
	for name, steps := range map[string]int{"announced": 0, "outputs": 1, "files": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPurging(t)
			p.outputs("kept.go", p.version("kept.go", "kept"))
			d := p.gone("a.go")
			r, err := PurgesOf(p.b).announce(t.Context(), []Deleted{d}, []document.Generation{purgedGeneration})
			if err != nil {
				t.Fatal(err)
			}
			q := &purge{bus: p.b, upTo: map[string]uint64{}}
			for _, step := range []func(context.Context, purgeRecord) error{q.outputs, q.files}[:steps] {
				if err := step(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			defer p.run(p.other)()
			p.settled(1)
		})
	}
}

// A purge fails halfway while the purger goes on: the document lacks an output
// that would show its deletion.
func TestPurgeThatFailed_IsFinishedByTheSamePurger(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	p.outputs("kept.go", p.version("kept.go", "kept"))
	p.gone("first.go")
	defer p.run(p.b)()
	p.settled(1) // the purger is past what it does at its start
	c := p.version("a.go", "")
	h := contract.OutputHead{Generation: purgedGeneration, Source: "s", Doc: document.DocOf("a.go"), Path: "a.go", Covers: contract.Covering(document.Worktree, c)}
	p.write(contract.StreamChunks, h.Subject(contract.StreamChunks), h.Header())
	p.write(contract.StreamVectors, h.Subject(contract.StreamVectors), h.Header())
	h.Sink = document.Lexical
	p.write(contract.StreamIndexed, h.Subject(contract.StreamIndexed), h.Header()) // that of the vectors is gone already
	d := Deleted{p.key("a.go"), c.Version, []document.View{document.Worktree}}
	if _, err := PurgesOf(p.other).announce(t.Context(), []Deleted{d}, []document.Generation{purgedGeneration}); err != nil {
		t.Fatal(err)
	}
	p.settled(1)
}

// A worker that ends between its publish and its look at the floor leaves what
// it wrote.
func TestWorkerDiesAfterThePurge_ItsOutputIsTakenOut(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	p.outputs("kept.go", p.version("kept.go", "kept"))
	first := p.version("a.go", "text")
	p.outputs("a.go", first)
	c := p.version("a.go", "")
	p.outputs("a.go", c)
	defer p.run(p.b)()
	p.settled(1)
	sub, err := p.other.nc.SubscribeSync(contract.SubjectRepair)
	if err != nil {
		t.Fatal(err)
	}
	p.outputs("a.go", first)
	p.settled(1)
	for range document.Sinks {
		m, err := sub.NextMsgWithContext(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var r contract.Repair
		if err := json.Unmarshal(m.Data, &r); err != nil || r.Doc != document.DocOf("a.go") || !r.Purged {
			t.Errorf("the store is not looked at: %s, %v", m.Data, err)
		}
	}
}

// A record of many documents is compressed, and read as it was, also by who looks into the
// files of the log.
func TestRecordOfManyDocuments_IsReadAsItWas(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	var docs []Deleted
	for i := range purgeBatch {
		docs = append(docs, Deleted{p.key(document.Path(fmt.Sprintf("a%d.go", i))), 1 << 60, []document.View{document.Worktree}})
	}
	p.purge(docs...)
	value, _, err := p.b.Bucket(contract.BucketMeta).Get(t.Context(), purgeRecord{Number: 1}.key())
	if err != nil {
		t.Fatal(err)
	}
	r, err := openRecord(value)
	if err != nil || !r.Done || !reflect.DeepEqual(r.Docs, docs) {
		t.Errorf("%+v, %v", r, err)
	}
	var purged Purged
	purged.Add(purgeRecord{Number: 1}.key(), value)
	if n := len(purged.subjects[contract.StreamFiles]); n != len(docs) || len(value) > 32*len(docs) {
		t.Errorf("%d of %d documents stand in %d bytes", n, len(docs), len(value))
	}
}

// A process that was cut off for longer than the journal reaches back does not
// keep what it missed.
func TestProcessMissedRecordsOfPurges_ItForgetsTheirHeads(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	p.outputs("kept.go", p.version("kept.go", "kept"))
	p.purge(p.gone("first.go"))
	p.settled(1)
	missed := p.gone("missed.go")
	p.settled(2)
	j := p.other.journal()
	// As if the records between were replaced before they came.
	r, err := PurgesOf(p.b).announce(t.Context(), []Deleted{missed}, []document.Generation{purgedGeneration})
	if err != nil {
		t.Fatal(err)
	}
	if !j.reaches(t.Context(), r.Number) {
		t.Fatal("the record does not come round")
	}
	q := &purge{bus: p.b, upTo: map[string]uint64{}}
	for _, step := range []func(context.Context, purgeRecord) error{q.outputs, q.files} {
		if err := step(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	r.Number += purgeRecords + 1
	r.Docs, r.Done = nil, true
	if err := PurgesOf(p.b).write(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	p.settled(1)
}
