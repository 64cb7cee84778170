package chunker

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/chunker/internal/merge"
)

// job is the next CHUNKS message of one path in one generation.
type job struct {
	head       contract.OutputHead
	collection document.Collection
	subject    string
	changes    []change
	state      merge.State // of the head that is replaced
	expect     uint64      // its sequence
}

// change is one version that a job takes up.
type change struct {
	merge.Change
	index int // of its message in the batch
	live  bool
	first bool // version of the view that the log knows
}

// batch is what a handler works on.
type batch struct {
	msgs   []*bus.Msg
	errs   []error
	heads  []contract.FileHead
	jobs   []*job
	splits map[int]merge.Split // by index of the message
}

// handle brings CHUNKS up to the versions of a batch: read the heads of the
// output, split what they do not have, merge, publish with compare-and-swap;
// whoever loses it reads again.
func (s *Service) handle(ctx context.Context, msgs []*bus.Msg) []error {
	b := s.plan(msgs)
	redo := slices.ContainsFunc(msgs, func(m *bus.Msg) bool { return m.Redo })
	for round := 0; len(b.jobs) > 0; round++ {
		if err := s.readHeads(ctx, b.jobs, round > 0 || redo); err != nil {
			b.failJobs(bus.StoreWide(err))
			break
		}
		s.dropCovered(ctx, b)
		s.cut(ctx, b)
		s.publish(ctx, b)
	}
	return b.errs
}

// plan reads the heads of messages and groups them into jobs.
func (s *Service) plan(msgs []*bus.Msg) *batch {
	b := &batch{msgs: msgs, errs: make([]error, len(msgs)), heads: make([]contract.FileHead, len(msgs)), splits: map[int]merge.Split{}}
	jobs := map[string]*job{}
	for i, m := range msgs {
		head, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
		if err != nil {
			b.errs[i] = bus.Permanent(err)
			continue
		}
		b.heads[i] = head
		if head.Op == contract.OpMarker {
			continue
		}
		for _, target := range s.targets(head) {
			subject := contract.ChunksSubject(target.generation, head.Source, head.Doc)
			j := jobs[subject]
			if j == nil {
				j = &job{
					head:       contract.OutputHead{Generation: target.generation, Source: head.Source, Doc: head.Doc, Path: head.Path},
					collection: target.collection, subject: subject,
				}
				jobs[subject] = j
				b.jobs = append(b.jobs, j)
			}
			j.changes = append(j.changes, change{
				Change: merge.Change{View: head.View, Version: head.Version, Hash: target.hash, Format: head.Format, Grammar: head.Grammar},
				index:  i, live: head.Live || m.Nudged, first: head.First,
			})
		}
	}
	for _, j := range b.jobs {
		slices.SortFunc(j.changes, func(a, b change) int { return int(int64(a.Version) - int64(b.Version)) })
		j.dropVoid()
	}
	return b
}

// dropVoid leaves out what was purged before a first version was written.
func (j *job) dropVoid() {
	first := map[document.View]document.Version{}
	for _, c := range j.changes {
		if c.first {
			first[c.View] = c.Version
		}
	}
	if len(first) > 0 {
		j.changes = slices.DeleteFunc(j.changes, func(c change) bool { return c.Version < first[c.View] })
	}
}

// target is a generation that has to take up a version, and the content that
// it shows of it.
type target struct {
	collection document.Collection
	generation document.Generation
	hash       document.Hash
}

// targets are the generation of a version's collection, and those in which
// its view still shows content because the path was in another collection. A
// deletion that does not name its collection is taken up wherever the path is.
func (s *Service) targets(head contract.FileHead) []target {
	var out []target
	own := head.Collection.In(s.cfg.Collections)
	if own != "" {
		hash := head.Hash
		if head.Op != contract.OpPut {
			hash = ""
		}
		out = append(out, target{own, s.cfg.Generation(own), hash})
	}
	table := s.deps.Bus.Outputs(contract.StreamChunks)
	for _, c := range s.cfg.Collections {
		if c == own {
			continue
		}
		g := s.cfg.Generation(c)
		have, ok := table.Get(bus.OutputKey{Generation: g, Source: head.Source, Doc: head.Doc})
		if !ok {
			continue
		}
		cover := have.Covers.At(head.View)
		if cover.Version < head.Version && (cover.Hash != "" || own == "" && cover.Version > 0) {
			out = append(out, target{c, g, ""})
		}
	}
	if len(out) == 0 {
		c := s.cfg.Collections[0]
		out = append(out, target{c, s.cfg.Generation(c), ""})
	}
	return out
}

// readHeads gets what stands in CHUNKS. The head table is a hint that saves a
// request for a path that is new; after a lost compare-and-swap it counts no
// longer.
func (s *Service) readHeads(ctx context.Context, jobs []*job, again bool) error {
	table := s.deps.Bus.Outputs(contract.StreamChunks)
	var subjects []string
	for _, j := range jobs {
		j.state, j.expect = merge.State{Covers: contract.Covers{}}, 0
		have, ok := table.Get(bus.OutputKey{Generation: j.head.Generation, Source: j.head.Source, Doc: j.head.Doc})
		if ok && !again {
			// What is covered already needs no body.
			j.state.Covers = have.Covers
			if !slices.ContainsFunc(j.changes, func(c change) bool { return !j.state.Covered(c.Change) }) {
				continue
			}
		}
		if ok || again {
			subjects = append(subjects, j.subject)
		}
	}
	if len(subjects) == 0 {
		return nil
	}
	heads, err := s.deps.Bus.GetLast(ctx, contract.StreamChunks, subjects...)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		m := heads[j.subject]
		if m == nil {
			continue
		}
		body, err := m.Body(ctx)
		if err == nil {
			j.state, err = merge.Decode(m.Header, body)
		}
		if err != nil {
			// Chunks that cannot be read are made again, with new identities:
			// nothing may depend on a body that is lost.
			s.deps.Log.Warn("chunks cannot be read and are made again", "subject", j.subject, "seq", m.Seq, "error", err)
			j.state = merge.State{Covers: contract.Covers{}}
		}
		j.expect = m.Seq
	}
	return nil
}

