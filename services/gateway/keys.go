package gateway

import (
	"context"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
)

// whose asks whose key a token is, with each request: one that was revoked lets nobody
// in any more. The token itself stays here.
func whose(nc *nats.Conn) door.Keys {
	return func(ctx context.Context, token string) (contract.Principal, error) {
		name, _ := bus.KeyName(token)
		return client.WhoseKey.Ask(ctx, nc, contract.KeyWho{Name: name, Hash: bus.HashKey(token)})
	}
}
