package bus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// A document that is gone everywhere leaves nothing in the log: its outputs are
// purged first, its heads in FILES last. Compare-and-swap does not keep an old
// worker from writing it again, since one that found no output expects none,
// and there is none again. So:
//
//   - the purge floor, the newest version that was ever purged, is raised first;
//   - who creates an output reads the floor after its publish, and where the
//     output covers nothing above it, asks whether FILES still has a head of the
//     document; without one it takes back what it wrote (Late);
//   - the purge looks at the outputs once more after FILES.
//
// Either the worker sees the purge, or the purge what the worker wrote.

// DocKey names a document, in whatever view, generation or stage.
type DocKey struct {
	Source document.Source `json:"source"`
	Doc    document.DocID  `json:"doc"`
}

// Deleted is a document that no view has any more.
type Deleted struct {
	DocKey
	// Version is the newest of its deletions. What is newer is not purged.
	Version document.Version `json:"version"`
	// Views are those in which FILES has a deletion of it.
	Views []document.View `json:"views"`
}

const (
	// purgeBatch is how many documents one record of the journal names, about
	// 25 kB.
	purgeBatch = 256
	// purgeCalls is how many requests of a purge are on their way at once.
	purgeCalls = 16
)

// Purges takes out of the log what is deleted.
type Purges struct{ bus *Bus }

// PurgesOf is what takes deleted documents out of the log, and knows which were.
func PurgesOf(b *Bus) Purges { return Purges{b} }

// Remove takes every message of documents out of the log, of whatever
// stage and generation, and has the head tables of all processes forget them.
// That they are deleted, and that every output shows it, is the caller's to
// know. A document that is made again meanwhile stays. It may be
// called by several processes at once; one that was cut off is finished by the
// purger that comes next.
func (p Purges) Remove(ctx context.Context, docs []Deleted) error {
	if len(docs) == 0 {
		return nil
	}
	generations, err := p.generations(ctx)
	if err != nil {
		return err
	}
	return p.purge(ctx, docs, generations)
}

// Output removes the head of an output that contradicts FILES, so that its
// stage makes it anew. Only this process's head table learns of it.
func (p Purges) Output(ctx context.Context, stream string, key OutputKey, subject string) error {
	head, err := p.bus.LeaderLast(ctx, stream, subject)
	if err == nil && head != nil {
		err = deleteMessage(ctx, p.bus, stream, head.Seq)
	}
	if err != nil {
		return fmt.Errorf("remove the void output %s: %w", subject, err)
	}
	p.bus.Outputs(stream).forget(key)
	return nil
}

