package query

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/freshet-dev/freshet/pkg/analysis"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/excerpt"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// assemble turns what may be shown into the reply.
func (q *search) assemble(ctx context.Context) error {
	start := time.Now()
	token, err := q.bus.Token(ctx, q.resolved.Seen)
	if err != nil {
		return err
	}
	q.reply.Token = token
	marks := excerpt.NewMarks(q.meant(), analysis.IsStopWord)
	q.reply.Hits = make([]contract.Hit, len(q.resolved.Shown))
	for i := range q.resolved.Shown {
		q.reply.Hits[i] = q.hit(&q.resolved.Shown[i], marks)
	}
	q.listCorrected()
	q.listAdded()
	q.listPending()
	q.listFailed()
	q.reportOrphans()
	q.counters.dropped.Add(uint64(q.resolved.Dropped))
	q.trace("assemble", start, len(q.resolved.Shown), len(q.reply.Hits), "")
	return nil
}

func (q *search) hit(s *resolve.Shown, marks excerpt.Marks) contract.Hit {
	c := &s.Candidate
	h := contract.Hit{
		Source: s.Head.Source, View: s.Head.View, Path: s.Head.Path,
		StartLine: s.Span.StartLine, EndLine: s.Span.EndLine,
		Symbol: s.Span.Symbol, Names: s.Span.Names, Kind: s.Span.Kind, Language: s.Language, Collection: contract.CollectionOf(c.Generation), Headings: s.Span.Headings,
		Score: c.Final, Confidence: c.Confidence, Version: s.Head.Version, ID: c.ID, Pending: s.Pending,
		Channels: make(map[string]contract.Channel, 2),
	}
	words := "lexical"
	if q.found.lexicalDown {
		words = "keyword"
	}
	for name, channel := range map[string]contract.Channel{words: c.Lexical, "vector": c.Vector, "pending": c.Pending} {
		if channel.Rank > 0 {
			h.Channels[name] = channel
		}
	}
	switch q.req.Show {
	case contract.TextFull:
		h.Text = excerpt.Valid(s.Text)
	case contract.TextExcerpt:
		h.Text = excerpt.Excerpt(s.Text, marks, q.cfg.Excerpt)
	}
	if q.req.Explain {
		h.Evidence = c.Evidence
		h.Signals = c.Explain()
	}
	return h
}

// listPending lists the documents that the answer may lack something of. With
// a token these are the ones that are not settled up to it; newer ones only
// where their new text could not be searched.
func (q *search) listPending() {
	left := q.morePending
	add := func(h *contract.FileHead, sinks []document.Sink, searched bool) {
		if len(q.reply.Pending) >= q.cfg.Listed {
			left++
			return
		}
		q.reply.Pending = append(q.reply.Pending, contract.PendingPath{
			Source: h.Source, View: h.View, Path: h.Path, Version: h.Version, Sinks: sinks, Searched: searched,
		})
	}
	for i := range q.overtaken {
		add(&q.overtaken[i], document.Sinks, false)
	}
	for i := range q.pending {
		p := &q.pending[i]
		searched := p.Head.Op != contract.OpPut || !lags(p.Sinks, document.Lexical) || q.found.pending.Searched[p.Head.Version]
		if q.token > 0 && uint64(p.Oldest) > q.token && searched {
			continue
		}
		if slices.ContainsFunc(q.overtaken, func(h contract.FileHead) bool { return h.Version == p.Head.Version }) {
			continue // listed already
		}
		add(&p.Head, p.Sinks, searched)
	}
	if left > 0 {
		q.degrade("pending: %d more documents are not in both indexes yet and not listed", left)
	}
}

// listFailed lists the documents whose newest version some stage gave up on,
// but for those that somebody has dismissed.
func (q *search) listFailed() {
	failed, left := q.failed(q.inScope, q.cfg.Listed)
	q.reply.Failed = failed
	if left > 0 {
		q.degrade("failed: %d more documents could not be indexed and are not listed", left)
	}
}

// failed returns at most limit failures of newest versions in scope, and how
// many more there are.
func (s *Service) failed(in func(*contract.FileHead) bool, limit int) (list []contract.FailedPath, left int) {
	s.bus.Dead().Range(func(k bus.DeadKey, d contract.DeadHead) bool {
		if d.State == contract.LetterDismissed {
			return true
		}
		for view, cover := range d.Covers {
			head, ok := s.bus.Files().Get(bus.FileKey{Source: k.Source, Doc: k.Doc, View: view})
			if !ok || head.Version != cover.Version || !in(&head) {
				continue
			}
			if len(list) >= limit {
				left++
			} else {
				list = append(list, contract.FailedPath{Source: k.Source, Path: head.Path, Stage: k.Stage, Reason: d.Reason})
			}
			break
		}
		return true
	})
	return list, left
}

// reportOrphans tells the indexers what a sink holds and the log does not
// list. Losing such a message costs nothing.
func (q *search) reportOrphans() {
	if len(q.resolved.Orphans) == 0 {
		return
	}
	type key struct {
		doc  resolve.DocKey
		sink document.Sink
	}
	byDoc := map[key][]document.ChunkID{}
	for _, o := range q.resolved.Orphans {
		byDoc[key{o.Doc, o.Sink}] = append(byDoc[key{o.Doc, o.Sink}], o.ID)
	}
	q.counters.orphans.Add(uint64(len(q.resolved.Orphans)))
	for k, ids := range byDoc {
		js, err := json.Marshal(contract.Repair{Generation: k.doc.Generation, Sink: k.sink, Source: k.doc.Source, Doc: k.doc.Doc, IDs: ids})
		if err == nil {
			err = q.bus.Conn().Publish(contract.SubjectRepair, js)
		}
		if err != nil {
			q.log.Warn("orphans not reported", "sink", k.sink, "error", err)
		}
	}
}
