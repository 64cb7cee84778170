package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

// assemble is the stage that turns what may be shown into the reply.
func assemble(ctx context.Context, q *search) (report, error) {
	q.resolved.endless = q.resolved.Shown
	q.resolved.Shown = q.resolved.endless[:min(len(q.resolved.endless), q.req.K)]
	token, err := q.service.bus.Tokens().Of(ctx, q.resolved.Seen)
	if err != nil {
		return report{}, err
	}
	q.reply.Token = token
	marks := marksOf(q)
	q.reply.Hits = make([]contract.Hit, len(q.resolved.Shown))
	for i := range q.resolved.Shown {
		q.reply.Hits[i] = hitOf(q, &q.resolved.Shown[i], marks)
	}
	addSummaries(ctx, q)
	q.reply.Understood = understood(q)
	listCorrected(q)
	listPending(q)
	listFailed(q)
	listUnread(q)
	tellNoDocument(ctx, q)
	reportOrphans(q)
	q.service.counters.dropped.Add(uint64(q.resolved.Dropped))
	return report{in: len(q.resolved.Shown), out: len(q.reply.Hits)}, nil
}

// listPending lists the documents that the answer may lack something of. With
// a token these are the ones that are not settled up to it; newer ones only
// where their new text could not be searched. So are those whose passages were not read
// in time.
func listPending(q *search) {
	left := q.listing.More
	add := func(h *contract.FileHead, sinks []document.Sink, searched bool) {
		if len(q.reply.Pending) >= q.service.cfg.Listed {
			left++
			return
		}
		q.reply.Pending = append(q.reply.Pending, contract.PendingPath{
			Source: h.Source, View: h.View, Path: h.Path, Version: h.Version, Sinks: sinks, Searched: searched,
		})
	}
	for i := range q.resolved.overtaken {
		add(&q.resolved.overtaken[i], document.Sinks, false)
	}
	for i := range q.resolved.Late {
		add(&q.resolved.Late[i], document.Sinks, false)
	}
	for i := range q.listing.Pending {
		p := &q.listing.Pending[i]
		searched := p.Head.Op != contract.OpPut || !lags(p.Sinks, document.Lexical) || q.found.pending.Searched[p.Head.Version]
		searched = searched && !hasVersion(q.resolved.Unsearched, p.Head.Version)
		if q.token > 0 && uint64(p.Oldest) > q.token && searched {
			continue
		}
		if hasVersion(q.resolved.overtaken, p.Head.Version) || hasVersion(q.resolved.Late, p.Head.Version) {
			continue // listed already
		}
		add(&p.Head, p.Sinks, searched)
	}
	if left > 0 {
		q.degrade("pending: %d more documents are not in both indexes yet and not listed", left)
	}
}

func hasVersion(heads []contract.FileHead, v document.Version) bool {
	return slices.ContainsFunc(heads, func(h contract.FileHead) bool { return h.Version == v })
}

// listFailed lists the documents whose newest version some stage gave up on,
// but for those that somebody has dismissed.
func listFailed(q *search) {
	failed, left := q.service.failed(q.sight, q.inScope, q.service.cfg.Listed)
	q.reply.Failed = failed
	if left > 0 {
		q.degrade("failed: %d more documents could not be indexed and are not listed", left)
	}
}

// unreadNamed is how many documents are named whose passages cannot be read; of
// the others the number is told.
const unreadNamed = 5

// listUnread names the documents that the answer lacks because the log does not
// give their passages, though it should have them.
func listUnread(q *search) {
	all := q.resolved.Unread
	if len(all) == 0 {
		return
	}
	var names []string
	for i := range all[:min(len(all), unreadNamed)] {
		names = append(names, fmt.Sprintf("%s of %s", all[i].Path, all[i].Source))
	}
	more := ""
	if n := len(all) - len(names); n > 0 {
		more = fmt.Sprintf(" and %d more documents", n)
	}
	q.degrade("unread: the log does not give the passages of %s%s: they are being made again; what cannot be is listed as lost", strings.Join(names, ", "), more)
	q.offer(document.Action{Do: document.DoLossList})
}

// tellNoDocument says of an answer without hits where the filter names no document
// at all: a path that was misspelt looks like a question without an answer. It
// looks at every head only where there is none.
func tellNoDocument(ctx context.Context, q *search) {
	if len(q.reply.Hits) > 0 || q.nothing || q.req.Paths.Any() {
		return
	}
	found := false
	q.service.bus.Files().Range(func(_ bus.FileKey, h contract.FileHead) bool {
		found = h.Op != contract.OpDelete && h.Op != contract.OpMarker && q.inScope(&h)
		return !found && ctx.Err() == nil
	})
	if !found && ctx.Err() == nil {
		q.degrade("path: the filter lets no document through")
		q.offer(document.Action{Do: document.DoExplain})
	}
}

// about reports whether a letter is about what is searched: one of a stage behind the
// chunker is, where that has made passages of the document for it.
func (s *engine) about(k bus.DeadKey) bool {
	if k.Stage == contract.StageChunker {
		return k.Build == s.stores.build
	}
	builds := s.stores.AllDeadLetters(k.Stage)
	if len(builds) == 1 {
		return k.Build == builds[0]
	}
	for _, g := range s.stores.Generations() {
		if contract.BuildOf(g) != k.Build {
			continue
		}
		if _, ok := s.bus.Outputs(contract.StreamChunks).Get(bus.OutputKey{Generation: g, Source: k.Source, Doc: k.Doc}); ok {
			return true
		}
	}
	return false
}

// failed returns at most limit failures of newest versions in scope, as a sight sees them,
// while what is searched was made, and how many more there are.
func (s *engine) failed(sight *access.Sight, in func(*contract.FileHead) bool, limit int) (list []contract.FailedPath, left int) {
	s.bus.Dead().Range(func(k bus.DeadKey, d contract.DeadHead) bool {
		if d.State == contract.LetterDismissed || !s.about(k) {
			return true
		}
		d, ok := s.seenOf(sight, k.Source, k.Doc).letter(d)
		if !ok {
			return true
		}
		for view, cover := range d.Covers.All() {
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
func reportOrphans(q *search) {
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
	q.service.counters.orphans.Add(uint64(len(q.resolved.Orphans)))
	for k, ids := range byDoc {
		js, err := json.Marshal(contract.Repair{Generation: k.doc.Generation, Sink: k.sink, Source: k.doc.Source, Doc: k.doc.Doc, IDs: ids})
		if err == nil {
			err = q.service.bus.Conn().Publish(contract.SubjectRepair, js)
		}
		if err != nil {
			q.service.log.Warn("orphans not reported", "sink", k.sink, "error", err)
		}
	}
}
