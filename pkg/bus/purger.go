package bus

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/shrink"
)

const (
	// purgeGrace is how long a deletion stays in the log after every output was
	// seen to show it. It spares late workers from taking back what they wrote;
	// nothing is wrong without it.
	purgeGrace = 5 * time.Second
	// purgeLooks is how many deleted documents are looked at between two pauses.
	purgeLooks = 4096
)

// Run purges documents that are deleted in every view, some seconds after
// every output shows it, until ctx ends. One process of a deployment does
// (RunAlone); two do each other no harm.
func (p Purges) Run(ctx context.Context, log *slog.Logger) error {
	return p.run(ctx, log, purgeGrace)
}

func (p Purges) run(ctx context.Context, log *slog.Logger, grace time.Duration) (err error) {
	defer Stopped(ctx, &err)
	return newPurger(p.bus, log, grace).run(ctx)
}

func newPurger(b *Bus, log *slog.Logger, grace time.Duration) *purger {
	return &purger{bus: b, journal: b.journal(), log: log, grace: grace, views: map[document.Source]map[document.View]bool{},
		generations: map[document.Generation]bool{}, again: map[DocKey]bool{}}
}

func (p *purger) run(ctx context.Context) (err error) {
	if err := p.open(ctx); err != nil {
		return err
	}
	defer p.bus.Files().Observe(p.file)()
	for _, stream := range outputStreams {
		defer p.bus.Outputs(stream).Observe(p.output)()
	}
	resumed, reconnects := false, p.bus.nc.Stats().Reconnects
	for ctx.Err() == nil {
		if n := p.bus.nc.Stats().Reconnects; n != reconnects {
			resumed, reconnects = false, n // the server may have been killed
		}
		err = p.finish(ctx)
		switch {
		case err != nil:
		case !resumed:
			err = p.resume(ctx)
			resumed = err == nil
		default:
			err = p.round(ctx)
		}
		if err != nil && ctx.Err() == nil {
			p.log.Warn("deleted documents stay in the log for now", "error", err)
		}
		pause(ctx, max(p.grace/5, 50*time.Millisecond))
	}
	return nil
}

// purger finds what can be purged.
type purger struct {
	bus     *Bus
	journal *journal
	log     *slog.Logger
	grace   time.Duration

	mu          sync.Mutex
	deleted     shrink.Map[DocKey, waiting] // with a deletion in some view
	views       map[document.Source]map[document.View]bool
	generations map[document.Generation]bool
	again       map[DocKey]bool // purged, and written again since
}

// waiting is a deleted document that every output was seen to show as such; the
// zero value is one of which that is not known.
type waiting struct {
	version document.Version
	since   time.Time
}

