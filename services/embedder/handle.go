package embedder

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
)

// job is one CHUNKS message on its way to VECTORS.
type job struct {
	index  int // in the batch
	msg    *bus.Msg
	in     contract.OutputHead
	body   contract.ChunksBody
	blob   []byte
	expect uint64 // sequence of the VECTORS head that is replaced
	have   map[document.ChunkID]vectorOf
	out    bus.Out
	counts struct{ embedded, reused, bare uint64 }
}

// vectorOf is a vector as VECTORS holds it; bare chunks have none.
type vectorOf struct {
	vector embed.Vector
	bare   bool
}

// handle embeds what a batch of documents does not have vectors for yet: an
// id stands for one input for ever, so the head that is replaced is the cache.
func (s *maker) handle(ctx context.Context, msgs []*bus.Msg) []error {
	errs := make([]error, len(msgs))
	var jobs []*job
	for i, m := range msgs {
		j, err := s.accept(ctx, i, m)
		if err != nil {
			errs[i] = err
			continue
		}
		if j != nil {
			jobs = append(jobs, j)
		}
	}
	for round := 0; len(jobs) > 0; round++ {
		s.readHeads(ctx, jobs, round > 0, errs)
		jobs = dropDone(jobs, errs)
		s.embedMissing(ctx, jobs, errs)
		jobs = s.publish(ctx, jobs, errs)
	}
	return errs
}

// accept reads a message; a nil job means that nothing is left to do.
func (s *maker) accept(ctx context.Context, i int, m *bus.Msg) (*job, error) {
	in, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		return nil, bus.Permanent(err)
	}
	head, ok := s.deps.Bus.Outputs(contract.StreamVectors).Get(bus.OutputKey{Generation: in.Generation, Source: in.Source, Doc: in.Doc})
	if ok && !m.Redo && head.Covers.Includes(in.Covers) {
		s.counters.covered.Add(1)
		return nil, nil
	}
	body, err := m.Body(ctx)
	if errors.Is(err, bus.ErrGone) {
		return nil, nil // replaced: the newer message is on its way
	}
	if err != nil {
		return nil, err
	}
	j := &job{index: i, msg: m, in: in, expect: head.Seq}
	if j.body, j.blob, err = contract.SplitChunks(m.Header, body); err != nil {
		return nil, m.Unread(err)
	}
	return j, nil
}

// readHeads fetches the vectors of the heads that will be replaced. The head
// table is trusted for "there is none", unless this worker may just have written
// one; compare-and-swap corrects it.
func (s *maker) readHeads(ctx context.Context, jobs []*job, all bool, errs []error) {
	var subjects []string
	for _, j := range jobs {
		if all || j.expect > 0 || j.msg.Again || j.msg.Redo {
			subjects = append(subjects, j.in.Subject(contract.StreamVectors))
		}
	}
	if len(subjects) == 0 {
		return
	}
	heads, err := s.deps.Bus.GetLast(ctx, contract.StreamVectors, subjects...)
	for _, j := range jobs {
		m := heads[j.in.Subject(contract.StreamVectors)]
		switch {
		case err != nil:
			errs[j.index] = bus.StoreWide(err)
		case m != nil:
			errs[j.index] = s.load(ctx, j, m)
		case slices.Contains(subjects, j.in.Subject(contract.StreamVectors)):
			j.expect = 0 // whatever the table says: it was purged
		}
	}
}

// load takes over the vectors of a head. Those that cannot be read are made
// again: nothing may depend on a body that is lost.
func (s *maker) load(ctx context.Context, j *job, m *bus.Msg) error {
	j.expect = m.Seq
	head, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		return nil //nolint:nilerr // Somebody else wrote it: it is replaced.
	}
	if head.Covers.Includes(j.in.Covers) && !j.msg.Redo {
		j.msg = nil // covered
		return nil
	}
	if j.have == nil {
		j.have = map[document.ChunkID]vectorOf{}
	}
	body, blob, err := readVectors(ctx, m)
	if errors.Is(err, bus.ErrGone) {
		return nil // replaced meanwhile: the publish will conflict and come back
	}
	if err != nil && bus.Passing(err) {
		return err
	}
	if err != nil {
		s.deps.Log.Warn("vectors cannot be read and are made again", "subject", m.Subject, "seq", m.Seq, "error", err)
		return nil
	}
	maps.Copy(j.have, vectorsOf(body, blob))
	return nil
}

// dropDone leaves out what is covered, and what has failed.
func dropDone(jobs []*job, errs []error) []*job {
	kept := jobs[:0]
	for _, j := range jobs {
		if j.msg != nil && errs[j.index] == nil {
			kept = append(kept, j)
		}
	}
	return kept
}

// embedMissing embeds, in one call, every chunk of the jobs that has no
// vector yet, and builds the messages. A text that fails fails its document
// only.
func (s *maker) embedMissing(ctx context.Context, jobs []*job, errs []error) {
	type place struct {
		job   *job
		chunk document.ChunkID
	}
	var texts []string
	var places []place
	missing := map[*job][]unembedded{}
	for _, j := range jobs {
		if j.have == nil {
			j.have = map[document.ChunkID]vectorOf{}
		}
		var err error
		if missing[j], err = s.missing(j); err != nil {
			errs[j.index] = err
			delete(missing, j)
		}
	}
	s.earlier.Load().take(ctx, jobs, missing)
	for _, j := range jobs {
		for _, m := range missing[j] {
			texts, places = append(texts, m.text), append(places, place{j, m.chunk})
		}
	}
	var vectors []embed.Vector
	var verrs []error
	if len(texts) > 0 {
		vectors, verrs = s.embed(ctx, jobs, texts)
	}
	for i, p := range places {
		if err := verrs[i]; err != nil {
			if document.KindOf(err) == document.InvalidRequest {
				err = bus.Permanent(err) // of the text, which stays as it is
			}
			errs[p.job.index] = err
			continue
		}
		p.job.have[p.chunk] = vectorOf{vector: vectors[i], bare: vectors[i].IsZero()}
		p.job.counts.embedded++
	}
	for _, j := range jobs {
		if errs[j.index] == nil {
			errs[j.index] = j.build(s.model)
		}
	}
}

