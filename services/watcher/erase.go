package watcher

import (
	"context"
	"fmt"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// eraseSource takes away what the deletions of its documents leave of a source,
// from the log first, then from the files of stores and log. The receipt says
// where it could not.
func eraseSource(ctx context.Context, b *bus.Bus, name document.Source) (contract.Receipt, error) {
	receipt := contract.Receipt{Source: name}
	gone, err := bus.ForgetSource(ctx, b, name)
	if err != nil {
		return receipt, err
	}
	receipt.Bodies, receipt.Feedback, receipt.Audit, receipt.Letters = gone.Bodies, gone.Feedback, gone.Audit, gone.Letters
	if gone.Unshown > 0 {
		// The stores may hold what no worker has taken back.
		if _, err := client.Sweep.Ask(ctx, b.Conn(), client.None); err != nil {
			left := fmt.Sprintf("no indexer has compared the indexes with the log (%v)", err)
			receipt.Left = append(receipt.Left, left)
			receipt.Actions = document.About(left, document.Acts(document.DoVerifyRepair)...)
		}
	}
	for _, place := range []struct {
		erase client.Endpoint[struct{}, contract.EraseReply]
		left  string
	}{
		{client.EraseIndex, "no indexer has written its files anew (%v): removed words stay there until segments are merged"},
		{client.EraseLog, "the files of the NATS server were not overwritten (%v): removed text stays there until it compacts its blocks"},
	} {
		done, err := place.erase.Ask(ctx, b.Conn(), client.None)
		if err != nil {
			receipt.Left = append(receipt.Left, fmt.Sprintf(place.left, err))
			continue
		}
		receipt.Erased += done.Items
		receipt.ErasedBytes += done.Bytes
		for _, store := range done.Left {
			receipt.Left = append(receipt.Left, fmt.Sprintf("the server behind %s has deleted it, and its files hold it until that server merges its segments", store))
		}
	}
	return receipt, nil
}
