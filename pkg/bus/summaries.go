package bus

import (
	"context"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
)

// forgetSummaries removes what a language model said of the passages of a source.
func forgetSummaries(ctx context.Context, b *Bus, source document.Source) error {
	return b.Bucket(contract.BucketSummaries).Forget(ctx, contract.SummariesOf(source))
}
