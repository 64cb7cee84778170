package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

const (
	// explainLimit bounds the explanations at the same time: one may read as
	// much as a hundred searches.
	explainLimit = 4
	// explainTime bounds one, so that the answer comes while the caller still
	// waits.
	explainTime = 25 * time.Second
)

func serveExplain(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{Name: "explain", Subject: contract.SubjectExplainQuery, Limit: explainLimit}, audited(s, contract.SubjectExplainQuery, lookExplained, s.Explain))
}

// Explain tells what the log and the stores know of a document, and what a
// search has made of it. Errors are *document.Error.
func (s *Service) Explain(ctx context.Context, in contract.ExplainQuery) (contract.Explanation, error) {
	e, done := s.turn()
	defer done()
	ctx, cancel := context.WithTimeout(ctx, explainTime)
	defer cancel()
	x := &explanation{service: e, in: in, sight: s.bus.Visibility().Sight(rpc.Asker(ctx))}
	if err := x.run(ctx); err != nil {
		return contract.Explanation{}, typed(err)
	}
	return x.Explanation, nil
}

// explanation is one on its way.
type explanation struct {
	service *engine
	contract.Explanation
	in    contract.ExplainQuery
	sight *access.Sight // what who asks may see; nil: everything
	doc   document.DocID
	heads []contract.FileHead // newest of each view, the one that says most first

	outputs  outputs
	passages []passage
}

func (x *explanation) run(ctx context.Context) error {
	if _, err := document.ParseSource(string(x.in.Source)); err != nil {
		return err
	}
	last, err := x.service.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return err
	}
	if err := x.service.index.Reach(ctx, last); err != nil {
		return fmt.Errorf("wait for the log's heads: %w", err)
	}
	if x.Token, err = x.service.bus.Tokens().Of(ctx, last); err != nil {
		return err
	}
	x.Versions = []contract.LogVersion{}
	if x.in.Path == "" || !x.document() && x.folder() {
		if x.in.Search != nil {
			return document.Errorf(document.InvalidRequest, "%s is a folder: name the document that was expected among the hits", x.name())
		}
		if x.in.Path == "" {
			x.folder()
		}
		return nil
	}
	if len(x.heads) > 0 {
		if err := x.read(ctx); err != nil {
			return err
		}
		x.stages()
		x.failures()
		x.chunks(ctx)
	}
	tellWho(x)
	x.judge()
	if x.in.Search == nil {
		return nil
	}
	return x.search(ctx, *x.in.Search)
}

// tellWho says who sees the document, to whoever sees everything.
func tellWho(x *explanation) {
	x.Restricted = x.service.bus.Restricts() && x.sight == nil
	for i := range x.heads {
		if h := &x.heads[i]; x.Restricted && h.Op == contract.OpPut {
			x.Seen = append(x.Seen, x.service.bus.Visibility().Who(h)...)
		}
	}
}

// name is how a sentence calls the document.
func (x *explanation) name() string {
	if x.in.Path == "" {
		return "The source " + string(x.in.Source)
	}
	return string(x.in.Path)
}

// document looks for the heads of the path.
func (x *explanation) document() bool {
	x.doc = document.DocOf(x.in.Path)
	x.service.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if k.Source == x.in.Source && k.Doc == x.doc && (x.in.View == "" || k.View == x.in.View) && bus.Head(x.sight, &h) {
			x.heads = append(x.heads, h)
		}
		return true
	})
	// A view that has it says more than one that had it.
	place := func(h *contract.FileHead) int {
		n := slices.Index([]contract.Op{contract.OpPut, contract.OpSkipped, contract.OpDelete}, h.Op) * 2
		if h.View != document.Worktree {
			n++
		}
		return n
	}
	slices.SortFunc(x.heads, func(a, b contract.FileHead) int {
		if n := place(&a) - place(&b); n != 0 {
			return n
		}
		return strings.Compare(string(a.View), string(b.View))
	})
	for _, h := range x.heads {
		x.Versions = append(x.Versions, contract.LogVersionOf(h))
	}
	return len(x.heads) > 0
}
