package verify

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
)

// unreadable names the messages of the log that freshet did not write, and has
// them purged in a repair: what they replaced is then found to be missing, and
// made again. The regular check leaves them: they may be those of a newer
// freshet.
func (v *verification) unreadable(ctx context.Context) error {
	all, err := bus.ForeignOf(v.Bus).List(ctx)
	if err != nil {
		return err
	}
	for _, u := range all {
		k, err := contract.ParseSubject(u.Subject)
		if v.req.Source != "" && (err != nil || k.Source != v.req.Source) {
			continue
		}
		d := contract.Difference{
			Stage: stageOf(u.Stream), Generation: k.Generation, Sink: k.Sink, Source: k.Source, Doc: k.Doc, View: k.View,
			What: contract.FaultUnreadable, Detail: fmt.Sprintf("message %d of %s on %s is none of freshet's", u.Seq, u.Stream, u.Subject),
		}
		if v.req.Repair {
			if err := bus.ForeignOf(v.Bus).Purge(ctx, u); err != nil {
				return err
			}
			d.Repaired = true
		}
		if err := v.tell.difference(d); err != nil {
			return err
		}
	}
	return nil
}

// stageOf is the place that a stream is.
func stageOf(stream string) contract.VerifyStage {
	switch stream {
	case contract.StreamChunks:
		return contract.VerifyChunks
	case contract.StreamVectors:
		return contract.VerifyVectors
	case contract.StreamIndexed:
		return contract.VerifyIndexed
	case contract.StreamDead:
		return contract.VerifyDead
	}
	return contract.VerifyFiles
}
