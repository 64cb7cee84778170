package query

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
)

// benchChunks is the size of the index that BenchmarkSearch asks: about that
// of Go's source tree at the default size of a chunk.
const benchChunks = 65_000

var benchQueries = []string{
	"parse an IPv6 address", "where are TLS session tickets encrypted", "ServeHTTP", "json decoder skip value",
	"func (c *conn) serve", "how does the scheduler steal work from other processors", "bufio.Scanner", "net/http/transport.go",
	"garbage collector write barrier", "context deadline exceeded", "sort stable insertion", "x509 verify certificate chain",
}

// BenchmarkSearch asks over NATS an index made of Go's own sources, and prints
// percentiles in milliseconds beside the mean.
func BenchmarkSearch(b *testing.B) {
	r := newRig(b)
	r.fill(benchChunks)
	for name, in := range map[string]contract.SearchRequest{
		"plain":  {},
		"filter": {Filter: contract.Filter{Paths: []string{"net"}}},
		"token":  {Token: "latest"},
	} {
		b.Run(name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				in.Query = benchQueries[len(took)%len(benchQueries)]
				start := time.Now()
				reply := r.search(in)
				took = append(took, time.Since(start))
				if len(reply.Hits) == 0 {
					b.Fatalf("%q finds nothing: %+v", in.Query, reply)
				}
			}
			slices.Sort(took)
			at := func(p float64) float64 { return milliseconds(took[int(p*float64(len(took)-1))]) }
			b.ReportMetric(at(.5), "p50-ms")
			b.ReportMetric(at(.99), "p99-ms")
		})
	}
}

// fill settles Go's source tree, repeated under other folders until there are
// n chunks.
func (r *rig) fill(n int) {
	r.Helper()
	root := filepath.Join(runtime.GOROOT(), "src")
	for round := 0; n > 0; round++ {
		before := n
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || n <= 0 {
				return err
			}
			raw, err := os.ReadFile(path)
			if err != nil || len(raw) == 0 {
				return err
			}
			rel, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}
			if round > 0 {
				rel = fmt.Sprintf("copy%d/%s", round, rel)
			}
			n -= r.load(document.EncodePath(filepath.ToSlash(rel)), raw)
			return nil
		})
		if err != nil {
			r.Fatal(err)
		}
		if n == before {
			r.Fatalf("%s holds no Go files", root)
		}
	}
	for _, err := range []error{r.lexical.real.Refresh(r.Context()), r.vector.real.Refresh(r.Context())} {
		if err != nil {
			r.Fatal(err)
		}
	}
	r.search(contract.SearchRequest{Query: "ready", Token: "latest", DeadlineMS: 60_000})
}

// load settles one document, cut every 1,500 bytes.
func (r *rig) load(path document.Path, raw []byte) int {
	doc := document.DocOf(path)
	hash := document.HashOf(raw)
	head := contract.FileHead{Path: path, Op: contract.OpPut, Hash: hash, Size: int64(len(raw)), Collection: document.CollectionCode}
	seq := r.publish(bus.Out{Subject: contract.FileSubject("s", doc, document.Worktree), Header: head.Header(), Body: bytes.Clone(raw)})
	covers := contract.Covering(document.Worktree, contract.Cover{Version: document.Version(seq), Hash: hash})
	attrs := store.Attrs{Source: "s", Doc: doc, Path: path, Language: "go", Kind: document.KindBlock}
	content := document.Content{Hash: hash, Language: "go", Size: len(raw)}
	var lexical store.LexicalBatch
	var vector store.VectorBatch
	var ids []document.ChunkID
	var composed []string
	for start, line := 0, 1; start < len(raw); {
		end := min(len(raw), start+1500)
		if i := bytes.LastIndexByte(raw[start:end], '\n'); i > 0 {
			end = start + i + 1
		}
		text := raw[start:end]
		span := document.Span{StartByte: start, EndByte: end, StartLine: line, EndLine: line + max(bytes.Count(text, []byte("\n")), 1) - 1, Kind: document.KindBlock}
		digest := document.HashOf(text)
		id := document.NewChunkID("s", path, digest, len(ids), document.Version(seq))
		ids = append(ids, id)
		content.Chunks = append(content.Chunks, document.Chunk{ID: id, Born: document.Version(seq), Digest: digest, Span: span})
		lexical.Put = append(lexical.Put, store.LexicalEntry{ID: id, Attrs: attrs, Tokens: r.analyzer.Passage(path, &span, text, false)})
		composed = append(composed, embed.Compose(path, &span, text))
		line += bytes.Count(text, []byte("\n"))
		start = end
	}
	vectors, _ := r.model.EmbedDocuments(r.Context(), composed)
	for i, v := range vectors {
		if !v.IsZero() {
			vector.Put = append(vector.Put, store.VectorEntry{ID: ids[i], Attrs: attrs, Vector: v})
		}
	}
	if _, err := r.lexical.real.Apply(r.Context(), lexical); err != nil {
		r.Fatal(err)
	}
	if _, err := r.vector.real.Apply(r.Context(), vector); err != nil {
		r.Fatal(err)
	}
	out := contract.OutputHead{Path: path, Covers: covers, Count: len(ids)}
	header := out.Header()
	body, err := contract.JoinBody(header, contract.ChunksBody{Path: path, Collection: document.CollectionCode, Contents: []document.Content{content}}, raw)
	if err != nil {
		r.Fatal(err)
	}
	outs := []bus.Out{{Subject: contract.ChunksSubject(generation, "s", doc), Header: header, Body: body}}
	for _, sink := range document.Sinks {
		out.Store = r.storeID(sink)
		outs = append(outs, bus.Out{Subject: contract.IndexedSubject(generation, sink, "s", doc), Header: out.Header(), Body: []byte(`{"ids":[]}`)})
	}
	for _, ack := range r.bus.Publish(r.Context(), outs...) {
		if ack.Err != nil {
			r.Fatal(ack.Err)
		}
	}
	return len(ids)
}
