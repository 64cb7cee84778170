package verify

import (
	"cmp"
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// sources has the watcher compare the sources with FILES. Log and stores are
// compared whether or not it could.
func (v *verification) sources(ctx context.Context) error {
	req := contract.VerifyFilesRequest{Source: v.req.Source, Repair: v.req.Repair}
	silent := error(document.Errorf(document.Unavailable, "the watcher ended its answer without a summary"))
	err := client.VerifyFiles.Each(ctx, v.Bus.Conn(), req, func(p contract.VerifyPart) error {
		switch {
		case p.Summary != nil:
			v.tell.sum.Pending += p.Summary.Pending
			v.tell.sum.Sources, silent = p.Summary.Sources, nil
			return nil
		case p.Difference != nil:
			v.reported[bus.FileKey{Source: p.Difference.Source, Doc: p.Difference.Doc, View: p.Difference.View}] = true
			return v.tell.difference(*p.Difference)
		}
		return v.tell.send(p)
	})
	switch {
	case err == nil:
	case ctx.Err() != nil || v.tell.gone != nil || document.KindOf(err) == document.NotFound || document.KindOf(err) == document.InvalidRequest:
		return err
	default:
		silent = err
	}
	if silent != nil {
		v.Log.Warn("sources are not compared", "error", silent)
		v.tell.sum.NotCompared = "no watcher compared the sources: " + silent.Error()
	}
	v.unnamed(silent)
	return nil
}

// unnamed adds the sources that the log has documents of and the watcher said
// nothing of, since it is silent or does not know them.
func (v *verification) unnamed(silent error) {
	counts := map[document.Source]*contract.VerifySource{}
	for _, s := range v.tell.sum.Sources {
		counts[s.Source] = nil
	}
	v.Bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		c, named := counts[k.Source]
		if named && c == nil || !v.wants(k.Source) || h.Op != contract.OpPut && h.Op != contract.OpSkipped {
			return true
		}
		if c == nil {
			c = missed(k.Source, silent)
			counts[k.Source] = c
		}
		if h.Op == contract.OpPut {
			c.LogDocuments++
		} else {
			c.LogSkipped++
		}
		return true
	})
	for _, c := range counts {
		if c != nil {
			v.tell.sum.Sources = append(v.tell.sum.Sources, *c)
		}
	}
	slices.SortStableFunc(v.tell.sum.Sources, func(a, b contract.VerifySource) int { return cmp.Compare(a.Source, b.Source) })
}

// missed is a source that no watcher compared.
func missed(name document.Source, silent error) *contract.VerifySource {
	if silent != nil {
		return &contract.VerifySource{
			Source: name, NotCompared: silent.Error(), Gap: contract.GapSilent,
			Next: "see whether a watcher runs, and verify again", Actions: document.Acts(document.DoStatusShow),
		}
	}
	return &contract.VerifySource{
		Source: name, NotCompared: "the log has documents of it, and the list of sources lacks it", Gap: contract.GapUnregistered,
		Next:    "add it again, or drop what is left of it",
		Actions: []document.Action{{Do: document.DoSourceAdd}, {Do: document.DoSourceRemove, Source: name}},
	}
}
