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
	cache    *lru.Cache[string, Answer]
}

// Answer is the vector of a query, the zero Vector where the embedder knows no token of it.
type Answer struct {
	embed.Vector
	// Background is zero where nobody has asked for it.
	Background contract.Background
}

// New returns a Source for an embedder of the given identity ("": any) that
// waits at most deadline for an answer and remembers up to entries vectors.
func New(nc *nats.Conn, identity string, deadline time.Duration, entries int) *Source {
	return &Source{nc: nc, identity: identity, deadline: deadline, cache: lru.New[string, Answer](int64(entries))}
}

// Identity is that of the embedder; "" for any.
func (s *Source) Identity() string { return s.identity }

// Vector returns the vector of a query, with its background where that is asked for. An
// error says in one sentence why there is none.
func (s *Source) Vector(ctx context.Context, text string, background bool) (Answer, error) {
	if a, ok := s.cache.Get(text); ok && (!background || a.Background != (contract.Background{})) {
		return a, nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.deadline)
	defer cancel()
	reply, err := client.Embed.Ask(ctx, s.nc, contract.EmbedRequest{Text: text, Identity: s.identity, Background: background})
	var typed *document.Error
	switch {
	case errors.As(err, &typed) && typed.Kind == document.Deadline:
		return Answer{}, document.Errorf(document.Deadline, "the embedder did not answer within %s", s.deadline)
	case rpc.Nobody(err):
		return Answer{}, document.Errorf(document.Unavailable, "no embedder answers on %s", contract.SubjectEmbed)
	case err != nil:
		return Answer{}, fmt.Errorf("the embedder has no vector: %w", err)
	}
	if s.identity != "" && reply.Identity != s.identity {
		return Answer{}, document.Errorf(document.IdentityMismatch, "the embedder is %s, the index was built with %s", reply.Identity, s.identity)
	}
	if len(reply.Data) != 0 && len(reply.Data) != reply.Dims {
		return Answer{}, document.Errorf(document.Internal, "the embedder sent %d bytes for %d dimensions", len(reply.Data), reply.Dims)
	}
	a := Answer{Vector: embed.Vector{Scale: reply.Scale}}
	if reply.Background != nil {
		a.Background = *reply.Background
	}
	if len(reply.Data) > 0 {
		// The bytes are the reply's own; int8 and byte have one layout.
		a.Data = unsafe.Slice((*int8)(unsafe.Pointer(&reply.Data[0])), len(reply.Data))
	}
	s.cache.Put(text, a, 1)
	return a, nil
}
