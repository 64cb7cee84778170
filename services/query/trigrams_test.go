package query

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// grepKnown asks until nothing has to be read for not being known yet.
func (r *rig) grepKnown(in contract.GrepRequest) contract.GrepReply {
	r.Helper()
	for {
		if reply := r.grep(in); reply.Unindexed == 0 || r.Context().Err() != nil {
			return reply
		}
	}
}

func TestDocumentsThatCannotMatch_AreNotRead(t *testing.T) {
	r := newRig(t)
	for i := range 50 {
		r.write(fmt.Sprintf("f%02d.go", i), fmt.Sprintf("package f\n\nfunc walrus%02d() {}\n", i))
	}
	reply := r.grepKnown(contract.GrepRequest{Pattern: "walrus17"})
	r.wants(reply, "f17.go:3:func walrus17() {}")
	if reply.Searched+reply.PassedOver != 50 || reply.PassedOver < 40 || reply.Scan {
		t.Errorf("%d were read and %d passed over, scan %t", reply.Searched, reply.PassedOver, reply.Scan)
	}
	for _, in := range []contract.GrepRequest{{Pattern: "w.l"}, {Pattern: "walrus17", Invert: true}} {
		in.Show = contract.GrepCounts
		if reply := r.grep(in); !reply.Scan || reply.PassedOver > 0 || reply.Matched != 50 || reply.Unindexed > 0 {
			t.Errorf("%+v: scan %t, %d passed over, %d not known, %d matched", in, reply.Scan, reply.PassedOver, reply.Unindexed, reply.Matched)
		}
	}
}

// What is known is that of a text, so a new version is looked at whatever was known
// of the one before.
func TestEditedDocument_IsJudgedByItsNewText(t *testing.T) {
	r := newRig(t)
	r.write("a.go", "one\ntwo\n")
	r.write("copy.go", "one\ntwo\n")
	r.wants(r.grepKnown(contract.GrepRequest{Pattern: "walrus"}))
	for i := range 30 {
		r.write("a.go", fmt.Sprintf("one\nwalrus %d\n", i))
		r.wants(r.grep(contract.GrepRequest{Pattern: "walrus"}), fmt.Sprintf("a.go:2:walrus %d", i))
		r.write("a.go", "one\ntwo\n")
		r.wants(r.grep(contract.GrepRequest{Pattern: "walrus"}))
	}
	r.wants(r.grepKnown(contract.GrepRequest{Pattern: "two"}), "a.go:2:two", "copy.go:2:two")
	r.remove("a.go")
	r.wants(r.grep(contract.GrepRequest{Pattern: "two"}), "copy.go:2:two")
}

// Of what is gone nothing is kept, and of what is beyond the memory allowed nothing
// is known.
func TestTrigramsOfWhatIsGone_AreNotKept(t *testing.T) {
	r := newRig(t)
	for i := range 20 {
		r.write(fmt.Sprintf("f%02d.go", i), fmt.Sprintf("func walrus%02d() {}\n%s", i, strings.Repeat("more text ", i)))
	}
	r.grepKnown(contract.GrepRequest{Pattern: "walrus17"})
	if s := r.svc.configured.trigrams.State(); s.Known != 20 || s.Texts != 20 || s.Bytes == 0 {
		t.Errorf("of 20 documents: %+v", s)
	}
	for i := range 20 {
		r.remove(fmt.Sprintf("f%02d.go", i))
	}
	r.wants(r.grep(contract.GrepRequest{Pattern: "walrus17"}))
	if s := r.svc.configured.trigrams.State(); s.Known != 0 || s.Texts != 0 || s.Bytes != 0 {
		t.Errorf("of none: %+v", s)
	}
}

func TestDocumentsForWhichThereIsNoMemory_AreGreppedAllTheSame(t *testing.T) {
	for _, limit := range []int64{0, 1000} {
		r := newRig(t, func(r *rig) { r.cfg.Trigrams = config.Size(limit) })
		for i := range 20 {
			r.write(fmt.Sprintf("f%02d.go", i), fmt.Sprintf("func walrus%02d() {}\n", i))
		}
		for range 5 {
			reply := r.grep(contract.GrepRequest{Pattern: "walrus17"})
			r.wants(reply, "f17.go:1:func walrus17() {}")
			if reply.Unindexed == 0 {
				t.Errorf("with %d bytes all of 20 documents are known", limit)
			}
		}
	}
}

// BenchmarkGrepOfARareName is what a question costs beside what it reads.
func BenchmarkGrepOfARareName(b *testing.B) {
	r := newRig(b)
	for i := range 10_000 {
		r.write(fmt.Sprintf("d%d/f%d.go", i%100, i), fmt.Sprintf("package f\n\nfunc walrus%05d() {}\n", i))
	}
	in := contract.GrepRequest{Pattern: "walrus01717", Fixed: true}
	r.grepKnown(in)
	for b.Loop() {
		r.grep(in)
	}
}
