package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/services/query/internal/request"
)

// aboutOne is a question about one document, or a folder.
type aboutOne struct{ *question }

// target is how a request names one document, or a folder.
type target struct {
	source document.Source
	path   document.Path
	view   document.View
	token  string
	commit string
	within int // deadline_ms
}

// namedScope sets the scope of a question about one document or folder, and its
// deadline.
func (q aboutOne) namedScope(ctx context.Context, n target) error {
	var filter contract.Filter
	if n.source != "" {
		filter.Sources = []document.Source{n.source}
	}
	if n.view != "" {
		filter.Views = []document.View{n.view}
	}
	cfg := &q.service.cfg
	var err error
	q.scope, err = request.ParseScope(request.Wants{Filter: filter, Token: n.token, Commit: n.commit, DeadlineMS: n.within},
		request.Limits{Deadline: cfg.Deadline, MaxDeadline: cfg.MaxDeadline, Collections: q.service.stores.Collections()})
	if err != nil {
		return err
	}
	return q.allow(ctx)
}

// find returns the head of the document of a path, of one consistent state of the
// log, and the sequence that this state includes. The error says why there is no
// content: NotFound with the nearest paths, or InvalidRequest for a folder and for
// a path that several sources have.
func (q aboutOne) find(ctx context.Context, path document.Path) (contract.FileHead, uint64, error) {
	doc := document.DocOf(path)
	var found []contract.FileHead
	var around []contract.FileHead // everything that is in scope, for who is lost
	seen := q.service.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Doc == doc && h.Op != contract.OpMarker && q.mayBe(k, &h) {
			found = append(found, h)
		}
		return true
	})
	slices.SortFunc(found, byStanding)
	if len(found) == 0 {
		if err := q.foreignAt(ctx, path); err != nil {
			return contract.FileHead{}, seen, err
		}
		q.service.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
			if h.Op == contract.OpPut && q.mayBe(k, &h) {
				around = append(around, h)
			}
			return true
		})
		return contract.FileHead{}, seen, q.lost(path, around)
	}
	best := found[0]
	for _, h := range found[1:] {
		if h.Op == contract.OpPut && best.Op == contract.OpPut && h.Source != best.Source {
			return best, seen, document.Errorf(document.InvalidRequest, "several sources have a document %s, among them %s and %s: name the source", path, best.Source, h.Source).
				Do(document.DoSourceList)
		}
	}
	return best, seen, absent(&best)
}

// byStanding sorts heads of one path: those with content first, the worktree
// before other views.
func byStanding(a, b contract.FileHead) int {
	place := func(h *contract.FileHead) int {
		n := 2 * slices.Index([]contract.Op{contract.OpPut, contract.OpSkipped, contract.OpDelete}, h.Op)
		if h.View != document.Worktree {
			n++
		}
		return n
	}
	if n := place(&a) - place(&b); n != 0 {
		return n
	}
	return strings.Compare(string(a.Source)+"\x00"+string(a.View), string(b.Source)+"\x00"+string(b.View))
}

// absent says why a document has no content, nil where it has.
func absent(h *contract.FileHead) error {
	explain := document.Action{Do: document.DoExplain, Source: h.Source, Path: h.Path}
	switch h.Op {
	case contract.OpDelete:
		return document.Errorf(document.NotFound, "%s was deleted as version %d", h.Path, h.Version).With(explain)
	case contract.OpSkipped:
		return document.Errorf(document.NotFound, "the log has no text of %s, which is not indexed: %s", h.Path, h.Reason).With(explain)
	}
	return nil
}

// foreignAt is the error where something that freshet did not write stands in the
// place of a document: nobody knows what that was.
func (q aboutOne) foreignAt(ctx context.Context, path document.Path) error {
	doc := document.DocOf(path)
	all, err := bus.ForeignOf(q.service.bus).List(ctx)
	if err != nil {
		return err
	}
	for _, u := range all {
		k, err := contract.ParseSubject(u.Subject)
		if err == nil && k.Stream == contract.StreamFiles && k.Doc == doc && q.groupInScope(k.Source, k.View, "") && q.sight.Anyhow(k.Source, k.View, path) {
			return document.Errorf(document.Unavailable, "log: in the place of the document stands what freshet did not write").Do(document.DoVerify, document.DoVerifyRepair)
		}
	}
	return nil
}

// lost is the error for a path that no document has.
func (q aboutOne) lost(path document.Path, around []contract.FileHead) error {
	if len(around) == 0 {
		return document.Errorf(document.NotFound, "there is no document %q: nothing is indexed that the request could mean", path).Do(document.DoSourceList, document.DoSourceAdd)
	}
	paths := make([]document.Path, len(around))
	for i := range around {
		paths[i] = around[i].Path
		if strings.HasPrefix(string(paths[i]), string(path)+"/") {
			return document.Errorf(document.InvalidRequest, "%s is a folder: name one of its documents, or ask for the outline of the folder", path)
		}
	}
	explain := document.Action{Do: document.DoExplain, Source: q.only(), Path: path}
	near := nearPaths(path, paths)
	if len(near) == 0 {
		return document.Errorf(document.NotFound, "there is no document %q", path).With(explain)
	}
	return document.Errorf(document.NotFound, "there is no document %q: did you mean %s?", path, strings.Join(near, ", or ")).With(explain)
}

// only is the source that a question is about, "" for several.
func (q aboutOne) only() document.Source {
	if len(q.scope.Sources) == 1 {
		return q.scope.Sources[0]
	}
	return ""
}

// contentOf returns the newest version of a document in a view, with its text. moved says that it has to be looked up again: it changed while it was read. The
// error is Unavailable for a content that the log does not give; it is made again.
func (s *contents) contentOf(ctx context.Context, h contract.FileHead) (now contract.FileHead, text []byte, moved bool, err error) {
	subject := contract.FileSubject(h.Source, h.Doc, h.View)
	messages, err := s.bus.GetLast(ctx, contract.StreamFiles, subject)
	if err != nil {
		return h, nil, false, fmt.Errorf("read the content: %w", err)
	}
	m := messages[subject]
	if m == nil || document.Version(m.Seq) < h.Version {
		return h, nil, true, nil
	}
	if document.Version(m.Seq) > h.Version {
		if h, err = contract.ParseFileHead(m.Subject, m.Seq, m.Header); err != nil || h.Op != contract.OpPut {
			return h, nil, true, nil //nolint:nilerr // find says what stands there.
		}
	}
	if h.Format != "" {
		text, err = s.textMade(ctx, &h)
		return h, text, false, err
	}
	text, err = m.Content(ctx, &h)
	switch {
	case err == nil:
		return h, text, false, nil
	case errors.Is(err, bus.ErrGone):
		return h, nil, true, nil
	case ctx.Err() != nil:
		return h, nil, false, ctx.Err()
	}
	bus.TellUnread(s.bus, err)
	s.log.Warn("document of the log not read", "error", err)
	return h, nil, false, document.Errorf(document.Unavailable, "the log does not give the text of %s, which is being made again: ask again", h.Path).
		With(document.Action{Do: document.DoExplain, Source: h.Source, Path: h.Path})
}
