package indexer

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// wanted is what a message of the input asks a sink to show. entry builds
// what the store takes; it is called for new ids only, since analysing text
// is the dear part.
type wanted[E any] struct {
	ids   []document.ChunkID
	bare  []document.ChunkID
	entry func(i int) E
}

// side brings one sink of one generation to what its input asks for; E is what
// its store takes.
type side[E any] struct {
	holder
	input  string // the stream that it reads
	apply  func(ctx context.Context, put []E, del []document.ChunkID) (store.Result, error)
	decode func(in contract.OutputHead, header func(string) string, body []byte) (wanted[E], error)

	counters   counters
	running    running
	unfinished unfinished
	sweeping   sync.Mutex // held while documents are compared one by one
}

type counters struct {
	documents, put, deleted, covered, refilled, swept, purged, restored atomic.Uint64
}

// work is a message with its pass.
type work[E any] struct {
	index  int // in the batch
	in     contract.OutputHead
	nudged bool
	want   wanted[E]
	pass   pass
	seq    uint64 // of what was published
	err    error
}

func (w *work[E]) subject(sink document.Sink) string {
	return contract.IndexedSubject(w.in.Generation, sink, w.in.Source, w.in.Doc)
}

// handle brings a batch of messages to the sink: one write, one refresh and
// one round of publishes for all of them.
func (s *side[E]) handle(ctx context.Context, msgs []*bus.Msg) []error {
	defer s.running.begin()()
	errs := make([]error, len(msgs))
	var all []*work[E]
	for i, m := range msgs {
		w, err := s.accept(ctx, i, m)
		if err != nil {
			errs[i] = err
		} else if w != nil {
			all = append(all, w)
		}
	}
	s.run(ctx, all)
	for _, w := range all {
		errs[w.index] = w.err
		if w.err != nil && w.pass.begun() {
			s.unfinished.add(docKey{Source: w.in.Source, Doc: w.in.Doc})
		}
	}
	return errs
}

// accept reads a message; nil work means that nothing is left to do.
func (s *side[E]) accept(ctx context.Context, i int, m *bus.Msg) (*work[E], error) {
	in, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		return nil, bus.Permanent(err)
	}
	head, ok := s.bus.Outputs(contract.StreamIndexed).Get(s.key(in.Source, in.Doc))
	if ok && head.Covers.Includes(in.Covers) {
		s.counters.covered.Add(1)
		return nil, nil
	}
	w, err := s.open(ctx, in, m)
	if errors.Is(err, bus.ErrGone) {
		return nil, nil // replaced: the newer message is on its way
	}
	if err != nil {
		return nil, err
	}
	w.index, w.nudged = i, m.Nudged
	if !ok {
		// Trusted for "there is none"; compare-and-swap corrects it.
		w.pass.read(listing{})
	}
	return w, nil
}

func (s *side[E]) open(ctx context.Context, in contract.OutputHead, m *bus.Msg) (*work[E], error) {
	body, err := m.Body(ctx)
	if err != nil {
		return nil, err
	}
	want, err := s.decode(in, m.Header.Get, body)
	if err != nil {
		return nil, m.Unread(fmt.Errorf("read %s: %w", in.Path, err))
	}
	return &work[E]{in: in, want: want, pass: pass{covers: in.Covers, ids: want.ids, bare: want.bare, store: s.record().Store, holds: s.Holds}}, nil
}

// run drives the passes until each is done or has failed.
func (s *side[E]) run(ctx context.Context, all []*work[E]) {
	for {
		active := at(all, stepRead, stepWrite, stepPublish, stepConfirm, stepDrop)
		if len(active) == 0 {
			return
		}
		s.readHeads(ctx, at(active, stepRead))
		s.write(ctx, at(active, stepWrite))
		s.publish(ctx, at(active, stepPublish))
		s.confirm(ctx, at(active, stepConfirm))
		s.drop(ctx, at(active, stepDrop))
	}
}

// at returns the work that has not failed and stands at one of the steps.
func at[E any](all []*work[E], steps ...step) []*work[E] {
	var out []*work[E]
	for _, w := range all {
		for _, st := range steps {
			if w.err == nil && w.pass.step == st {
				out = append(out, w)
			}
		}
	}
	return out
}

func failAll[E any](all []*work[E], err error) {
	for _, w := range all {
		w.err = err
	}
}

func (s *side[E]) readHeads(ctx context.Context, all []*work[E]) {
	if len(all) == 0 {
		return
	}
	subjects := make([]string, len(all))
	for i, w := range all {
		subjects[i] = w.subject(s.sink)
	}
	heads, err := s.bus.GetLast(ctx, contract.StreamIndexed, subjects...)
	if err != nil {
		failAll(all, err)
		return
	}
	for i, w := range all {
		l, err := readListing(ctx, heads[subjects[i]])
		if err != nil {
			w.err = err
			continue
		}
		w.pass.read(l)
	}
}

