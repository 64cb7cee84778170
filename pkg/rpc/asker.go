package rpc

import (
	"context"
	"encoding/json"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

type askerKey struct{}

type principalKey struct{}

// Asker is who sent the request that a handler's ctx is of.
func Asker(ctx context.Context) contract.Principal {
	p, _ := ctx.Value(askerKey{}).(contract.Principal)
	return p
}

// As returns a ctx whose requests are made for somebody else: only the gateway's user
// may.
func As(ctx context.Context, p contract.Principal) context.Context {
	return context.WithValue(ctx, principalKey{}, p)
}

// named says in a request for whom it is made.
func named(ctx context.Context, ask *nats.Msg) {
	p, ok := ctx.Value(principalKey{}).(contract.Principal)
	if !ok {
		return
	}
	js, _ := json.Marshal(p) // strings can be encoded
	ask.Header.Set(contract.PrincipalHeader, string(js))
}
