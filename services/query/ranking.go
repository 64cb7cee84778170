package query

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

func serveRanking(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{Name: "ranking", Subject: contract.SubjectRanking, Limit: 4, Left: rpc.Finished},
		func(ctx context.Context, in contract.RankingRequest) (contract.RankingReply, error) {
			return keepRanking(ctx, s, in)
		})
}

// keepRanking keeps weights and a threshold for every answer, takes them back, or tells what
// is kept. What it keeps is in the log when it returns, and used by this process; others
// follow within moments. What this process could not use is refused. Errors are
// *document.Error.
func keepRanking(ctx context.Context, s *Service, in contract.RankingRequest) (contract.RankingReply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.MaxDeadline)
	defer cancel()
	if err := changeRanking(ctx, s, in); err != nil {
		return contract.RankingReply{}, typed(err)
	}
	return contract.RankingReply{Kept: s.configured.keeping.holds().kept}, nil
}

func changeRanking(ctx context.Context, s *Service, in contract.RankingRequest) error {
	keeping := s.configured.keeping
	keeps := len(in.Ranking) > 0 || in.MinConfidence != 0
	if !keeps && !in.Remove {
		return keeping.reach(ctx, 0)
	}
	var raw []byte
	if keeps {
		if in.Remove {
			return document.Errorf(document.InvalidRequest, "the request keeps something and takes it back: send one of them")
		}
		var err error
		raw, err = json.Marshal(contract.KeptRanking{
			Ranking: in.Ranking, MinConfidence: in.MinConfidence, Note: in.Note, By: rpc.Asker(ctx).Name, Time: s.bus.Now().UTC(),
		})
		if err != nil {
			return fmt.Errorf("encode what is to be kept: %w", err)
		}
		if err := (&keptState{weights: s.cfg.Ranking, kept: &contract.KeptRanking{}}).use(raw); err != nil {
			return err
		}
	}
	revision, err := s.bus.Bucket(contract.BucketModels).Put(ctx, contract.ModelRanking, raw)
	if err != nil {
		return err
	}
	return keeping.reach(ctx, revision)
}
