package watcher

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// viewer is whoever sends a request, with what they may see; a nil sight is everything.
type viewer struct {
	svc   *Service
	sight *access.Sight
}

func viewerOf(ctx context.Context, s *Service) viewer {
	return viewer{s, s.bus.Visibility().Sight(rpc.Asker(ctx))}
}

// list is what the viewer sees of the list of sources.
func (v viewer) list(all contract.SourceList) contract.SourceList {
	all.Sources = v.svc.bus.Visibility().List(v.sight, all.Sources)
	return all
}

// narrow refuses the documents that whoever writes does not see, whether they are
// there or not. Which collection a document is in is the writer's choice, so that a path
// has to be seen in each. The error is NotFound where nothing of the request may be
// written into a source of which they see nothing: whether there is one is not told.
func (v viewer) narrow(name document.Source, view document.View, wishes []wish) error {
	may := 0
	for i := range wishes {
		w := &wishes[i]
		if !v.sight.Anyhow(name, view, w.path) {
			w.err = unseen(w.path)
			continue
		}
		may++
	}
	if may > 0 {
		return nil
	}
	for _, seen := range v.svc.bus.Visibility().Sources(v.sight) {
		if seen == name {
			return nil
		}
	}
	return noAPISource(name)
}

// unseen is the error for a document that whoever writes does not see.
func unseen(path document.Path) error {
	return document.Errorf(document.Forbidden, "%s is not among what who asks may see: write where a rule lets them see", path)
}

func noAPISource(name document.Source) error {
	return document.Errorf(document.NotFound, "there is no source %q that takes documents", name)
}

// explain is that of the service for whoever sees only a part. What they may not see is answered
// as what is not there, by the same words; of what they may see nothing is told of the
// machine, or of a rule that speaks of other paths.
func (v viewer) explain(ctx context.Context, req contract.ExplainFile) (contract.FileExplanation, error) {
	path := document.TypedPath(req.Path)
	if req.Source == "" {
		return contract.FileExplanation{}, document.Errorf(document.InvalidRequest, "the request names no source: give the path below the root of one")
	}
	at := -1
	list := v.svc.bus.Visibility().List(v.sight, v.svc.list())
	for i := range list {
		if list[i].Source == req.Source {
			at = i
		}
	}
	if at < 0 {
		return contract.FileExplanation{}, document.Errorf(document.NotFound, "there is no source %q", req.Source).Do(document.DoSourceList)
	}
	full, err := v.svc.explainIn(ctx, req.Source, path.Raw())
	if err != nil {
		return contract.FileExplanation{}, err
	}
	out := contract.FileExplanation{Source: &list[at], Document: full.Document, Path: string(full.Document)}
	if full.Log != nil && full.Log.Op == contract.OpDelete {
		full.Log = nil // from whom it was hidden nobody knows any more
	}
	if !v.sees(req.Source, list[at].View, &full) || full.Verdict == contract.VerdictMissing || full.Verdict == contract.VerdictDeleted {
		out.Verdict, out.Type, out.InStep = contract.VerdictMissing, typeNothing, true
		out.Summary = quoted(full.Document.Raw()) + " is not there, and the log knows of no earlier version."
		out.Next = []string{"Check the path and its case."}
		return out, nil
	}
	out.Verdict, out.Type, out.Reason, out.Now, out.Log, out.InStep = full.Verdict, full.Type, full.Reason, full.Now, full.Log, full.InStep
	if full.Rule != nil {
		out.Rule = &contract.IgnoreRule{Ignores: full.Rule.Ignores, Class: full.Rule.Class, Matched: full.Document}
	}
	out.Summary = quoted(full.Document.Raw()) + saidOfSeen[full.Verdict]
	if full.Type == typeFolder {
		out.Summary = quoted(full.Document.Raw()) + " is a folder: ask for the documents below it."
	}
	return out, nil
}

// saidOfSeen is what is told of a path by its verdict to whoever sees only a part.
var saidOfSeen = map[contract.Verdict]string{
	contract.VerdictUnwatched:  " lies in a source that is not watched: answers leave it out unless they name the source.",
	contract.VerdictIgnored:    " is left out by a rule.",
	contract.VerdictSkipped:    " is known and not indexed.",
	contract.VerdictBehindLink: " lies behind a symbolic link, which is not followed.",
	contract.VerdictUnreadable: " cannot be looked at now.",
	contract.VerdictChanged:    " is not in the log yet as it is.",
	contract.VerdictLogged:     " is in the log as it is.",
	contract.VerdictMissing:    " is not there.",
	contract.VerdictFolder:     " is a folder: ask for the documents below it.",
}

// sees reports whether the viewer sees what was explained: a document as the log
// has it, a path that is in no log whatever collection it would be in, and a folder by
// something that is below it.
func (v viewer) sees(source document.Source, view document.View, e *contract.FileExplanation) bool {
	if e.Log != nil {
		h := v.svc.ledger.get(bus.FileKey{Source: source, Doc: document.DocOf(e.Document), View: e.Log.View})
		return present(h) && bus.Head(v.sight, &h)
	}
	if e.Type != typeFolder {
		return v.sight.Anyhow(source, view, e.Document)
	}
	found := false
	v.svc.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		found = k.Source == source && (h.Op == contract.OpPut || h.Op == contract.OpSkipped) && below(h.Path, e.Document) && bus.Head(v.sight, &h)
		return !found
	})
	return found
}

func below(path, folder document.Path) bool {
	return folder == "" || len(path) > len(folder) && path[:len(folder)] == folder && path[len(folder)] == '/'
}
