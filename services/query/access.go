package query

import (
	"context"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// accessLimit bounds the requests about rules that are answered at the same time.
const accessLimit = 4

// serveAccess tells who may ask what, and who sees what.
func serveAccess(ctx context.Context, s *Service, svc micro.Service) error {
	return rpc.Endpoint(ctx, svc, rpc.Options{Name: "access-list", Subject: contract.SubjectAccessList, Limit: accessLimit},
		func(context.Context, struct{}) (contract.AccessList, error) {
			list := contract.AccessList{Roles: contract.RolesTold()}
			s.bus.Visibility().Tell(&list)
			return list, nil
		})
}
