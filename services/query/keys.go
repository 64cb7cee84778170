package query

import (
	"context"

	"github.com/nats-io/nats.go/micro"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/rpc"
)

// keysLimit bounds the requests about keys that are answered at the same time, and
// whoLimit those of the gateway, one for each request that brings a key.
const (
	keysLimit = 4
	whoLimit  = 256
)

// serveKeys answers about the keys by which people and programs are let in over HTTP.
func serveKeys(ctx context.Context, s *Service, svc micro.Service) error {
	keys := bus.KeysOf(s.bus)
	list := func(ctx context.Context) (contract.KeyList, error) {
		all, err := keys.List(ctx)
		return contract.KeyList{Keys: all}, typedOrNil(err)
	}
	err := rpc.Endpoint(ctx, svc, rpc.Options{Name: "keys-add", Subject: contract.SubjectKeysAdd, Limit: keysLimit, Left: rpc.Finished},
		func(ctx context.Context, in contract.KeyAdd) (contract.KeyAdded, error) {
			added, err := keys.Add(ctx, in)
			return added, typedOrNil(err)
		})
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "keys-list", Subject: contract.SubjectKeysList, Limit: keysLimit},
			func(ctx context.Context, _ struct{}) (contract.KeyList, error) { return list(ctx) })
	}
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "keys-revoke", Subject: contract.SubjectKeysRevoke, Limit: keysLimit, Left: rpc.Finished},
			func(ctx context.Context, in contract.KeyRevoke) (contract.KeyList, error) {
				if err := keys.Revoke(ctx, in.Name); err != nil {
					return contract.KeyList{}, typed(err)
				}
				return list(ctx)
			})
	}
	if err == nil {
		err = rpc.Endpoint(ctx, svc, rpc.Options{Name: "keys-who", Subject: contract.SubjectKeysWho, Limit: whoLimit},
			func(ctx context.Context, in contract.KeyWho) (contract.Principal, error) {
				who, err := keys.Who(ctx, in)
				return who, typedOrNil(err)
			})
	}
	return err
}

func typedOrNil(err error) error {
	if err == nil {
		return nil
	}
	return typed(err)
}
