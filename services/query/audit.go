package query

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// mostQuestion is how many bytes of a question an entry keeps.
const mostQuestion = 4096

// seen is what an answer shows of documents, each once, in its order.
type seen struct {
	documents []contract.AuditedDocument
	at        map[contract.AuditedDocument]bool
	more      int
}

func (s *seen) add(source document.Source, path document.Path, version document.Version) {
	d := contract.AuditedDocument{Source: source, Doc: document.DocOf(path), Version: version}
	switch {
	case s.at[d]:
		return
	case len(s.documents) == contract.MostAudited:
		s.more++
	default:
		s.documents = append(s.documents, d)
	}
	if s.at == nil {
		s.at = map[contract.AuditedDocument]bool{}
	}
	s.at[d] = true
}

// keepAsked keeps who asked what and saw which documents, where that is kept. Its error
// takes the place of the answer: what nobody can look up is not given.
func (s *engine) keepAsked(ctx context.Context, subject, question string, shown *seen, failed error) error {
	asked := bus.AskedOf(s.bus)
	if !asked.On() {
		return nil
	}
	who := rpc.Asker(ctx)
	entry := contract.AuditEntry{Who: who.Name, Role: who.Role, Subject: subject, Question: shortened(question), Documents: shown.documents, More: shown.more}
	if failed != nil {
		entry.Refused, entry.Documents, entry.More = document.KindOf(failed), nil, 0
	}
	// Who asked may have left; that they asked is kept all the same.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.MaxDeadline)
	defer cancel()
	return asked.Keep(ctx, entry)
}

// keepTold keeps what is told to the owner of a kept question.
func (s *engine) keepTold(ctx context.Context, record *contract.Standing, shown *seen) error {
	if !bus.AskedOf(s.bus).On() {
		return nil
	}
	return bus.AskedOf(s.bus).Keep(ctx, contract.AuditEntry{Who: record.Owner, Subject: contract.AllStanding, Question: shortened(record.Question.Query), Documents: shown.documents})
}

func shortened(question string) string {
	if len(question) <= mostQuestion {
		return question
	}
	return strings.ToValidUTF8(question[:mostQuestion], "")
}

// audited answers on a subject, and keeps who asked.
func audited[Req, Rep any](s *Service, subject string, look func(*Req, *Rep, *seen) (question string), answer func(context.Context, Req) (Rep, error)) func(context.Context, Req) (Rep, error) {
	return func(ctx context.Context, in Req) (Rep, error) {
		out, err := answer(ctx, in)
		given, counted := givenBy(&out)
		counted = counted && err == nil
		if !counted && !bus.AskedOf(s.bus).On() {
			return out, err
		}
		var shown seen
		question := look(&in, &out, &shown)
		if counted {
			s.usage.add(ctx, given, &shown)
		}
		if lost := s.configured.keepAsked(ctx, subject, question, &shown, err); lost != nil {
			var none Rep
			return none, typed(lost)
		}
		return out, err
	}
}

// auditedParts is audited for an answer in parts. What is shown is known when the last
// part was sent, so that a kill in between leaves no entry.
func auditedParts[Req, Part any](s *Service, subject string, question func(*Req) string, look func(*Part, *seen), answer func(context.Context, Req, func(Part) error) error) func(context.Context, Req, func(Part) error) error {
	return func(ctx context.Context, in Req, send func(Part) error) error {
		var shown seen
		err := answer(ctx, in, func(p Part) error {
			look(&p, &shown)
			return send(p)
		})
		if lost := s.configured.keepAsked(ctx, subject, question(&in), &shown, err); lost != nil {
			return typed(lost)
		}
		return err
	}
}

func lookSearch(in *contract.SearchRequest, out *contract.SearchReply, shown *seen) string {
	for i := range out.Hits {
		shown.add(out.Hits[i].Source, out.Hits[i].Path, out.Hits[i].Version)
	}
	return in.Query
}

func lookGrep(in *contract.GrepRequest, out *contract.GrepReply, shown *seen) string {
	for i := range out.Files {
		shown.add(out.Files[i].Source, out.Files[i].Path, out.Files[i].Version)
	}
	return in.Pattern
}

