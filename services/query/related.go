package query

import (
	"context"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/lease"
	"github.com/freshet-dev/freshet/services/query/internal/reading"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

const (
	// relatedLimit bounds the passages whose relations are looked for at the same time:
	// each asks the lexical stores for many names.
	relatedLimit   = 8
	defaultRelated = 5
	mostRelated    = 50
)

func serveRelated(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{
		Name: "related", Subject: contract.SubjectRelated, Limit: relatedLimit, Deadline: s.cfg.MaxDeadline,
	}, audited(s, contract.SubjectRelated, lookRelated, s.Related))
}

// Related answers what has to do with one passage: another ending of the list of
// stages, whose rounds look for the passage and for what is related to it. Errors are
// *document.Error.
func (s *Service) Related(ctx context.Context, in contract.RelatedRequest) (contract.RelatedReply, error) {
	return framed(s, &s.counters.related, func(e *engine) (*question, contract.RelatedReply, error) {
		q := newSearch(ctx, e)
		reply, err := q.related(ctx, in)
		return &q.question, reply, err
	}, func(r *contract.RelatedReply) ending { return ending{&r.Degraded, &r.Actions, &r.TookMS} })
}

func (q *search) related(ctx context.Context, in contract.RelatedRequest) (contract.RelatedReply, error) {
	r := &relating{in: in, limit: defaultRelated}
	if err := q.acceptRelated(ctx, r); err != nil {
		return contract.RelatedReply{}, err
	}
	q.opening = []stage{{name: "barrier", do: awaitToken}}
	q.round = []stage{
		{name: "passage", do: r.findPassage},
		{name: "relate", channels: true, do: r.relate},
		{name: "resolve", do: r.resolve},
	}
	q.closing = []stage{{name: "assemble", do: r.assemble}}
	if err := q.stages(ctx); err != nil {
		return contract.RelatedReply{}, err
	}
	out := r.reply
	out.Token, out.Pending, out.Failed = q.reply.Token, q.reply.Pending, q.reply.Failed
	return out, q.lease.give(ctx, q.last, &out.Lease, func() ([]lease.Given, error) { return q.givenOf(ctx) })
}

// acceptRelated checks a request, and sets the deadline.
func (q *search) acceptRelated(ctx context.Context, r *relating) error {
	in, cfg := &r.in, &q.service.cfg
	if err := contract.CheckLimits(*in); err != nil {
		return err
	}
	if err := document.CheckPath(in.Path); err != nil {
		return err
	}
	if (in.Line == 0) == (in.ID == nil) || in.Line < 0 {
		return document.Errorf(document.InvalidRequest, "line is %d: name the passage by one of its lines, from 1, or by its id", in.Line)
	}
	if in.Limit != 0 {
		r.limit = in.Limit
	}
	if r.limit < 1 || r.limit > mostRelated {
		return document.Errorf(document.InvalidRequest, "limit is %d: choose 1 to %d", r.limit, mostRelated)
	}
	for _, name := range in.Relations {
		if !slices.Contains(contract.Relations, name) {
			return document.Errorf(document.InvalidRequest, "the relation is %q: choose from %s", name, strings.Join(contract.Relations, ", "))
		}
	}
	if len(in.Filter.Views) > 0 {
		return document.Errorf(document.InvalidRequest, "the filter names views: name that of the passage by view, what is related is of the same")
	}
	show := in.Text
	switch show {
	case "":
		show = contract.TextExcerpt
	case contract.TextNone, contract.TextExcerpt, contract.TextFull:
	default:
		return document.Errorf(document.InvalidRequest, "text is %q: choose none, excerpt or full", show)
	}
	if err := q.lease.open(ctx, in.Lease); err != nil {
		return err
	}
	filter := in.Filter
	if in.View != "" {
		filter.Views = []document.View{in.View}
	}
	scope, err := request.ParseScope(request.Wants{Filter: filter, Token: in.Token, Commit: in.Commit, DeadlineMS: in.DeadlineMS},
		request.Limits{Deadline: cfg.Deadline, MaxDeadline: cfg.MaxDeadline, Collections: q.service.stores.Collections()})
	if err != nil {
		return err
	}
	// Nothing is asked in words, so that no stage takes any out of it.
	q.req = &request.Request{Scope: *scope, Reading: &reading.Reading{}, Show: show, K: r.limit}
	q.scope = &q.req.Scope
	return q.allow(ctx)
}

// wants reports whether a relation is asked for.
func (r *relating) wants(relation string) bool {
	return len(r.in.Relations) == 0 || slices.Contains(r.in.Relations, relation)
}

func lookRelated(_ *contract.RelatedRequest, out *contract.RelatedReply, shown *seen) string {
	if out.Of.Path != "" {
		shown.add(out.Of.Source, out.Of.Path, out.Of.Version)
	}
	for i := range out.Related {
		h := &out.Related[i].Passage
		shown.add(h.Source, h.Path, h.Version)
	}
	return "" // the path is the first document's
}
