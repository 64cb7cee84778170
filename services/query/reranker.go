package query

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/learned"
)

func serveReranker(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{Name: "reranker", Subject: contract.SubjectReranker, Limit: 4, Left: rpc.Finished}, s.Reranker)
}

// Reranker serves a learned reranker, takes it back, or tells what is served.
// What it serves is in the log when it returns, and used by this process; others
// follow within moments. A model that this process could not use is refused.
// Errors are *document.Error.
func (s *Service) Reranker(ctx context.Context, in contract.RerankerRequest) (contract.RerankerReply, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.MaxDeadline)
	defer cancel()
	if err := s.changeReranker(ctx, in); err != nil {
		return contract.RerankerReply{}, typed(err)
	}
	return contract.RerankerReply{Served: s.configured.learned.state()}, nil
}

func (s *Service) changeReranker(ctx context.Context, in contract.RerankerRequest) error {
	var raw []byte
	switch {
	case in.Model != nil && in.Remove:
		return document.Errorf(document.InvalidRequest, "the request has a model and takes one back: send one of them")
	case in.Model != nil:
		if _, err := learned.New(in.Model, s.configured.keeping.holds().weights); err != nil {
			return err
		}
		var err error
		if raw, err = json.Marshal(in.Model); err != nil {
			return fmt.Errorf("encode the model: %w", err)
		}
		if len(raw) > contract.MostModel {
			return document.Errorf(document.TooLarge, "the model has %d bytes: train one with fewer trees, up to %d bytes", len(raw), contract.MostModel)
		}
	case !in.Remove:
		return s.configured.learned.reach(ctx, 0)
	}
	revision, err := s.bus.Bucket(contract.BucketModels).Put(ctx, contract.ModelReranker, raw)
	if err != nil {
		return err
	}
	return s.configured.learned.reach(ctx, revision)
}
