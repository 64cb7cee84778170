package bus_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A head holds what it says. The rest of its message goes.
func TestHeads_DoNotKeepTheirMessages(t *testing.T) {
	const documents, most = 4000, 700 // bytes for the five heads of one
	b := bustest.New(t)
	streams := []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed}
	var last [4]uint64
	write := func(i int, outs ...bus.Out) {
		t.Helper()
		for some := range slices.Chunk(outs, 500) {
			for _, ack := range b.Publish(t.Context(), some...) {
				if ack.Err != nil {
					t.Fatal(ack.Err)
				}
				last[i] = max(last[i], ack.Seq)
			}
		}
	}
	const generation, source = document.Generation("docs-12345678"), document.Source("birds")
	var files, chunks, vectors, indexed []bus.Out
	first := newestFile(t, b) + 1
	for n := range documents {
		path := document.Path(fmt.Sprintf("a/folder/with/a/name/file_%06d.txt", n))
		doc, hash := document.DocOf(path), document.HashOf([]byte(path))
		head := contract.FileHead{Path: path, Op: contract.OpPut, Hash: hash, Collection: "docs", Time: time.Now(), Modified: time.Now(), Inode: 1 << 40, Changed: time.Now(), First: true}
		files = append(files, bus.Out{Subject: contract.FileSubject(source, doc, document.Worktree), Header: head.Header()})
		out := contract.OutputHead{Generation: generation, Source: source, Doc: doc, Path: path, Covers: contract.Covering(document.Worktree, contract.Cover{Version: first + document.Version(n), Hash: hash})}
		chunks = append(chunks, bus.Out{Subject: out.Subject(streams[0]), Header: out.Header()})
		vectors = append(vectors, bus.Out{Subject: out.Subject(streams[1]), Header: out.Header()})
		for _, out.Sink = range document.Sinks {
			out.Store = "0123456789abcdef"
			indexed = append(indexed, bus.Out{Subject: out.Subject(streams[2]), Header: out.Header()})
		}
	}
	for i, outs := range [][]bus.Out{files, chunks, vectors, indexed} {
		write(i, outs...)
	}
	before := heapInUse()
	if err := b.Files().Wait(t.Context(), last[0]); err != nil {
		t.Fatal(err)
	}
	for i, stream := range streams {
		if err := b.Outputs(stream).Wait(t.Context(), last[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	each := (int64(heapInUse()) - int64(before)) / documents
	t.Logf("%d bytes for the heads of each document", each)
	if each > most {
		t.Errorf("the heads of each document take %d bytes, want at most %d", each, most)
	}
	k := bus.OutputKey{Generation: generation, Source: source, Doc: document.DocOf("a/folder/with/a/name/file_000007.txt")}
	h, ok := b.Outputs(contract.StreamVectors).Get(k)
	if f, found := b.Files().Get(bus.FileKey{Source: source, Doc: k.Doc, View: document.Worktree}); !ok || !found ||
		!strings.HasSuffix(string(h.Path), "file_000007.txt") || f.Path != h.Path || f.Hash != h.Covers.At(document.Worktree).Hash {
		t.Errorf("the heads are %+v and %+v", h, f)
	}
	runtime.KeepAlive(b)
}

// newestFile is the newest version in FILES.
func newestFile(t *testing.T, b *bus.Bus) document.Version {
	t.Helper()
	seq, err := b.LastSeq(t.Context(), contract.StreamFiles)
	if err != nil {
		t.Fatal(err)
	}
	return document.Version(seq)
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