// dropCovered forgets changes that the log has already, and jobs without any.
func (s *Service) dropCovered(ctx context.Context, b *batch) {
	for _, j := range b.jobs {
		j.changes = slices.DeleteFunc(j.changes, func(c change) bool {
			if b.errs[c.index] != nil {
				return true
			}
			if j.state.Covered(c.Change) {
				s.counters.covered.Add(1)
				return true
			}
			if c.first {
				b.errs[c.index] = s.dropPurged(ctx, j, c.View)
			}
			return b.errs[c.index] != nil
		})
	}
	b.dropEmpty()
}

// dropPurged takes out of a job's state what a late worker wrote of a view after
// the document was purged. Where FILES was lost instead, the passages and their
// vectors stay good.
func (s *Service) dropPurged(ctx context.Context, j *job, view document.View) error {
	have := j.state.Covers.At(view)
	if have.Hash == "" {
		return nil
	}
	purged, err := bus.PurgesOf(s.deps.Bus).MayInclude(ctx, bus.DocKey{Source: j.head.Source, Doc: j.head.Doc}, have.Version)
	if err != nil {
		return bus.StoreWide(err)
	}
	if purged {
		j.state = j.state.Without(view)
	}
	return nil
}

func (b *batch) dropEmpty() {
	b.jobs = slices.DeleteFunc(b.jobs, func(j *job) bool { return len(j.changes) == 0 })
}

// failJobs gives every message that is not done an error.
func (b *batch) failJobs(err error) {
	for _, j := range b.jobs {
		j.fail(b, err)
	}
	b.jobs = nil
}

func (j *job) fail(b *batch, err error) {
	for _, c := range j.changes {
		b.errs[c.index] = err
	}
}

// publish merges and writes the jobs of a batch; those that lost their
// compare-and-swap remain in it.
func (s *Service) publish(ctx context.Context, b *batch) {
	outs := make([]bus.Out, 0, len(b.jobs))
	sent := b.jobs[:0:0]
	var created []*job
	var made []bus.Made
	for _, j := range b.jobs {
		out, err := j.merge(b)
		if err != nil {
			j.fail(b, err)
			continue
		}
		outs, sent = append(outs, out), append(sent, j)
	}
	b.jobs = nil
	for i, ack := range s.deps.Bus.Publish(ctx, outs...) {
		j := sent[i]
		switch {
		case ack.Err == nil && j.expect == 0:
			created = append(created, j)
			made = append(made, bus.Made{Stream: contract.StreamChunks, Subject: j.subject, Seq: ack.Seq, Source: j.head.Source, Doc: j.head.Doc, Covers: j.head.Covers})
		case ack.Err == nil:
			s.published(b, j, ack.Seq)
		case errors.Is(ack.Err, bus.ErrConflict):
			b.jobs = append(b.jobs, j)
		default:
			j.fail(b, bus.StoreWide(fmt.Errorf("publish the chunks of %s: %w", j.head.Path, ack.Err)))
		}
	}
	late, err := bus.PurgesOf(s.deps.Bus).Late(ctx, made)
	for i, j := range created {
		switch {
		case err != nil:
			j.fail(b, err)
		case !late[i]:
			s.published(b, j, made[i].Seq)
		}
	}
}

// merge applies the changes of a job.
func (j *job) merge(b *batch) (bus.Out, error) {
	state := j.state
	j.head.Live = false
	for _, c := range j.changes {
		if !state.Covered(c.Change) {
			state = merge.Apply(j.head.Source, j.head.Path, state, c.Change, b.splits[c.index])
		}
		j.head.Live = j.head.Live || c.live
	}
	j.head.Covers = state.Covers
	header, body, err := merge.Encode(j.head, j.collection, state)
	return bus.Out{Subject: j.subject, Header: header, Body: body, Expect: j.expect}, err
}

// published counts what is done, and sends a live change ahead.
func (s *Service) published(b *batch, j *job, seq uint64) {
	for _, c := range j.changes {
		s.counters.documents.Add(1)
		if sp, ok := b.splits[c.index]; ok && c.Hash != "" {
			s.counters.chunks.Add(uint64(len(sp.Spans)))
			s.counters.bytes.Add(uint64(len(sp.Text)))
			if slices.ContainsFunc(sp.Spans, func(span document.Span) bool { return span.Fallback != "" }) {
				s.counters.fallbacks.Add(1)
			}
		}
	}
	if j.head.Live {
		s.deps.Bus.Nudge(contract.StageEmbed, j.subject, seq)
		s.deps.Bus.Nudge(contract.StageLexical, j.subject, seq)
	}
}
