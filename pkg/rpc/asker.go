package rpc

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/contract"
)

type askerKey struct{}

type principalKey struct{}

type wayKey struct{}

// Through returns a ctx whose requests say by which way they come, one of contract.Ways.
func Through(ctx context.Context, way string) context.Context {
	return context.WithValue(ctx, wayKey{}, way)
}

// Way is by which way the request came that a handler's ctx is of.
func Way(ctx context.Context) string {
	if way, _ := ctx.Value(wayKey{}).(string); slices.Contains(contract.Ways, way) {
		return way
	}
	return contract.WayOther
}

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

// named says in a request for whom it is made, and by which way.
func named(ctx context.Context, ask *nats.Msg) {
	if way, ok := ctx.Value(wayKey{}).(string); ok {
		ask.Header.Set(contract.WayHeader, way)
	}
	p, ok := ctx.Value(principalKey{}).(contract.Principal)
	if !ok {
		return
	}
	js, _ := json.Marshal(p) // strings can be encoded
	ask.Header.Set(contract.PrincipalHeader, string(js))
}