func (s *side[E]) write(ctx context.Context, all []*work[E]) {
	if len(all) == 0 {
		return
	}
	var put []E
	ends := make([]int, len(all))
	for i, w := range all {
		at := make(map[document.ChunkID]int, len(w.want.ids))
		for k, id := range w.want.ids {
			at[id] = k
		}
		for _, id := range w.pass.put {
			put = append(put, w.want.entry(at[id]))
		}
		ends[i] = len(put)
	}
	result, err := s.apply(ctx, put, nil)
	if err == nil {
		err = s.refresh(ctx)
	}
	if err != nil {
		failAll(all, s.trouble(err))
		return
	}
	from := 0
	for i, w := range all {
		errs := result.Put[from:ends[i]]
		from = ends[i]
		if w.err = firstError(errs); w.err != nil {
			continue
		}
		s.counters.put.Add(uint64(len(errs)))
		w.pass.wrote()
	}
}

func (s *side[E]) publish(ctx context.Context, all []*work[E]) {
	if len(all) == 0 {
		return
	}
	outs := make([]bus.Out, 0, len(all))
	sent := make([]*work[E], 0, len(all))
	for _, w := range all {
		var out bus.Out
		if out, w.err = w.message(s.sink); w.err == nil {
			outs, sent = append(outs, out), append(sent, w)
		}
	}
	for i, ack := range s.bus.Publish(ctx, outs...) {
		w := sent[i]
		switch {
		case errors.Is(ack.Err, bus.ErrConflict):
			w.pass.published(false)
		case ack.Err != nil:
			w.err = ack.Err
		default:
			w.seq = ack.Seq
			w.pass.published(true)
			s.counters.documents.Add(1)
		}
	}
}

// confirm takes back what was listed of documents that were purged meanwhile.
func (s *side[E]) confirm(ctx context.Context, all []*work[E]) {
	made := make([]bus.Made, len(all))
	for i, w := range all {
		made[i] = bus.Made{Stream: contract.StreamIndexed, Subject: w.subject(s.sink), Seq: w.seq, Source: w.in.Source, Doc: w.in.Doc, Covers: w.in.Covers}
	}
	late, err := bus.PurgesOf(s.bus).Late(ctx, made)
	if err != nil {
		failAll(all, err)
		return
	}
	for i, w := range all {
		w.pass.confirmed(late[i])
	}
}

func (w *work[E]) message(sink document.Sink) (bus.Out, error) {
	l := w.pass.listing()
	head := contract.OutputHead{Path: w.in.Path, Covers: l.covers, Store: l.store, Count: len(l.ids) + len(l.bare), Live: w.in.Live || w.nudged}
	header := head.Header()
	ids := l.ids
	if ids == nil {
		ids = []document.ChunkID{}
	}
	body, err := contract.JoinBody(header, contract.IndexedBody{IDs: ids, Bare: l.bare}, nil)
	if err != nil {
		return bus.Out{}, bus.Permanent(err)
	}
	return bus.Out{Subject: w.subject(sink), Header: header, Body: body, Expect: w.pass.head.seq, Raw: true}, nil
}

func (s *side[E]) drop(ctx context.Context, all []*work[E]) {
	if len(all) == 0 {
		return
	}
	var del []document.ChunkID
	for _, w := range all {
		del = append(del, w.pass.drop...)
	}
	if !skipDelete {
		if err := s.discard(ctx, del); err != nil {
			failAll(all, err)
			return
		}
		s.unseen.deletions.Add(1)
	}
	for _, w := range all {
		s.counters.deleted.Add(uint64(len(w.pass.drop)))
		w.pass.dropped()
	}
}

// Remove deletes ids from the store and makes that visible.
func (s *side[E]) Remove(ctx context.Context, ids []document.ChunkID) error {
	if err := s.discard(ctx, ids); err != nil {
		return err
	}
	if err := s.refresh(ctx); err != nil {
		return s.trouble(err)
	}
	return nil
}

// discard deletes ids from the store.
func (s *side[E]) discard(ctx context.Context, ids []document.ChunkID) error {
	result, err := s.apply(ctx, nil, ids)
	if err != nil {
		return s.trouble(err)
	}
	return firstError(result.Delete)
}

func firstError(lists ...[]error) error {
	for _, l := range lists {
		for _, err := range l {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func readListing(ctx context.Context, m *bus.Msg) (listing, error) {
	if m == nil {
		return listing{}, nil
	}
	head, err := contract.ParseOutputHead(m.Subject, m.Seq, m.Header)
	if err != nil {
		return listing{seq: m.Seq}, nil //nolint:nilerr // Somebody else wrote it: it lists nothing.
	}
	raw, err := m.Body(ctx)
	if err != nil {
		return listing{}, err
	}
	var body contract.IndexedBody
	if _, err := contract.SplitBody(m.Header, raw, &body); err != nil {
		return listing{}, m.Unread(fmt.Errorf("read what is indexed of %s: %w", head.Path, err))
	}
	return listing{seq: m.Seq, covers: head.Covers, store: head.Store, ids: body.IDs, bare: body.Bare}, nil
}
