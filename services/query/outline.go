package query

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/lines"
	"github.com/freshet-dev/freshet/services/query/internal/outline"
	"github.com/freshet-dev/freshet/services/query/internal/resolve"
)

const (
	// outlineLimit bounds the outlines that are made at the same time.
	outlineLimit          = 8
	defaultOutlineEntries = 500
	maxOutlineEntries     = 2000
)

func serveOutline(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "outline", Subject: contract.SubjectOutline, Limit: outlineLimit, Deadline: s.cfg.MaxDeadline,
	}, audited(s, contract.SubjectOutline, lookOutline, s.Outline))
}

// Outline answers what a document defines, or what a folder holds. Errors are
// *document.Error.
func (s *Service) Outline(ctx context.Context, in contract.OutlineRequest) (contract.OutlineReply, error) {
	return framed(s, &s.counters.outlines, func(e *engine) (*question, contract.OutlineReply, error) {
		q := e.asks(ctx, e.reachFiles)
		reply, err := outlining{aboutOne{q}}.outline(ctx, in)
		return q, reply, err
	}, func(r *contract.OutlineReply) ending { return ending{&r.Degraded, &r.Actions, &r.TookMS} })
}

// outlining is a question about what a document defines, or a folder holds.
type outlining struct{ aboutOne }

func (q outlining) outline(ctx context.Context, in contract.OutlineRequest) (contract.OutlineReply, error) {
	var reply contract.OutlineReply
	if err := contract.CheckLimits(in); err != nil {
		return reply, err
	}
	limit := defaultOutlineEntries
	if in.Limit != 0 {
		limit = in.Limit
	}
	if limit < 1 || limit > maxOutlineEntries {
		return reply, document.Errorf(document.InvalidRequest, "limit is %d: choose 1 to %d", limit, maxOutlineEntries)
	}
	path := document.Path(strings.TrimSuffix(string(in.Path), "/"))
	if path != "" {
		if err := document.CheckPath(path); err != nil {
			return reply, err
		}
	}
	if err := q.arriveAt(ctx, target{in.Source, path, in.View, in.Token, in.Commit, in.DeadlineMS}); err != nil {
		return reply, err
	}
	ctx, cancel := context.WithDeadline(ctx, later(q.deadline, time.Now().Add(grace)))
	defer cancel()
	folder, seen := q.outlineFolder(path)
	var err error
	if len(folder.Entries) > 0 {
		reply.More = max(len(folder.Entries)-limit, 0)
		folder.Entries = folder.Entries[:len(folder.Entries)-reply.More]
		reply.Folder = &folder
	} else {
		var d contract.OutlineDocument
		if d, seen, err = q.outlineDocument(ctx, path); err != nil {
			return reply, err
		}
		reply.More = max(len(d.Entries)-limit, 0)
		d.Entries = d.Entries[:len(d.Entries)-reply.More]
		reply.Document = &d
	}
	reply.Token, err = q.service.bus.Tokens().Of(ctx, seen)
	return reply, err
}

// outlineFolder lists what is in a folder, in one state of the log; nothing where
// it is none.
func (q outlining) outlineFolder(path document.Path) (contract.OutlineFolder, uint64) {
	f := outline.NewFolder(path)
	seen := q.service.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if q.mayBe(k, &h) {
			f.Add(&h)
		}
		return true
	})
	return f.Reply(), seen
}

func (q outlining) outlineDocument(ctx context.Context, path document.Path) (contract.OutlineDocument, uint64, error) {
	if path == "" {
		return contract.OutlineDocument{}, 0, q.lost("/", nil)
	}
	for {
		d, seen, passed, err := q.outlineNewest(ctx, path)
		if err != nil || !passed {
			return d, seen, err
		}
	}
}