// purge is Remove for who knows of which generations there are outputs.
func (p Purges) purge(ctx context.Context, docs []Deleted, generations []document.Generation) error {
	for batch := range slices.Chunk(docs, purgeBatch) {
		r, err := p.announce(ctx, batch, generations)
		if err != nil {
			return err
		}
		if err := p.carryOut(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// carryOut does what a record announces. It may be done again at any time.
func (p Purges) carryOut(ctx context.Context, r purgeRecord) error {
	work := &purge{bus: p.bus, upTo: map[string]uint64{}}
	maps.Copy(work.upTo, r.UpTo)
	for _, step := range []func(context.Context, purgeRecord) error{work.outputs, work.files, work.outputs} {
		if err := step(ctx, r); err != nil {
			return fmt.Errorf("purge deleted documents: %w", err)
		}
	}
	if r.Done && maps.Equal(r.UpTo, work.upTo) {
		return nil
	}
	r.Done, r.UpTo = true, work.upTo
	return p.write(ctx, r)
}

// purge is one that is carried out.
type purge struct {
	bus *Bus

	mu   sync.Mutex
	upTo map[string]uint64 // the highest sequence that was taken from a stream
}

// target is a subject whose last message may have to go.
type target struct {
	stream, subject string
	doc             Deleted
	key             contract.OutputHead // of an output
}

// outputs takes out what covers nothing newer than the deletions.
func (p *purge) outputs(ctx context.Context, r purgeRecord) error {
	return p.take(ctx, r.outputs(DeadLettersOf(p.bus).Of))
}

// files takes out the deletions themselves.
func (p *purge) files(ctx context.Context, r purgeRecord) error { return p.take(ctx, r.files()) }

// outputs are what the stages made of the documents; letters tells the dead letters of
// one, nil where they are of no interest.
func (r purgeRecord) outputs(letters func(document.Source, document.DocID) []DeadKey) (all []target) {
	for _, d := range r.Docs {
		if letters != nil {
			for _, k := range letters(d.Source, d.Doc) {
				all = append(all, target{stream: contract.StreamDead, subject: contract.DeadSubject(k.Stage, k.Source, k.Doc, k.Build), doc: d})
			}
		}
		for _, generation := range r.Generations {
			h := contract.OutputHead{Generation: generation, Source: d.Source, Doc: d.Doc}
			for _, stream := range []string{contract.StreamChunks, contract.StreamVectors} {
				all = append(all, target{stream, h.Subject(stream), d, h})
			}
			for _, h.Sink = range document.Sinks {
				all = append(all, target{contract.StreamIndexed, h.Subject(contract.StreamIndexed), d, h})
			}
		}
	}
	return all
}

// files are the heads of the documents.
func (r purgeRecord) files() (all []target) {
	for _, d := range r.Docs {
		for _, view := range d.Views {
			all = append(all, target{stream: contract.StreamFiles, subject: contract.FileSubject(d.Source, d.Doc, view), doc: d})
		}
	}
	return all
}

// take takes the last messages of subjects out of their streams, where they are
// no newer than the deletions.
func (p *purge) take(ctx context.Context, all []target) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(purgeCalls)
	for stream, targets := range byStream(all) {
		heads, err := PurgesOf(p.bus).lastOf(ctx, stream, targets)
		if err != nil {
			return errors.Join(err, g.Wait())
		}
		for _, t := range targets {
			m := heads[t.subject]
			if m == nil || !t.goes(m) {
				continue
			}
			g.Go(func() error { return p.message(ctx, t, m) })
		}
	}
	return g.Wait()
}

func byStream(all []target) map[string][]target {
	out := map[string][]target{}
	for _, t := range all {
		out[t.stream] = append(out[t.stream], t)
	}
	return out
}

// goes reports whether a message is no newer than the deletions: a head that shows the
// document has come back, for the deletion was the newest. One that cannot be read is left
// for who looks after the log.
func (t target) goes(m *Msg) bool {
	switch t.stream {
	case contract.StreamFiles:
		h, err := contract.ParseFileHead(m.Subject, m.Seq, m.Header)
		return err == nil && h.Version <= t.doc.Version
	case contract.StreamDead:
		h, err := contract.ParseDeadHead(m.Subject, m.Seq, m.Header)
		return err == nil && h.Covers.Newest() <= t.doc.Version
	}
	h, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
	return err == nil && h.Covers.Newest() <= t.doc.Version
}

// message takes one out. It is named by its sequence, so that one which
// replaces it meanwhile stays.
func (p *purge) message(ctx context.Context, t target, m *Msg) error {
	p.mu.Lock()
	p.upTo[t.stream] = max(p.upTo[t.stream], m.Seq)
	p.mu.Unlock()
	if err := deleteMessage(ctx, p.bus, t.stream, m.Seq); err != nil {
		return err
	}
	if t.stream == contract.StreamIndexed {
		if h, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header); err == nil && h.Count > 0 {
			PurgesOf(p.bus).reportUnlisted(h) // a late worker listed it, so the store has its passages
		}
	}
	return nil
}

// lastOf returns the last messages of subjects as the stream's leader has them.
func (p Purges) lastOf(ctx context.Context, stream string, targets []target) (map[string]*Msg, error) {
	subjects := make([]string, len(targets))
	for i, t := range targets {
		subjects[i] = t.subject
	}
	s, err := p.bus.js.Stream(ctx, stream)
	if err != nil {
		return nil, fmt.Errorf("open stream %s: %w", stream, err)
	}
	if s.CachedInfo().Config.Replicas <= 1 {
		return p.bus.GetLast(ctx, stream, subjects...) // there is none that could lag
	}
	out := make(map[string]*Msg, len(subjects))
	var mu sync.Mutex
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(purgeCalls)
	for _, subject := range subjects {
		g.Go(func() error {
			m, err := p.bus.LeaderLast(ctx, stream, subject)
			if err != nil || m == nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			out[subject] = m
			return nil
		})
	}
	return out, g.Wait()
}

// deleteMessage takes one message out of a stream; one that is not there any
// more is no error.
func deleteMessage(ctx context.Context, b *Bus, stream string, seq uint64) error {
	req, err := json.Marshal(struct {
		Seq     uint64 `json:"seq"`
		NoErase bool   `json:"no_erase"`
	}{seq, true})
	if err != nil {
		return fmt.Errorf("encode the removal of message %d of %s: %w", seq, stream, err)
	}
	raw, err := b.nc.RequestWithContext(ctx, "$JS.API.STREAM.MSG.DELETE."+stream, req)
	if err != nil {
		return fmt.Errorf("remove message %d of %s: %w", seq, stream, err)
	}
	var resp struct {
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(raw.Data, &resp); err != nil {
		return fmt.Errorf("remove message %d of %s: %w", seq, stream, err)
	}
	if resp.Error == nil {
		return nil
	}
	if _, err := b.Get(ctx, stream, seq); errors.Is(err, ErrGone) {
		return nil
	}
	return fmt.Errorf("remove message %d of %s: %w", seq, stream, resp.Error)
}

// reportUnlisted asks an indexer to compare its store with what is listed of a
// document. Losing that costs nothing: the sweep finds the same.
func (p Purges) reportUnlisted(h contract.OutputHead) {
	js, err := json.Marshal(contract.Repair{Generation: h.Generation, Sink: h.Sink, Source: h.Source, Doc: h.Doc, Purged: true})
	if err == nil {
		_ = p.bus.nc.Publish(contract.SubjectRepair, js)
	}
}

// generations are those of which the log has an output.
func (p Purges) generations(ctx context.Context) ([]document.Generation, error) {
	found := map[document.Generation]bool{}
	for _, stream := range outputStreams {
		t := p.bus.Outputs(stream)
		if err := t.Ready(ctx); err != nil {
			return nil, err
		}
		t.Range(func(k OutputKey, _ contract.OutputHead) bool {
			found[k.Generation] = true
			return true
		})
	}
	var out []document.Generation
	for g := range found {
		out = append(out, g)
	}
	slices.Sort(out)
	return out, nil
}

var outputStreams = []string{contract.StreamChunks, contract.StreamVectors, contract.StreamIndexed}
