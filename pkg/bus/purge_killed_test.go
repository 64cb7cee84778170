package bus

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A server that is killed may have a message again that a newer one replaced, where that
// was purged since and its block written anew: the older one stands in another block.
func TestOutputOfAPurgedDocumentIsThereAgainAfterAKill_TheNextPurgerTakesItOut(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	p.outputs("kept.go", p.version("kept.go", "kept"))
	// Of this one CHUNKS has the text, which FILES lost otherwise: it is for a comparison to tell.
	lost := p.version("lost.go", "lost")
	p.outputs("lost.go", lost)
	first := p.version("a.go", "text")
	p.outputs("a.go", first)
	c := p.version("a.go", "")
	p.outputs("a.go", c)
	p.purge(Deleted{p.key("a.go"), c.Version, []document.View{document.Worktree}})
	p.settled(2)
	if err := deleteMessage(t.Context(), p.b, contract.StreamFiles, uint64(lost.Version)); err != nil {
		t.Fatal(err)
	}
	p.forgetPurges()
	h := contract.OutputHead{Generation: purgedGeneration, Source: "s", Doc: document.DocOf("a.go"), Path: "a.go", Covers: contract.Covering(document.Worktree, first), Count: 1}
	p.write(contract.StreamVectors, h.Subject(contract.StreamVectors), h.Header())
	h.Sink = document.Vector
	p.write(contract.StreamIndexed, h.Subject(contract.StreamIndexed), h.Header())
	p.close()
	p.open()
	defer p.run(p.b)()
	for stream, want := range map[string]int{contract.StreamChunks: 2, contract.StreamVectors: 2, contract.StreamIndexed: 4} {
		for p.b.Outputs(stream).Len() != want {
			if !pause(t.Context(), time.Millisecond) {
				t.Fatalf("%s has %d heads, want those of the two documents that were not purged", stream, p.b.Outputs(stream).Len())
			}
		}
	}
}

// A server of a deployment is nobody's to look into: it starts after a kill with whatever
// messages it finds.
func TestServerIsKilledAfterAPurge_WhatComesBackIsTakenOutAgain(t *testing.T) {
	t.Parallel()
	p := newPurging(t)
	p.outputs("kept.go", p.version("kept.go", "kept"))
	p.purge(p.gone("a.go"), p.gone("b.go"))
	p.settled(1)
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(p.dir)); err != nil {
		t.Fatal(err)
	}
	withoutIndexes(t, copied)
	p.close()
	p.dir = copied
	p.open()
	if n := p.messages(contract.StreamFiles); n == 1 {
		t.Fatal("nothing has come back, so that this shows nothing")
	}
	defer p.run(p.b)()
	for _, stream := range contract.Streams[:4] {
		want := uint64(1)
		if stream == contract.StreamIndexed {
			want = 2
		}
		for p.messages(stream) != want {
			if !pause(t.Context(), time.Millisecond) {
				t.Fatalf("%s holds %d messages, want %d", stream, p.messages(stream), want)
			}
		}
	}
	p.settled(1)
}

// forgetPurges empties the journal, as later purges do.
func (p *purging) forgetPurges() {
	p.t.Helper()
	meta := p.b.Bucket(contract.BucketMeta)
	for n := range uint64(purgeRecords) {
		key := purgeRecord{Number: n}.key()
		_, revision, err := meta.Get(p.t.Context(), key)
		if err == nil && revision > 0 {
			err = meta.Remove(p.t.Context(), key, revision)
		}
		if err != nil {
			p.t.Fatal(err)
		}
	}
}

// FILES' last sequence is what tokens are held against: a log that forgets it
// would give it again.
func TestNewestMessageIsPurged_TheLastSequenceStays(t *testing.T) {
	t.Parallel()
	for _, clean := range []bool{true, false} {
		t.Run(map[bool]string{true: "stopped", false: "killed"}[clean], func(t *testing.T) {
			t.Parallel()
			p := newPurging(t)
			p.outputs("kept.go", p.version("kept.go", "kept"))
			d := p.gone("a.go")
			p.purge(d)
			want := map[string]uint64{}
			for _, stream := range contract.Streams {
				last, err := p.b.LastSeq(t.Context(), stream)
				if err != nil {
					t.Fatal(err)
				}
				want[stream] = last
			}
			if want[contract.StreamFiles] != uint64(d.Version) {
				t.Fatalf("FILES ends at %d, want the deletion %d", want[contract.StreamFiles], d.Version)
			}
			copied := t.TempDir()
			if !clean {
				if err := os.CopyFS(copied, os.DirFS(p.dir)); err != nil {
					t.Fatal(err)
				}
				withoutIndexes(t, copied)
			}
			p.close()
			if !clean {
				p.dir = copied
			}
			p.open()
			for stream, seq := range want {
				if last, err := p.b.LastSeq(t.Context(), stream); err != nil || last != seq {
					t.Errorf("%s ends at %d after the restart, want %d (%v)", stream, last, seq, err)
				}
			}
			if _, err := p.b.Tokens().Resolve(t.Context(), document.Token{Epoch: 1, Seq: 1}, 1); document.KindOf(err) != document.TokenUnknown {
				t.Error(err)
			}
		})
	}
}

// withoutIndexes takes what the server writes at a clean stop only.
func withoutIndexes(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "index.db" {
			return os.Remove(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
