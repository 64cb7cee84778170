package query

import (
	"context"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/listing"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

const (
	// filesLimit bounds the lists that are made at the same time: each holds the
	// heads that it lists.
	filesLimit = 2
	// filesDeadline is the time for a list when a request names none.
	filesDeadline = 30 * time.Second
)

func serveFiles(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.StreamEndpoint(ctx, svc, rpc.Options{Name: "files", Subject: contract.SubjectFiles, Limit: filesLimit}, auditedParts(s, contract.SubjectFiles,
		func(*contract.FilesRequest) string { return "" },
		func(p *contract.FilesPart, shown *seen) {
			for i := range p.Files {
				shown.add(p.Files[i].Source, p.Files[i].Path, p.Files[i].Version)
			}
		}, s.Files))
}

// Files lists documents in parts, and their summary last. Errors are
// *document.Error.
func (s *Service) Files(ctx context.Context, in contract.FilesRequest, send func(contract.FilesPart) error) error {
	sum, err := framed(s, nil, func(e *engine) (*question, contract.FilesSummary, error) {
		q := e.asks(ctx, e.reachFiles)
		sum, err := aboutMany{q}.files(ctx, in, send)
		return q, sum, err
	}, func(r *contract.FilesSummary) ending { return ending{&r.Degraded, &r.Actions, &r.TookMS} })
	if err != nil {
		return err
	}
	return send(contract.FilesPart{Summary: &sum})
}

// aboutMany is a question about which documents there are.
type aboutMany struct{ *question }

func (q aboutMany) files(ctx context.Context, in contract.FilesRequest, send func(contract.FilesPart) error) (contract.FilesSummary, error) {
	var none contract.FilesSummary
	s := q.service
	list, err := listing.New(s.bus, s.index, in)
	if err != nil {
		return none, err
	}
	if err := q.filesScope(ctx, in); err != nil {
		return none, err
	}
	until, cancel := context.WithDeadline(ctx, q.deadline)
	defer cancel()
	if err := q.arrive(until); err != nil {
		return none, err
	}
	if err := list.Run(ctx, q.listed(), q.deadline.Add(-q.reserve()), send); err != nil {
		return none, err
	}
	foreign, err := q.tellForeign(ctx)
	if err != nil {
		return none, err
	}
	missing := q.tellUnknown(list.Unknown())
	sum := list.Summary()
	sum.Complete = !q.behind && !foreign && !missing
	sum.Token, err = s.bus.Tokens().Of(ctx, list.Seen())
	return sum, err
}

// tellUnknown says of how many documents the language could not be told. It is
// true where they are missing for that.
func (q aboutMany) tellUnknown(n int) (missing bool) {
	if n == 0 {
		return false
	}
	missing = len(q.scope.Languages) > 0
	sentence := "language: of %d documents it could not be told, for they changed, could not be read, or the time was up"
	if missing {
		sentence += "; they are not listed"
	}
	q.degrade(sentence, n)
	return missing
}

// filesScope checks which documents are asked about, and sets the deadline.
func (q aboutMany) filesScope(ctx context.Context, in contract.FilesRequest) error {
	if err := contract.CheckLimits(in); err != nil {
		return err
	}
	cfg := &q.service.cfg
	var err error
	q.scope, err = request.ParseScope(request.Wants{
		Collections: in.Collections, Filter: in.Filter, Token: in.Token, Commit: in.Commit, DeadlineMS: in.DeadlineMS,
	}, request.Limits{Deadline: min(filesDeadline, cfg.MaxDeadline), MaxDeadline: cfg.MaxDeadline, Collections: q.service.stores.Collections()})
	if err != nil {
		return err
	}
	return q.allow(ctx)
}

// listed are the documents that a list has.
func (q aboutMany) listed() listing.Scope {
	return listing.Scope{
		Head:      func(h *contract.FileHead) bool { return q.inScope(h) && q.scope.MayHold(h.Path) },
		Language:  func(l string) bool { return hasOrAny(q.scope.Languages, l) },
		Languages: len(q.scope.Languages) > 0,
		Textless:  q.service.contents.textless,
		Whole: func(h *contract.FileHead) bool {
			g, ok := q.service.stores.Generation(h.Collection)
			out, there := q.service.bus.Outputs(contract.StreamChunks).Get(bus.OutputKey{Generation: g, Source: h.Source, Doc: h.Doc})
			return !ok || !there || q.service.seenOf(q.sight, h.Source, h.Doc).texts(out.Covers)
		},
		Letter: func(d contract.DeadHead) contract.DeadHead {
			d, _ = q.service.seenOf(q.sight, d.Source, d.Doc).letter(d)
			return d
		},
	}
}
