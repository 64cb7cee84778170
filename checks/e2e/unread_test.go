package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// outputOf returns the head of a stage's output of the only generation that has
// the document.
func (r *rig) outputOf(stream string, path document.Path) contract.OutputHead {
	r.t.Helper()
	table := r.bus.Outputs(stream)
	if err := table.Ready(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
	var out contract.OutputHead
	table.Range(func(k bus.OutputKey, h contract.OutputHead) bool {
		if k.Doc == document.DocOf(path) {
			out = h
		}
		return out.Seq == 0
	})
	if out.Seq == 0 {
		r.t.Fatalf("%s has nothing of %s", stream, path)
	}
	return out
}

// last returns the last message of a subject.
func (r *rig) last(stream, subject string) *bus.Msg {
	r.t.Helper()
	m, err := r.bus.LeaderLast(r.t.Context(), stream, subject)
	if err != nil || m == nil {
		r.t.Fatalf("the last message on %s: %v, %v", subject, m, err)
	}
	return m
}

// garbage puts what cannot be read in the place of a message, with headers that
// can be.
func (r *rig) garbage(m *bus.Msg, change nats.Header) {
	r.t.Helper()
	header := nats.Header{}
	for name, values := range m.Header {
		if !strings.HasPrefix(name, "Nats-") && name != contract.HeaderEncoding && name != contract.HeaderClaim {
			header[name] = values
		}
	}
	for name, values := range change {
		header[name] = values
	}
	ack := r.bus.Publish(r.t.Context(), bus.Out{Subject: m.Subject, Header: header, Body: []byte("garbage"), Expect: m.Seq, Raw: true})[0]
	if ack.Err != nil {
		r.t.Fatal(ack.Err)
	}
}

// without removes the object that the body of a message is.
func (r *rig) without(m *bus.Msg) {
	r.t.Helper()
	name := m.Header.Get(contract.HeaderClaim)
	if name == "" {
		r.t.Fatalf("the body on %s lies in the message", m.Subject)
	}
	objects, err := r.bus.JetStream().ObjectStore(r.t.Context(), contract.BucketBodies)
	if err == nil {
		err = objects.Delete(r.t.Context(), name)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// healed waits until a word is found where it stands and nothing is degraded,
// and returns what the first answer that was not whole said: what it lacked, or
// that it was being made again.
func (r *rig) healed(word, place string) (told string) {
	r.t.Helper()
	for {
		rep := r.search(contract.SearchRequest{Query: word, Token: "latest"})
		got := strings.Join(found(rep, word), " ")
		said := slices.Clone(rep.Degraded)
		for _, p := range rep.Pending {
			said = append(said, fmt.Sprintf("%s of %s is pending", p.Path, p.Source))
		}
		for _, f := range rep.Failed {
			said = append(said, fmt.Sprintf("%s of %s: %s", f.Path, f.Source, f.Reason))
		}
		switch {
		case len(said) > 0:
			if told == "" {
				told = strings.Join(said, "\n")
			}
		case got == place:
			return told
		default:
			r.t.Fatalf("%s is found in %q without a word", word, got)
		}
		select {
		case <-time.After(20 * time.Millisecond): // it needs the processor
		case <-r.t.Context().Done():
			r.t.Fatalf("%s is not found again: %s", word, told)
		}
	}
}

// The passages of a document cannot be read. The answer that misses them says
// so, and they are made again though nobody asks for it.
func TestGarbageInPlaceOfPassages_IsMended(t *testing.T) {
	t.Parallel()
	root := folder(t, "library")
	write(t, root+"/heron.md", "The heron stands in the weir.\n")
	r := up(t, t.TempDir(), root)
	r.checked()
	r.garbage(r.last(contract.StreamChunks, r.outputOf(contract.StreamChunks, "heron.md").Subject(contract.StreamChunks)), nil)
	if told := r.healed("heron", "library/heron.md"); !strings.Contains(told, "heron.md of library") {
		t.Errorf("the answer that lacked it said %q", told)
	}
	r.quiet()
	r.equal()
}

// The vectors of a document cannot be read by whoever indexes them.
func TestGarbageInPlaceOfVectors_IsMended(t *testing.T) {
	t.Parallel()
	root := folder(t, "library")
	write(t, root+"/heron.md", "The heron stands in the weir.\n")
	r := up(t, t.TempDir(), root)
	r.checked()
	h := r.outputOf(contract.StreamVectors, "heron.md")
	var later contract.Covers
	for view, c := range h.Covers.All() {
		c.Version++ // the index lacks it
		later = later.With(view, c)
	}
	h.Covers = later
	r.garbage(r.last(contract.StreamVectors, h.Subject(contract.StreamVectors)), nats.Header{contract.HeaderCovers: h.Header()[contract.HeaderCovers]})
	for garbage := true; garbage; time.Sleep(20 * time.Millisecond) { // it needs the processor
		m, err := r.bus.LeaderLast(t.Context(), contract.StreamVectors, h.Subject(contract.StreamVectors))
		if err != nil {
			t.Fatal(err)
		}
		if m == nil {
			continue // it is being made again
		}
		raw, err := m.Body(t.Context())
		garbage = err != nil || string(raw) == "garbage"
	}
	r.quiet()
	r.equal()
}

// The content of a file cannot be read in the log, so no passages can be made of
// it, and the file has not changed since.
func TestGarbageInPlaceOfAFile_IsMended(t *testing.T) {
	t.Parallel()
	root := folder(t, "library")
	write(t, root+"/heron.md", "The heron stands in the weir.\n")
	r := up(t, t.TempDir(), root)
	r.checked()
	m := r.last(contract.StreamFiles, contract.FileSubject("library", document.DocOf("heron.md"), document.Worktree))
	r.garbage(m, nats.Header{contract.HeaderHash: {string(document.HashOf([]byte("another text")))}})
	r.healed("heron", "library/heron.md")
	r.quiet()
	r.equal()
}

// The bodies of large documents and those of their passages are gone. What is in
// a folder is made again by itself; what was put by request is named as lost
// until it is put again.
func TestLostBodiesOfADocument_AreMendedOrNamed(t *testing.T) {
	t.Parallel()
	root, data := folder(t, "library"), t.TempDir()
	write(t, root+"/large.md", largeText("Leviathan"))
	r := up(t, data, root)
	r.addAPI("tickets")
	r.put("tickets", "put.md", largeText("Behemoth"))
	r.quiet()
	for path, source := range map[document.Path]document.Source{"large.md": "library", "put.md": "tickets"} {
		r.without(r.last(contract.StreamChunks, r.outputOf(contract.StreamChunks, path).Subject(contract.StreamChunks)))
		r.without(r.last(contract.StreamFiles, contract.FileSubject(source, document.DocOf(path), document.Worktree)))
	}
	r.stop() // what a query has read it keeps
	r = up(t, data, root)
	r.checked()
	for lost := false; !lost; {
		rep := r.search(contract.SearchRequest{Query: "Behemoth", Token: "latest"})
		if len(found(rep, "Behemoth")) > 0 || len(rep.Degraded)+len(rep.Pending)+len(rep.Failed) == 0 {
			t.Fatalf("what is lost is answered with %v, degraded by %v", found(rep, "Behemoth"), rep.Degraded)
		}
		list := ask[struct{}, contract.LossList](t, r.bus, contract.SubjectLosses, struct{}{}).Losses
		if lost = len(list) > 0; lost && (len(list) != 1 || list[0].What != contract.LossDocument || list[0].Source != "tickets" || list[0].Path != "put.md") {
			t.Errorf("lost: %+v", list)
		}
	}
	if _, sum := r.verify(contract.VerifyRequest{}); sum.Equal {
		t.Error("equal, although a document is lost")
	}
	r.put("tickets", "put.md", largeText("Behemoth"))
	r.healed("Behemoth", "tickets/put.md")
	r.healed("Leviathan", "library/large.md")
	ask[struct{}, contract.LossList](t, r.bus, contract.SubjectLossesAccept, struct{}{})
	if sum := r.quiet(); !sum.Equal {
		t.Errorf("not equal: %+v", sum)
	}
	r.shows("latest", "Behemoth", "tickets/put.md")
}
