package chunker

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// BenchmarkStandardLibrary measures the service from FILES to CHUNKS over an
// eighth of Go's own source tree, with the log in a temporary folder.
func BenchmarkStandardLibrary(b *testing.B) {
	root := filepath.Join(runtime.GOROOT(), "src")
	contents := map[document.Path][]byte{}
	size, n := 0, 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		if n++; n%8 != 0 {
			return nil
		}
		content, err := os.ReadFile(path)
		if err == nil && len(content) < 1<<20 {
			contents[document.EncodePath(strings.TrimPrefix(path, root+"/"))] = content
			size += len(content)
		}
		return err
	})
	if err != nil || size == 0 {
		b.Fatalf("%d bytes below %s: %v", size, root, err)
	}
	b.SetBytes(int64(size))
	chunks := uint64(0)
	for b.Loop() {
		b.StopTimer()
		r := newRig(b, nil)
		var outs []bus.Out
		for path, content := range contents {
			head := contract.FileHead{
				Source: testSource, Doc: document.DocOf(path), View: document.Worktree, Path: path, Op: contract.OpPut,
				Hash: document.HashOf(content), Size: int64(len(content)), Collection: document.CollectionCode, Time: time.Now(),
			}
			outs = append(outs, bus.Out{Subject: contract.FileSubject(head.Source, head.Doc, head.View), Header: head.Header(), Body: content})
		}
		b.StartTimer()
		for _, ack := range r.bus.Publish(b.Context(), outs...) {
			if ack.Err != nil {
				b.Fatal(ack.Err)
			}
		}
		table := r.bus.Outputs(contract.StreamChunks)
		for table.Len() < len(contents) {
			if err := table.Wait(b.Context(), table.Seen()+1); err != nil {
				b.Fatal(err)
			}
		}
		chunks += r.svc.counters.chunks.Load()
		b.ReportMetric(float64(r.svc.cutter.Parsers().Memory())/(1<<20), "child-MiB")
	}
	b.ReportMetric(float64(chunks)/b.Elapsed().Seconds(), "chunks/s")
}
