package embedder

import (
	"context"
	"crypto/sha256"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// earlier finds vectors that other builds of the log have by the same embedder. What a
// vector was made of decides, not whose passage it is: other sizes of passages leave
// many as they were, and what is only built once more leaves all. The log is the cache,
// so that it outlives the process, and nothing of a document that was removed stays in it.
type earlier struct {
	bus    *bus.Bus
	space  embed.Space
	builds []contract.Build
}

// input is the hash of all that a vector was made of.
type input [sha256.Size]byte

func inputOf(text string) input { return sha256.Sum256([]byte(text)) }

// newEarlier looks up which builds there are.
func newEarlier(ctx context.Context, b *bus.Bus, space embed.Space) (*earlier, error) {
	noted, err := bus.BuildsOf(b).All(ctx)
	if err != nil {
		return nil, err
	}
	e := &earlier{bus: b, space: space}
	for _, build := range noted {
		if slices.Contains(build.Embedders(), space.Identity) {
			e.builds = append(e.builds, build)
		}
	}
	return e, nil
}

// take gives the jobs the vectors that are there already, and takes what has one out of
// missing. What cannot be read is embedded again. A nil earlier finds none.
func (e *earlier) take(ctx context.Context, jobs []*job, missing map[*job][]unembedded) {
	if e == nil || len(e.builds) == 0 {
		return
	}
	type place struct {
		job             *job
		chunks, vectors string // subjects
	}
	var places []place
	var vectors, chunks []string
	for _, j := range jobs {
		if len(missing[j]) == 0 {
			continue
		}
		for _, g := range e.others(j.in.Generation) {
			head := contract.OutputHead{Generation: g, Source: j.in.Source, Doc: j.in.Doc}
			if h, ok := e.bus.Outputs(contract.StreamVectors).Get(bus.OutputKey{Generation: head.Generation, Source: head.Source, Doc: head.Doc}); !ok || h.Count == 0 {
				continue
			}
			p := place{j, head.Subject(contract.StreamChunks), head.Subject(contract.StreamVectors)}
			places, chunks, vectors = append(places, p), append(chunks, p.chunks), append(vectors, p.vectors)
		}
	}
	if len(places) == 0 {
		return
	}
	cut, err := e.bus.GetLast(ctx, contract.StreamChunks, chunks...)
	if err != nil {
		return
	}
	made, err := e.bus.GetLast(ctx, contract.StreamVectors, vectors...)
	if err != nil {
		return
	}
	for _, p := range places {
		if cut[p.chunks] != nil && made[p.vectors] != nil {
			missing[p.job] = p.job.takeOver(missing[p.job], e.inputs(ctx, cut[p.chunks], made[p.vectors]))
		}
	}
}

// others are the generations besides own that builds have by the same embedder of its
// collection, or of one that is like it: a document may have been in that.
func (e *earlier) others(own document.Generation) (out []document.Generation) {
	like := contract.CollectionOf(own).Base()
	for _, b := range e.builds {
		for _, c := range b.Collections() {
			if of := b.Of(c); c.Base() != like || of.Embedder != e.space.Identity || of.Dims != e.space.Dims {
				continue
			}
			if g := b.Generation(c); g != own && !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// inputs are the vectors of a document in another build, by what they were made of. What
// cannot be read has none.
func (e *earlier) inputs(ctx context.Context, cut, made *bus.Msg) map[input]vectorOf {
	body, blob, err := readVectors(ctx, made)
	if err != nil || body.Model != e.space.Identity || body.Dims != e.space.Dims {
		return nil
	}
	raw, err := cut.Body(ctx)
	if err != nil {
		return nil
	}
	chunks, text, err := contract.SplitChunks(cut.Header, raw)
	if err != nil {
		return nil
	}
	have := vectorsOf(body, blob)
	out := map[input]vectorOf{}
	for _, content := range chunks.Contents {
		of := text[content.Offset : content.Offset+content.Size]
		for i := range content.Chunks {
			c := &content.Chunks[i]
			if v, ok := have[c.ID]; ok && !v.bare { // which may be for another reason
				out[inputOf(embed.Compose(chunks.Path, &c.Span, of[c.StartByte:c.EndByte]))] = v
			}
		}
	}
	return out
}

// takeOver gives the passages vectors that were made of the same, and returns the rest.
func (j *job) takeOver(missing []unembedded, of map[input]vectorOf) []unembedded {
	rest := missing[:0]
	for _, m := range missing {
		if v, ok := of[inputOf(m.text)]; ok && m.whole {
			j.have[m.chunk] = v
			continue
		}
		rest = append(rest, m)
	}
	return rest
}

// readVectors reads a message of VECTORS.
func readVectors(ctx context.Context, m *bus.Msg) (body contract.VectorsBody, blob []byte, err error) {
	raw, err := m.Body(ctx)
	if err != nil {
		return body, nil, err
	}
	blob, err = contract.SplitBody(m.Header, raw, &body)
	return body, blob, err
}

// vectorsOf are the vectors of a body; what has none is bare. Those that lie outside of
// it are left out.
func vectorsOf(body contract.VectorsBody, blob []byte) map[document.ChunkID]vectorOf {
	out := map[document.ChunkID]vectorOf{}
	if body.Dims < 1 || body.Dims > len(blob) {
		body.Dims, body.IDs = 0, nil // none that could be used
	}
	for i, id := range body.IDs {
		if end := (i + 1) * body.Dims; i < len(body.Scales) && end <= len(blob) {
			out[id] = vectorOf{vector: embed.VectorOf(body.Scales[i], blob[i*body.Dims:end])}
		}
	}
	for _, id := range body.Bare {
		out[id] = vectorOf{bare: true}
	}
	return out
}
