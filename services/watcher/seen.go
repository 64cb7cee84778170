package watcher

import (
	"context"
	"slices"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// seenOf is what whoever asks may see of the list of sources: a source of which they see
// nothing is not there, and of the others they are told what they see.
func seenOf(ctx context.Context, b *bus.Bus, all contract.SourceList) contract.SourceList {
	sight := b.Seers().Sight(rpc.Asker(ctx))
	if sight == nil {
		return all
	}
	seen := b.Seers().Sources(sight)
	list := contract.SourceList{Sources: []contract.SourceInfo{}, Token: all.Token}
	for _, i := range all.Sources {
		if slices.Contains(seen, i.Source) {
			list.Sources = append(list.Sources, contract.SourceInfo{
				Source: i.Source, Kind: i.Kind, View: i.View, Watched: i.Watched, Scanned: i.Scanned, Scanning: i.Scanning,
			})
		}
	}
	b.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		at := slices.IndexFunc(list.Sources, func(i contract.SourceInfo) bool { return i.Source == k.Source })
		if at < 0 || !bus.Head(sight, &h) {
			return true
		}
		switch i := &list.Sources[at]; h.Op {
		case contract.OpPut:
			i.Documents++
			i.Bytes += h.Size
		case contract.OpSkipped:
			i.Skipped++
		}
		return true
	})
	return list
}
