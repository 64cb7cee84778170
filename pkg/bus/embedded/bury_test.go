package embedded

import (
	"maps"
	"os"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/embedded/internal/block"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// The files of the log are copied while the server has them open, as a kill
// would leave them.
func TestPurgeThenKill_TheDocumentStaysGone(t *testing.T) {
	t.Parallel()
	for _, anew := range []bool{false, true} {
		t.Run(map[bool]string{false: "the deletion is in the blocks", true: "its block was written anew"}[anew], func(t *testing.T) {
			t.Parallel()
			purgeThenKill(t, anew)
		})
	}
}

func purgeThenKill(t *testing.T, anew bool) {
	dir := t.TempDir()
	_, b := open(t, dir)
	last := map[document.Path]uint64{}
	version := func(path document.Path, op contract.Op) {
		t.Helper()
		h := contract.FileHead{Path: path, Op: op, Collection: document.CollectionCode}
		if op == contract.OpPut {
			h.Hash = document.HashOf([]byte(path))
		}
		ack := b.Publish(t.Context(), bus.Out{Subject: fileSubject(path), Header: h.Header(), Expect: last[path]})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		last[path] = ack.Seq
	}
	letters := map[document.Path]uint64{}
	letter := func(path document.Path) {
		t.Helper()
		h := contract.DeadHead{Path: path, Reason: "broken", Attempts: 1, Covers: contract.Covering(document.Worktree, contract.Cover{Version: document.Version(last[path]), Hash: document.HashOf([]byte(path))})}
		ack := b.Publish(t.Context(), bus.Out{Subject: letterSubject(path), Header: h.Header(), Expect: letters[path]})[0]
		if ack.Err != nil {
			t.Fatal(ack.Err)
		}
		letters[path] = ack.Seq
	}
	var purged []bus.Deleted
	version("kept.md", contract.OpPut)
	letter("kept.md")
	for _, path := range []document.Path{"gone.md", "again.md"} {
		for range 2 {
			version(path, contract.OpPut)
			letter(path)
		}
		version(path, contract.OpDelete)
		purged = append(purged, bus.Deleted{
			DocKey: bus.DocKey{Source: "s", Doc: document.DocOf(path)}, Version: document.Version(last[path]), Views: []document.View{document.Worktree},
		})
	}
	if err := b.Dead().Wait(t.Context(), letters["again.md"]); err != nil {
		t.Fatal(err)
	}
	if err := bus.PurgesOf(b).Remove(t.Context(), purged); err != nil {
		t.Fatal(err)
	}
	taken := maps.Clone(letters)
	delete(taken, "kept.md")
	delete(last, "gone.md")
	delete(letters, "gone.md")
	last["again.md"], letters["again.md"] = 0, 0
	version("again.md", contract.OpPut)
	letter("again.md")
	image := t.TempDir()
	if err := os.CopyFS(image, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if anew {
		for _, d := range purged {
			forgetMessage(t, image, contract.StreamFiles, uint64(d.Version))
		}
		for _, seq := range taken {
			forgetMessage(t, image, contract.StreamDead, seq)
		}
	}
	for _, when := range []string{"after a kill", "after the stop that followed"} {
		srv, b := open(t, image)
		are := func(stream, all string, seqs map[document.Path]uint64, subjectOf func(document.Path) string) {
			t.Helper()
			left, err := b.GetLast(t.Context(), stream, all)
			if err != nil {
				t.Fatal(err)
			}
			for path, seq := range seqs {
				subject := subjectOf(path)
				if m := left[subject]; m == nil || m.Seq != seq {
					t.Errorf("%s: %s is not what it was", when, subject)
				}
				delete(left, subject)
			}
			for subject, m := range left {
				t.Errorf("%s: %s has come back as message %d", when, subject, m.Seq)
			}
		}
		are(contract.StreamFiles, contract.FileSubject("s", "*", document.Worktree), last, fileSubject)
		are(contract.StreamDead, contract.DeadSubject("*", "*", "*", "*"), letters, letterSubject)
		b.Close()
		if err := srv.Shutdown(); err != nil {
			t.Fatal(err)
		}
	}
}

func fileSubject(path document.Path) string {
	return contract.FileSubject("s", document.DocOf(path), document.Worktree)
}

func letterSubject(path document.Path) string {
	return contract.DeadSubject(contract.StageChunker, "s", document.DocOf(path), "0a1b2c3d")
}

// forgetMessage takes a message that was deleted out of the blocks, and what tells that it
// was, as the server does when it writes blocks anew.
func forgetMessage(t *testing.T, dir, stream string, seq uint64) {
	t.Helper()
	files, err := block.FilesOf(dir, stream)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		buf, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		var kept []byte
		block.Scan(buf, block.SumOf(stream, f.Number), func(r block.Record) {
			if r.Seq != seq {
				kept = append(kept, buf[r.At:r.At+r.Size]...)
			}
		})
		if err := block.Replace(f.Path, kept); err != nil {
			t.Fatal(err)
		}
	}
}