// embed embeds the texts of jobs where that may be, and notes what it cost.
func (s *maker) embed(ctx context.Context, jobs []*job, texts []string) ([]embed.Vector, []error) {
	if err := s.mayEmbed(ctx); err != nil {
		return make([]embed.Vector, len(texts)), slices.Repeat([]error{err}, len(texts))
	}
	vectors, errs := s.embedAll(ctx, jobs, texts)
	if err := s.ledger.book(ctx); err != nil {
		s.deps.Log.Warn("what was spent on vectors is not noted yet", "error", err)
	}
	return vectors, errs
}

// embedAll embeds the texts of jobs. Where each takes long, the lease of the jobs is
// extended from some texts to the next.
func (s *maker) embedAll(ctx context.Context, jobs []*job, texts []string) (vectors []embed.Vector, errs []error) {
	slow, ok := s.model.(embed.Slow)
	if !ok {
		return s.model.EmbedDocuments(ctx, texts)
	}
	for some := range slices.Chunk(texts, slow.AtOnce()) {
		v, e := slow.EmbedDocuments(ctx, some)
		vectors, errs = append(vectors, v...), append(errs, e...)
		for _, j := range jobs {
			j.msg.Progress()
		}
	}
	return vectors, errs
}

// build makes the VECTORS message out of the vectors at hand.
func (j *job) build(e embed.Embedder) error {
	body := contract.VectorsBody{Path: j.body.Path, Model: e.Identity(), Dims: e.Dims(),
		IDs: []document.ChunkID{}, Scales: []float32{}, Attrs: []contract.ChunkAttrs{}}
	var blob []byte
	done := map[document.ChunkID]bool{}
	for _, content := range j.body.Contents {
		for i := range content.Chunks {
			c := &content.Chunks[i]
			if done[c.ID] {
				continue
			}
			done[c.ID] = true
			v, ok := j.have[c.ID]
			switch {
			case !ok:
				return fmt.Errorf("chunk %s of %s has no vector", c.ID, j.body.Path)
			case v.bare:
				body.Bare = append(body.Bare, c.ID)
			default:
				body.IDs = append(body.IDs, c.ID)
				body.Scales = append(body.Scales, v.vector.Scale)
				body.Attrs = append(body.Attrs, contract.ChunkAttrs{Language: content.Language, Kind: c.Kind, Symbol: c.Defines()})
				blob = append(blob, v.vector.Bytes()...)
			}
		}
	}
	head := j.in
	head.Live, head.Textless = j.in.Live || j.msg.Nudged, false
	head.Count = len(done)
	header := head.Header()
	joined, err := contract.JoinBody(header, body, blob)
	if err != nil {
		return bus.Permanent(err)
	}
	j.counts.bare = uint64(len(body.Bare))
	j.counts.reused = uint64(len(done)) - min(uint64(len(done)), j.counts.embedded)
	j.out = bus.Out{Subject: head.Subject(contract.StreamVectors), Header: header, Body: joined, Expect: j.expect, Raw: true}
	return nil
}

// publish writes the messages and returns the jobs that somebody else
// overtook.
func (s *maker) publish(ctx context.Context, jobs []*job, errs []error) (again []*job) {
	var outs []bus.Out
	var sent []*job
	for _, j := range jobs {
		if errs[j.index] == nil {
			outs = append(outs, j.out)
			sent = append(sent, j)
		}
	}
	var created []*job
	var made []bus.Made
	for i, ack := range s.deps.Bus.Publish(ctx, outs...) {
		j := sent[i]
		switch {
		case errors.Is(ack.Err, bus.ErrConflict):
			again = append(again, j)
		case ack.Err != nil:
			errs[j.index] = ack.Err
		case j.out.Expect == 0:
			created = append(created, j)
			made = append(made, bus.Made{Stream: contract.StreamVectors, Subject: j.out.Subject, Seq: ack.Seq, Source: j.in.Source, Doc: j.in.Doc, Covers: j.in.Covers})
		default:
			s.published(j, ack.Seq)
		}
	}
	late, err := bus.PurgesOf(s.deps.Bus).Late(ctx, made)
	for i, j := range created {
		switch {
		case err != nil:
			errs[j.index] = err
		case !late[i]:
			s.published(j, made[i].Seq)
		}
	}
	return again
}

// published counts what is done, and sends a live change ahead.
func (s *maker) published(j *job, seq uint64) {
	s.counters.embedded.Add(j.counts.embedded)
	s.counters.reused.Add(j.counts.reused)
	s.counters.bare.Add(j.counts.bare)
	s.counters.documents.Add(1)
	if j.in.Live || j.msg.Nudged {
		s.deps.Bus.Nudge(contract.StageVector, j.out.Subject, seq)
	}
}
