package query

import (
	"context"
	"time"
	"unicode/utf8"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/language"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
	"github.com/freshet-dev/freshet/services/query/internal/lines"
)

const (
	// readLimit bounds the documents that are read at the same time.
	readLimit = 16
	// readRounds bounds how often a document is looked up again because it changed
	// while it was read.
	readRounds = 8

	defaultReadLines = 2000
	maxReadLines     = 10_000
	defaultLineBytes = 4 << 10
	maxLineBytes     = 64 << 10
	defaultReadBytes = 128 << 10
	maxReadBytes     = 512 << 10
	// readBesides is what an answer holds beside its lines.
	readBesides = 160 << 10
)

func serveRead(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "read", Subject: contract.SubjectRead, Limit: readLimit, Deadline: s.cfg.MaxDeadline,
	}, audited(s, contract.SubjectRead, lookRead, s.Read))
}

// Read answers with lines of a document, out of the log. Errors are
// *document.Error.
func (s *Service) Read(ctx context.Context, in contract.ReadRequest) (contract.ReadReply, error) {
	return framed(s, &s.counters.reads, func(e *engine) (*question, contract.ReadReply, error) {
		q := e.asks(ctx, e.reachFiles)
		reply, err := aboutOne{q}.read(ctx, in)
		return q, reply, err
	}, func(r *contract.ReadReply) ending { return ending{&r.Degraded, &r.Actions, &r.TookMS} })
}

func (q aboutOne) read(ctx context.Context, in contract.ReadRequest) (contract.ReadReply, error) {
	var reply contract.ReadReply
	bounds, err := readBounds(in, q.service.bus.Conn().MaxPayload())
	if err != nil {
		return reply, err
	}
	if err := q.lease.open(ctx, in.Lease); err != nil {
		return reply, err
	}
	if err := q.arriveAt(ctx, target{in.Source, in.Path, in.View, in.Token, in.Commit, in.DeadlineMS}); err != nil {
		return reply, err
	}
	ctx, cancel := context.WithDeadline(ctx, later(q.deadline, time.Now().Add(grace)))
	defer cancel()
	h, seen, text, err := q.newest(ctx, in.Path)
	if err != nil {
		return reply, err
	}
	total := lines.Count(text)
	if bounds.From > max(total, 1) {
		return reply, document.Errorf(document.InvalidRequest, "%s has %d lines, and line %d is asked for: choose 1 to %d", h.Path, total, bounds.From, total)
	}
	taken, err := lines.Take(text, bounds)
	if err != nil {
		return reply, err
	}
	reply = contract.ReadReply{
		Source: h.Source, View: h.View, Path: h.Path, Version: h.Version, Hash: h.Hash, Metadata: h.Metadata.Metadata(),
		Language: language.Detect(h.Path, text), Size: int64(len(text)), Total: total, Format: string(h.Format),
		From: taken.From, To: taken.To, Cut: taken.Cut, Next: taken.Next, Pending: q.pends(ctx, &h, seen),
	}
	if utf8.Valid(taken.Text) {
		reply.Text = string(taken.Text)
	} else {
		reply.Bytes = taken.Text
	}
	if reply.Token, err = q.service.bus.Tokens().Of(ctx, seen); err != nil {
		return reply, err
	}
	return reply, q.lease.give(ctx, q.last, &reply.Lease, func() ([]lease.Given, error) {
		return []lease.Given{{Head: h, StartLine: taken.From, Text: taken.Text}}, nil
	})
}

// readBounds checks which lines are asked for. An error is an InvalidRequest.
func readBounds(in contract.ReadRequest, payload int64) (lines.Bounds, error) {
	b := lines.Bounds{
		From: max(in.From, 1), To: in.To, Limit: defaultReadLines, LineBytes: defaultLineBytes,
		MaxBytes: defaultReadBytes, Room: int(payload - readBesides),
	}
	if err := contract.CheckLimits(in); err != nil {
		return b, err
	}
	if err := document.CheckPath(in.Path); err != nil {
		return b, err
	}
	if in.From < 0 || in.To < 0 || in.To > 0 && in.To < b.From {
		return b, document.Errorf(document.InvalidRequest, "the lines %d to %d are asked for: count from 1, the first before the last", in.From, in.To)
	}
	for _, n := range []struct {
		name  string
		asked int
		most  int
		into  *int
	}{
		{"limit", in.Limit, maxReadLines, &b.Limit},
		{"line_bytes", in.LineBytes, maxLineBytes, &b.LineBytes},
		{"max_bytes", in.MaxBytes, maxReadBytes, &b.MaxBytes},
	} {
		if n.asked < 0 || n.asked > n.most {
			return b, document.Errorf(document.InvalidRequest, "%s is %d: choose 1 to %d", n.name, n.asked, n.most)
		}
		if n.asked > 0 {
			*n.into = n.asked
		}
	}
	return b, nil
}

// arriveAt is arrive for a question about one document or folder.
func (q aboutOne) arriveAt(ctx context.Context, n target) error {
	if err := q.namedScope(ctx, n); err != nil {
		return err
	}
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	return q.arrive(until)
}

// newest returns the document of a path with its content, both of one state of the
// log.
func (q aboutOne) newest(ctx context.Context, path document.Path) (contract.FileHead, uint64, []byte, error) {
	for range readRounds {
		h, seen, err := q.find(ctx, path)
		if err != nil {
			return h, seen, nil, err
		}
		if h.Format != "" {
			// Its text is there once it is cut, which is worth a wait to whoever has a
			// token.
			passed, err := q.awaitText(ctx, &h)
			if err != nil {
				return h, seen, nil, err
			}
			if passed {
				continue
			}
		}
		h, text, moved, err := q.service.contents.contentOf(ctx, h)
		if err == nil && !moved {
			moved, err = q.becameHidden(ctx, &h, seen)
		}
		if err != nil || !moved {
			// A version that came after the state of the heads is the document's
			// newest in the state that ends with it.
			return h, max(seen, uint64(h.Version)), text, err
		}
		// The head table may be behind what has replaced the content.
		last, err := q.service.bus.LastSeq(ctx, contract.StreamFiles)
		if err == nil {
			err = q.reach(ctx, last)
		}
		if err != nil {
			return h, seen, nil, err
		}
	}
	return contract.FileHead{}, 0, nil, document.Errorf(document.Unavailable, "%s changed each of the %d times that it was read: ask again", path, readRounds)
}

// becameHidden reports whether a version is hidden from who asks that came after the
// state of the heads in which its document was seen.
func (q aboutOne) becameHidden(ctx context.Context, h *contract.FileHead, seen uint64) (bool, error) {
	if q.sight == nil || uint64(h.Version) <= seen {
		return false, nil
	}
	// The rules that stand in its source may have come before it, too.
	if err := q.reach(ctx, uint64(h.Version)); err != nil {
		return false, err
	}
	return !bus.Head(q.sight, h), nil
}

// pends reports whether a search may lack a version. Where the index cannot tell in
// a moment, it may.
func (q aboutOne) pends(ctx context.Context, h *contract.FileHead, seen uint64) bool {
	ctx, cancel := context.WithTimeout(ctx, goneWait)
	defer cancel()
	if q.service.index.Reach(ctx, seen) != nil {
		return true
	}
	return q.service.index.IsPending(bus.FileKey{Source: h.Source, Doc: h.Doc, View: h.View})
}