func lookRead(_ *contract.ReadRequest, out *contract.ReadReply, shown *seen) string {
	if out.Path != "" {
		shown.add(out.Source, out.Path, out.Version)
	}
	return "" // the path is the document's
}

func lookOutline(_ *contract.OutlineRequest, out *contract.OutlineReply, shown *seen) string {
	if d := out.Document; d != nil {
		shown.add(d.Source, d.Path, d.Version)
	}
	return ""
}

func lookContext(in *contract.ContextRequest, out *contract.ContextReply, shown *seen) string {
	lookPassages(out.Passages, shown)
	return in.Query
}

func lookPassages(list []contract.ContextPassage, shown *seen) {
	for i := range list {
		shown.add(list[i].Source, list[i].Path, list[i].Version)
	}
}

func lookExplained(in *contract.ExplainQuery, out *contract.Explanation, shown *seen) string {
	if len(out.Versions) > 0 {
		shown.add(in.Source, in.Path, out.Versions[0].Version)
	}
	if in.Search != nil {
		return in.Search.Query
	}
	return ""
}

const (
	auditLimit = 4
	// auditPage and auditBytes bound one answer of freshet.audit.list.
	auditPage  = 1000
	auditBytes = 512 << 10
)

func serveAudit(ctx context.Context, s *Service, svc micro.Service) error {
	return bounded(ctx, s, svc, endpoint{"audit-list", contract.SubjectAuditList, auditLimit, rpc.Dropped}, func(ctx context.Context, in contract.AuditListRequest) (contract.AuditListReply, error) {
		return listAsked(ctx, s.bus, in)
	})
}

// listAsked returns a page of entries, the oldest first, with the paths of the documents
// that the log has still.
func listAsked(ctx context.Context, b *bus.Bus, in contract.AuditListRequest) (contract.AuditListReply, error) {
	reply := contract.AuditListReply{Entries: []contract.AuditListed{}}
	if in.Limit == 0 {
		in.Limit = auditPage
	}
	if in.Limit < 1 || in.Limit > auditPage {
		return reply, document.Errorf(document.InvalidRequest, "limit is %d: use 1 to %d", in.Limit, auditPage)
	}
	if !bus.AskedOf(b).On() {
		return reply, document.Errorf(document.InvalidRequest, "it is not kept who asks: set access.audit to how long it is to be")
	}
	messages, more, err := bus.AskedOf(b).Page(ctx, in.After, in.Limit, auditBytes)
	if err != nil {
		return reply, err
	}
	for _, m := range messages {
		body, err := m.Body(ctx)
		if err != nil {
			return reply, err
		}
		e := contract.AuditListed{Seq: m.Seq, Time: m.Time}
		if json.Unmarshal(body, &e.AuditEntry) == nil && (in.Who == "" || in.Who == e.Who) {
			reply.Entries = append(reply.Entries, e)
		}
	}
	if err := nameDocuments(ctx, b, reply.Entries); err != nil {
		return reply, err
	}
	if more && len(messages) > 0 {
		reply.Next = messages[len(messages)-1].Seq
	}
	return reply, nil
}

// nameDocuments gives the documents of entries the paths that the log has for them.
func nameDocuments(ctx context.Context, b *bus.Bus, entries []contract.AuditListed) error {
	type key struct {
		source document.Source
		doc    document.DocID
	}
	paths := map[key]document.Path{}
	for i := range entries {
		for _, d := range entries[i].Documents {
			paths[key{d.Source, d.Doc}] = ""
		}
	}
	if len(paths) == 0 {
		return nil
	}
	// A document whose deletion was acknowledged has no path any more.
	if err := bus.CatchUp(ctx, b, b.Files()); err != nil {
		return err
	}
	b.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		at := key{k.Source, k.Doc}
		if _, ok := paths[at]; ok && (h.Op == contract.OpPut || h.Op == contract.OpSkipped) {
			paths[at] = h.Path
		}
		return true
	})
	for i := range entries {
		for j := range entries[i].Documents {
			d := &entries[i].Documents[j]
			d.Path = paths[key{d.Source, d.Doc}]
		}
	}
	return nil
}
