// Package queryvector gets the vectors of queries from the embedder, by
// request and reply, so that a model lives in one place.
package queryvector

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unsafe"

	"github.com/nats-io/nats.go"

	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/rpc"
	"github.com/freshet-dev/freshet/services/query/internal/lru"
)

// Source asks for vectors and remembers the last ones. It is safe for
// concurrent use.
type Source struct {
	nc       *nats.Conn
	identity string
	deadline time.Duration
	cache    *lru.Cache[string, embed.Vector]
}

// New returns a Source for an embedder of the given identity ("": any) that
// waits at most deadline for an answer and remembers up to entries vectors.
func New(nc *nats.Conn, identity string, deadline time.Duration, entries int) *Source {
	return &Source{nc: nc, identity: identity, deadline: deadline, cache: lru.New[string, embed.Vector](int64(entries))}
}

// Vector returns the vector of a query, the zero Vector where the embedder
// knows no token of it. An error says in one sentence why there is none.
func (s *Source) Vector(ctx context.Context, text string) (embed.Vector, error) {
	if v, ok := s.cache.Get(text); ok {
		return v, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	reply, err := client.Embed.Ask(ctx, s.nc, contract.EmbedRequest{Text: text, Identity: s.identity})
	var typed *document.Error
	switch {
	case errors.As(err, &typed) && typed.Kind == document.Deadline:
		return embed.Vector{}, document.Errorf(document.Deadline, "the embedder did not answer within %s", s.deadline)
	case rpc.Nobody(err):
		return embed.Vector{}, document.Errorf(document.Unavailable, "no embedder answers on %s", contract.SubjectEmbed)
	case err != nil:
		return embed.Vector{}, fmt.Errorf("the embedder has no vector: %w", err)
	}
	if s.identity != "" && reply.Identity != s.identity {
		return embed.Vector{}, document.Errorf(document.IdentityMismatch, "the embedder is %s, the index was built with %s", reply.Identity, s.identity)
	}
	if len(reply.Data) != 0 && len(reply.Data) != reply.Dims {
		return embed.Vector{}, document.Errorf(document.Internal, "the embedder sent %d bytes for %d dimensions", len(reply.Data), reply.Dims)
	}
	v := embed.Vector{Scale: reply.Scale}
	if len(reply.Data) > 0 {
		// The bytes are the reply's own; int8 and byte have one layout.
		v.Data = unsafe.Slice((*int8)(unsafe.Pointer(&reply.Data[0])), len(reply.Data))
	}
	s.cache.Put(text, v, 1)
	return v, nil
}
