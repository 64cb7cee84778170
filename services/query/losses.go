package query

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// lossesLimit bounds the requests about losses at the same time, of each kind.
const lossesLimit = 4

// serveLosses answers for what the log has lost and cannot make again.
func serveLosses(ctx context.Context, s *Service, svc micro.Service) error {
	return errors.Join(
		bounded(ctx, s, svc, endpoint{"log-losses", contract.SubjectLosses, lossesLimit, rpc.Dropped}, func(ctx context.Context, _ struct{}) (contract.LossList, error) { return listLosses(ctx, s.bus) }),
		bounded(ctx, s, svc, endpoint{"log-accept", contract.SubjectLossesAccept, lossesLimit, rpc.Finished}, func(ctx context.Context, _ struct{}) (contract.LossList, error) { return acceptLosses(ctx, s.bus) }),
	)
}

func listLosses(ctx context.Context, b *bus.Bus) (contract.LossList, error) {
	list, err := bus.LossesOf(b).All(ctx)
	return contract.LossList{Losses: append([]contract.Loss{}, list...)}, err
}

// acceptLosses has what is left of the documents removed, and forgets the
// losses then: what is cut off between is done by the next one.
func acceptLosses(ctx context.Context, b *bus.Bus) (contract.LossList, error) {
	out := contract.LossList{Losses: []contract.Loss{}}
	list, err := bus.LossesOf(b).All(ctx)
	if err != nil {
		return out, err
	}
	lost := map[document.Source][]contract.LostDocument{}
	for _, l := range list {
		if l.What == contract.LossDocument && l.Path != "" {
			lost[l.Source] = append(lost[l.Source], contract.LostDocument{View: l.View, Path: l.Path})
		}
	}
	for source, docs := range lost {
		for some := range slices.Chunk(docs, contract.LostAtOnce) {
			req := contract.VerifyFilesRequest{Source: source, Repair: true, Lost: some, Accepted: true}
			err := client.VerifyFiles.Each(ctx, b.Conn(), req, func(contract.VerifyPart) error { return nil })
			if err != nil {
				return out, fmt.Errorf("remove what is left of lost documents of %s: %w", source, err)
			}
		}
	}
	accepted, err := bus.LossesOf(b).Accept(ctx)
	out.Losses = append(out.Losses, accepted...)
	return out, err
}
