package query

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/grep"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

const (
	// grepLimit bounds the requests that read the log at the same time.
	grepLimit = 2
	// grepDeadline is the time for an answer when a request names none.
	grepDeadline = 30 * time.Second
)

func serveGrep(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "grep", Subject: contract.SubjectGrep, Limit: grepLimit, Deadline: s.cfg.MaxDeadline,
	}, audited(s, contract.SubjectGrep, lookGrep, s.Grep))
}

// Grep answers which lines match, out of the log. Errors are *document.Error.
func (s *Service) Grep(ctx context.Context, in contract.GrepRequest) (contract.GrepReply, error) {
	return framed(s, &s.counters.greps, func(e *engine) (*question, contract.GrepReply, error) {
		q := e.asks(ctx, e.reachFiles)
		reply, err := aboutLines{q}.grep(ctx, in)
		return q, reply, err
	}, func(r *contract.GrepReply) ending { return ending{&r.Degraded, &r.Actions, &r.TookMS} })
}

// reachFiles waits until the heads include FILES up to seq, and nothing else: what
// the stores have is of no matter.
func (s *engine) reachFiles(ctx context.Context, seq uint64) error {
	if err := s.index.Ready(ctx); err != nil {
		return err // the sources that the log has are not known before
	}
	return s.bus.Files().Wait(ctx, seq)
}

// aboutLines is a question about the lines of documents.
type aboutLines struct{ *question }

func (q aboutLines) grep(ctx context.Context, in contract.GrepRequest) (contract.GrepReply, error) {
	var reply contract.GrepReply
	s := q.service
	lines, err := grep.New(s.bus, s.trigrams, in, func(err error) { s.log.Warn("document of the log not read", "error", err) })
	if err != nil {
		return reply, err
	}
	if err := q.lease.open(ctx, in.Lease); err != nil {
		return reply, err
	}
	if err := q.grepScope(ctx, in); err != nil {
		return reply, err
	}
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	if err := q.arrive(until); err != nil {
		return reply, err
	}
	// The barrier may have put the deadline off, and the end of an answer must
	// not be what there is no time for.
	ctx, cancel = context.WithDeadline(ctx, later(q.deadline, time.Now().Add(grace)))
	defer cancel()
	if err := lines.Run(ctx, lookedAt(q.question), q.deadline.Add(-q.reserve())); err != nil {
		return reply, fmt.Errorf("search the log: %w", err)
	}
	if reply, err = lines.Reply(); err != nil {
		return reply, err
	}
	foreign, err := q.tellForeign(ctx)
	if err != nil {
		return reply, err
	}
	if q.behind || foreign {
		reply.Complete = false
	}
	if reply.Searched+reply.PassedOver == 0 && reply.Complete && !q.nothing {
		q.degrade("scope: there is no document to search")
		q.offer(document.Action{Do: document.DoExplain})
	}
	if reply.Token, err = s.bus.Tokens().Of(ctx, lines.Seen()); err != nil {
		return reply, err
	}
	return reply, q.lease.give(ctx, q.last, &reply.Lease, func() ([]lease.Given, error) { return linesGiven(&reply), nil })
}

// linesGiven are the texts of lines, each as much as is shown of it.
func linesGiven(reply *contract.GrepReply) (out []lease.Given) {
	for _, f := range reply.Files {
		head := contract.FileHead{Source: f.Source, View: f.View, Path: f.Path, Version: f.Version}
		for _, l := range f.Lines {
			text := l.Bytes
			if text == nil {
				text = []byte(l.Text)
			}
			out = append(out, lease.Given{Head: head, StartLine: l.Line, Column: l.From, Text: text})
		}
	}
	return out
}

// tellForeign says where something else stands in the place of a document: what
// the document was cannot be told.
func (q *question) tellForeign(ctx context.Context) (found bool, err error) {
	all, err := bus.ForeignOf(q.service.bus).List(ctx)
	if err != nil {
		return false, err
	}
	n := 0
	for _, u := range all {
		k, err := contract.ParseSubject(u.Subject)
		if err == nil && k.Stream == contract.StreamFiles && q.groupInScope(k.Source, k.View, "") {
			n++
		}
	}
	if n > 0 {
		if q.sight == nil {
			q.degrade("log: in the place of %d documents stands what freshet did not write", n)
		} else { // what they were is not known, nor who may see it
			q.degrade("log: in the place of documents stands what freshet did not write")
		}
		q.offer(document.Acts(document.DoVerify, document.DoVerifyRepair)...)
	}
	return n > 0, nil
}

// grepScope checks which documents are asked about, and sets the deadline.
func (q aboutLines) grepScope(ctx context.Context, in contract.GrepRequest) error {
	if err := contract.CheckLimits(in); err != nil {
		return err
	}
	cfg := &q.service.cfg
	var err error
	q.scope, err = request.ParseScope(request.Wants{
		Collections: in.Collections, Filter: in.Filter, Token: in.Token, Commit: in.Commit, DeadlineMS: in.DeadlineMS,
	}, request.Limits{Deadline: min(grepDeadline, cfg.MaxDeadline), MaxDeadline: cfg.MaxDeadline, Collections: q.service.stores.Collections()})
	if err != nil {
		return err
	}
	return q.allow(ctx)
}

// lookedAt are the documents whose lines are looked at.
func lookedAt(q *question) grep.Scope {
	return grep.Scope{
		Head:    func(h *contract.FileHead) bool { return q.inScope(h) && q.scope.MayHold(h.Path) },
		Content: func(p document.Path, text []byte) bool { return q.scope.Holds(p, text) },
		Made:    aboutOne{q}.made,
	}
}