func (p *purger) open(ctx context.Context) error {
	b := p.bus
	ready := []func(context.Context) error{b.Files().Ready, b.Dead().Ready}
	for _, stream := range outputStreams {
		ready = append(ready, b.Outputs(stream).Ready)
	}
	for _, wait := range ready {
		if err := wait(ctx); err != nil {
			return err
		}
	}
	select {
	case <-p.journal.ready:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// file runs under the lock of FILES' table.
func (p *purger) file(k FileKey, _, now contract.FileHead) {
	if k.Doc == document.MarkerDoc {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.views[k.Source] == nil {
		p.views[k.Source] = map[document.View]bool{}
	}
	p.views[k.Source][k.View] = true
	if d := (DocKey{k.Source, k.Doc}); now.Op == contract.OpDelete {
		p.deleted.Set(d, waiting{})
	} else if _, ok := p.deleted.Get(d); ok && now.Version != 0 {
		p.deleted.Set(d, waiting{}) // looked at once more, and left out then
	}
}

// output runs under the lock of its table.
func (p *purger) output(k OutputKey, _, now contract.OutputHead) {
	d := DocKey{k.Source, k.Doc}
	late := now.Seq != 0 && now.Covers.Newest() <= p.journal.version(d)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.generations[k.Generation] = true
	if late {
		p.again[d] = true
	}
}

// finish carries out what was begun, by another process or by this one, and
// failed: a document of which some outputs are purged shows its deletion nowhere,
// and would wait for that for ever.
func (p *purger) finish(ctx context.Context) error {
	for _, r := range p.journal.unfinished() {
		if err := PurgesOf(p.bus).carryOut(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// resume finds the remains that an unclean stop left: outputs of a document of which
// FILES says nothing any more, in which it is gone, or in which a message has come back
// that was replaced before the purge. A server that is killed knows of the replaced ones
// what stands in its blocks; what the journal names of these goes first. What CHUNKS shows
// the text of may be lost from FILES instead, which a comparison tells.
func (p *purger) resume(ctx context.Context) error {
	if p.bus.note == nil { // the embedded server was told before it opened its files
		for _, r := range p.journal.finished() {
			if err := PurgesOf(p.bus).carryOut(ctx, r); err != nil {
				return err
			}
		}
	}
	f, _, err := PurgesOf(p.bus).floor(ctx)
	if err != nil {
		return err
	}
	last, err := p.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	// FILES may have gone back in a power loss.
	if err := p.bus.Files().Wait(ctx, min(uint64(f.Floor), last)); err != nil {
		return err
	}
	remains, lost := map[DocKey]Deleted{}, map[DocKey]bool{}
	for _, stream := range outputStreams {
		p.bus.Outputs(stream).Range(func(k OutputKey, h contract.OutputHead) bool {
			if h.Covers.Newest() > f.Floor || p.hasFile(k.Source, k.Doc, h.Covers) {
				return true
			}
			d := DocKey{k.Source, k.Doc}
			remains[d] = Deleted{DocKey: d, Version: max(remains[d].Version, h.Covers.Newest()), Views: h.Covers.Views()}
			lost[d] = lost[d] || stream == contract.StreamChunks && !h.Covers.Gone()
			return true
		})
	}
	maps.DeleteFunc(remains, func(d DocKey, _ Deleted) bool { return lost[d] })
	return PurgesOf(p.bus).Remove(ctx, slices.Collect(maps.Values(remains)))
}

// hasFile reports whether FILES has a head of a document, in a view that an output
// covers or in any other.
func (p *purger) hasFile(source document.Source, doc document.DocID, covers contract.Covers) bool {
	p.mu.Lock()
	views := p.viewsOf(source)
	p.mu.Unlock()
	return hasFile(p.bus.Files(), source, doc, covers) || slices.ContainsFunc(views, func(v document.View) bool {
		_, ok := p.bus.Files().Get(FileKey{source, doc, v})
		return ok
	})
}

func hasFile(files *Table[FileKey, contract.FileHead], source document.Source, doc document.DocID, covers contract.Covers) bool {
	for view := range covers.All() {
		if _, ok := files.Get(FileKey{source, doc, view}); ok {
			return true
		}
	}
	return false
}

// round purges what is due.
func (p *purger) round(ctx context.Context) error {
	due := p.writtenAgain()
	var suspects map[string]bool
	for _, d := range p.some() {
		if suspects == nil {
			var err error
			if suspects, err = p.suspects(ctx); err != nil {
				return err
			}
		}
		if got, ok := p.look(d, suspects); ok {
			due = append(due, got)
		}
	}
	if len(due) == 0 {
		return nil
	}
	if err := PurgesOf(p.bus).Remove(ctx, due); err != nil {
		return err
	}
	p.log.Debug("purged deleted documents", "documents", len(due))
	return nil
}

// writtenAgain are the documents that a late worker wrote to after their purge,
// and did not take back.
func (p *purger) writtenAgain() (due []Deleted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for d := range p.again {
		if v := p.journal.version(d); v > 0 {
			due = append(due, Deleted{DocKey: d, Version: v, Views: p.viewsOf(d.Source)})
		}
	}
	clear(p.again)
	return due
}

// some are deleted documents to look at.
func (p *purger) some() (docs []DocKey) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for d := range p.deleted.All() {
		if docs = append(docs, d); len(docs) == purgeLooks {
			break
		}
	}
	return docs
}

func (p *purger) viewsOf(s document.Source) []document.View {
	return slices.Sorted(maps.Keys(p.views[s]))
}

// look reports whether a document is due.
func (p *purger) look(k DocKey, suspects map[string]bool) (Deleted, bool) {
	p.mu.Lock()
	views, generations := p.viewsOf(k.Source), slices.Collect(maps.Keys(p.generations))
	p.mu.Unlock()
	d, state := p.deletedOf(k, views, generations, suspects)
	p.mu.Lock()
	defer p.mu.Unlock()
	seen, ok := p.deleted.Get(k)
	switch {
	case state == notDeleted:
		p.deleted.Delete(k) // its next deletion brings it back
	case state == notShown:
		if ok {
			p.deleted.Set(k, waiting{})
		}
	case seen.version != d.Version:
		p.deleted.Set(k, waiting{d.Version, time.Now()})
	default:
		return d, time.Since(seen.since) >= p.grace
	}
	return Deleted{}, false
}

// deletion is how far the deletion of a document has come.
type deletion int

const (
	notDeleted deletion = iota // some view has it, or FILES knows nothing of it
	notShown                   // some output does not show it yet, or a stage has not done with it
	shown                      // every output shows it
)

// deletedOf looks at a document in the head tables.
func (p *purger) deletedOf(k DocKey, views []document.View, generations []document.Generation, suspects map[string]bool) (Deleted, deletion) {
	d := Deleted{DocKey: k}
	heads := map[document.View]document.Version{}
	for _, view := range views {
		h, ok := p.bus.Files().Get(FileKey{k.Source, k.Doc, view})
		if !ok {
			continue
		}
		if h.Op != contract.OpDelete {
			return d, notDeleted
		}
		heads[view] = h.Version
		d.Views, d.Version = append(d.Views, view), max(d.Version, h.Version)
		if suspects[suspectKey(contract.StreamFiles, uint64(h.Version))] {
			return d, notShown
		}
	}
	if len(heads) == 0 {
		return d, notDeleted
	}
	for _, letter := range DeadLettersOf(p.bus).Of(k.Source, k.Doc) {
		if _, ok := p.bus.Dead().Get(letter); ok {
			return d, notShown
		}
	}
	cut := map[document.View]bool{} // views whose deletion a generation shows
	for _, g := range generations {
		if !p.showsDeletion(k, g, heads, cut, suspects) {
			return d, notShown
		}
	}
	if len(cut) < len(heads) {
		return d, notShown
	}
	return d, shown
}

// showsDeletion reports whether nothing that a generation has of a document
// shows content, and each place is as far as the one before. It notes the views
// whose deletion is included.
func (p *purger) showsDeletion(k DocKey, g document.Generation, heads map[document.View]document.Version, cut map[document.View]bool, suspects map[string]bool) bool {
	get := func(stream string, sink document.Sink) (contract.OutputHead, bool) {
		return p.bus.Outputs(stream).Get(OutputKey{g, sink, k.Source, k.Doc})
	}
	chunks, isCut := get(contract.StreamChunks, "")
	vectors, embedded := get(contract.StreamVectors, "")
	if isCut && (!embedded || !vectors.Covers.Includes(chunks.Covers)) ||
		!chunks.Covers.Gone() || !vectors.Covers.Gone() ||
		suspects[suspectKey(contract.StreamChunks, chunks.Seq)] || suspects[suspectKey(contract.StreamVectors, vectors.Seq)] {
		return false
	}
	for _, sink := range document.Sinks {
		h, ok := get(contract.StreamIndexed, sink)
		if isCut && (!ok || !h.Covers.Includes(chunks.Covers)) || !h.Covers.Gone() {
			return false
		}
	}
	for view, version := range heads {
		if chunks.Covers.At(view).Version >= version {
			cut[view] = true
		}
	}
	return true
}

// suspectSequences are the messages, by stream and sequence, whose handling may
// have ended a worker.
func (p *purger) suspects(ctx context.Context) (map[string]bool, error) {
	kv, err := p.bus.js.KeyValue(ctx, contract.BucketSuspects)
	if err != nil {
		return nil, fmt.Errorf("open bucket %s: %w", contract.BucketSuspects, err)
	}
	list, err := kv.ListKeys(ctx, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, fmt.Errorf("list bucket %s: %w", contract.BucketSuspects, err)
	}
	defer func() { _ = list.Stop() }()
	found := map[string]bool{}
	for key := range list.Keys() {
		stage, rest, _ := strings.Cut(key, ".")
		seq := rest[strings.LastIndexByte(rest, '.')+1:]
		found[inputOf[contract.Stage(stage)]+"."+seq] = true // no message has that of a key which is not ours
	}
	return found, nil
}

// inputOf is the stream that each stage reads.
var inputOf = map[contract.Stage]string{
	contract.StageChunker: contract.StreamFiles, contract.StageEmbed: contract.StreamChunks,
	contract.StageLexical: contract.StreamChunks, contract.StageVector: contract.StreamVectors,
}

func suspectKey(stream string, seq uint64) string { return stream + "." + fmt.Sprint(seq) }