// outlineNewest answers what the newest version of a document defines. It reports
// whether another version has come while it waited for the passages of this one.
func (q outlining) outlineNewest(ctx context.Context, path document.Path) (d contract.OutlineDocument, seen uint64, passed bool, err error) {
	h, seen, text, err := q.newest(ctx, path)
	if err != nil {
		return d, seen, false, err
	}
	d = contract.OutlineDocument{
		Source: h.Source, View: h.View, Path: h.Path, Version: h.Version, Hash: h.Hash, Language: language.Detect(h.Path, text),
		Size: int64(len(text)), Total: lines.Count(text), Entries: []contract.OutlineEntry{}, Pending: q.pends(ctx, &h, seen),
	}
	cut, _, passed, err := q.awaitPassages(ctx, &h)
	switch {
	case err != nil || passed:
	case cut == nil:
		d.Uncut = true
	default:
		d.Entries = outline.Entries(cut, text)
	}
	return d, seen, passed, err
}

// awaitPassages returns the passages of a version, and the text that they are ranges of.
// Where they are not there yet it waits for them if the question has a token, or a
// commit; then the answer says so. Passed is as awaitBody has it.
func (q aboutOne) awaitPassages(ctx context.Context, h *contract.FileHead) (cut *document.Content, text []byte, passed bool, err error) {
	s := q.service
	generation, served := s.stores.Generation(h.Collection)
	if !served {
		q.degrade("no passages are made of %s: the collection %s is not served", h.Path, h.Collection)
		return nil, nil, false, nil
	}
	body, passed, err := q.awaitBody(ctx, resolve.DocKey{Generation: generation, Source: h.Source, Doc: h.Doc}, h)
	if err != nil || passed {
		return nil, nil, passed, err
	}
	unread := body != nil && body.Unread != nil
	switch {
	case body.Late():
		return nil, nil, false, document.Errorf(document.Deadline, "the passages of %s were not read in time: ask again, or allow more with deadline_ms", h.Path)
	case unread:
		q.degrade("the passages of %s cannot be read in the log, and are being made again", h.Path)
		return nil, nil, false, nil
	case body.Of(cutOf(body, h)) == nil:
		q.degrade("the passages of %s are still being made", h.Path)
		q.offer(document.Action{Do: document.DoExplain, Source: h.Source, Path: h.Path})
	}
	h = cutOf(body, h)
	return body.Of(h), body.Bytes(h), false, nil
}

// awaitText waits for the text of a version of a document of a format, until the
// question has to be answered. Passed is as awaitBody has it.
func (q aboutOne) awaitText(ctx context.Context, h *contract.FileHead) (passed bool, err error) {
	generation, served := q.service.stores.Generation(h.Collection)
	if !served {
		return false, nil
	}
	_, passed, err = q.awaitBody(ctx, resolve.DocKey{Generation: generation, Source: h.Source, Doc: h.Doc}, h)
	return passed, err
}

// awaitBody returns what CHUNKS has of a document once that has a version, or cannot be
// read. It waits for it if the question has a token, or a commit, as long as there is
// time for an answer. Passed reports that another version took the place of this one
// meanwhile, which nobody makes passages of any more.
func (q aboutOne) awaitBody(ctx context.Context, doc resolve.DocKey, h *contract.FileHead) (body *resolve.Body, passed bool, err error) {
	s := q.service
	key := bus.OutputKey{Generation: doc.Generation, Source: doc.Source, Doc: doc.Doc}
	file := bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View}
	changed := make(chan struct{}, 1)
	tell := func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	}
	defer s.bus.Outputs(contract.StreamChunks).Observe(func(k bus.OutputKey, _, _ contract.OutputHead) {
		if k == key {
			tell()
		}
	})()
	defer s.bus.Files().Observe(func(k bus.FileKey, _, _ contract.FileHead) {
		if k == file {
			tell()
		}
	})()
	until, cancel := context.WithDeadline(ctx, q.deadline.Add(-q.reserve()))
	defer cancel()
	for {
		bodies, err := s.reader.Chunks(ctx, []resolve.DocKey{doc})
		if ctx.Err() != nil {
			err = ctx.Err() // the service stops, which is no end of the wait
		}
		if err != nil {
			return nil, false, err
		}
		body = bodies[doc]
		if body != nil && body.Unread != nil || body.Of(cutOf(body, h)) != nil || !q.scope.WantsToken() || until.Err() != nil {
			return body, false, nil
		}
		if now, ok := s.bus.Files().Get(file); !ok || now.Version > h.Version {
			return body, true, nil
		}
		select {
		case <-changed:
		case <-until.Done():
		}
	}
}
