package query

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/access"
	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// statusSeen tells the state of what a sight sees. What is said of the system as a
// whole, of its services, streams, builds and losses, counts what is hidden as well, and
// is left out.
func (s state) statusSeen(ctx context.Context, sight *access.Sight) (contract.StatusReply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Deadline+s.cfg.ReportWait)
	defer cancel()
	r := contract.StatusReply{
		Version: s.cfg.Version, EndsIdleMS: s.cfg.EndsIdle.Milliseconds(), Generation: []document.Generation{},
		Sources: []contract.SourceInfo{}, Reports: []contract.Report{}, Streams: map[string]contract.StreamInfo{},
		Skipped: map[string]int{}, Pending: map[contract.Stage]int{},
	}
	marks := s.stores.marks(ctx, s.bus.Records())
	last, err := s.bus.LastSeq(ctx, contract.StreamFiles)
	if err != nil {
		return r, err
	}
	if err := s.index.Reach(ctx, last); err != nil {
		return r, fmt.Errorf("wait for the log's heads: %w", err)
	}
	if r.Token, err = s.bus.Tokens().Of(ctx, last); err != nil {
		return r, err
	}
	listing, stop := context.WithTimeout(ctx, s.cfg.ReportWait)
	all, _, watcher := s.sources.Last(listing)
	stop()
	if !watcher {
		r.Degraded = append(r.Degraded, "watcher: it does not answer, so changes are not seen")
	}
	r.Sources = s.bus.Visibility().List(sight, all)
	scanned := addSources(&r)
	in := watchedOnly(r.Sources, watcher)
	s.countSeen(&r, sight, in)
	sees := func(h *contract.FileHead) bool { return in(h.Source) && bus.Head(sight, h) }
	known := s.tellStores(&r, marks)
	waiting, err := s.countPending(ctx, &r, sees)
	if err != nil {
		return r, err
	}
	var left int
	if r.Failed, left = s.failed(sight, sees, listedInStatus); left > 0 {
		r.Degraded = append(r.Degraded, fmt.Sprintf("failed: %d more documents are not listed", left))
	}
	r.Ready = watcher && scanned && known && waiting == 0
	return r, nil
}

// countSeen counts documents and passages of what is seen.
func (s state) countSeen(r *contract.StatusReply, sight *access.Sight, in func(document.Source) bool) {
	type doc struct {
		source document.Source
		doc    document.DocID
	}
	whole := map[doc]bool{} // of documents with a view that is seen: whether all are
	s.bus.Files().Range(func(k bus.FileKey, h contract.FileHead) bool {
		if !in(k.Source) || h.Op != contract.OpPut && h.Op != contract.OpSkipped {
			return true
		}
		at := doc{k.Source, k.Doc}
		if !bus.Head(sight, &h) {
			whole[at] = false
			return true
		}
		if _, known := whole[at]; !known {
			whole[at] = true
		}
		if h.Op == contract.OpPut {
			r.Documents++
		} else {
			r.Skipped[h.Reason]++
		}
		return true
	})
	s.bus.Outputs(contract.StreamChunks).Range(func(k bus.OutputKey, h contract.OutputHead) bool {
		if _, ok := s.stores.sinks[k.Generation]; ok && whole[doc{k.Source, k.Doc}] && s.seenOf(sight, k.Source, k.Doc).texts(h.Covers) {
			r.Chunks += h.Count
		}
		return true
	})
}
