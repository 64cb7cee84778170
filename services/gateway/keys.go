package gateway

import (
	"context"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway/internal/door"
	"github.com/freshet-dev/freshet/services/gateway/internal/issuer"
)

// whose asks whose key a token is, with each request: one that was revoked lets nobody
// in any more. The token itself stays here.
func whose(nc *nats.Conn) door.Keys {
	return func(ctx context.Context, token string) (contract.Principal, error) {
		name, _ := bus.KeyName(token)
		return client.WhoseKey.Ask(ctx, nc, contract.KeyWho{Name: name, Hash: bus.HashKey(token)})
	}
}

// issued knows the tokens of an issuer, where one is configured.
func issued(cfg config.OIDC) door.Issued {
	by := issuer.New(cfg, time.Now)
	if by == nil {
		return nil
	}
	return func(ctx context.Context, token string) (who contract.Principal, until time.Time, ok bool, err error) {
		if !issuer.IsToken(token) {
			return who, until, false, nil
		}
		who, until, err = by.Who(ctx, token)
		return who, until, true, err
	}
}
