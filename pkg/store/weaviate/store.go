// Package weaviate is the vector store on a Weaviate server.
//
// A store is a class. Its objects carry the chunk's id, its vector as
// float32, what a hit shows, and one list of exact terms that filters look at.
// The mark is an object of the same class, without a vector: whatever deletes,
// copies or restores the class takes the mark along.
//
// The index is HNSW, which is approximate: how many of the true best ten it
// finds is measured by this package's tests. Searches bring at most 10,000
// hits, which is what a server gives unless told otherwise.
//
// What Refresh has returned for outlives the server's process. The server does
// not sync its files at each write, so a machine that loses power may come back
// with objects that its graph has lost, which nothing tells: then delete the
// class, and it is filled again from the log.
//
// The server's automatic schema may stay on: every object has a property that
// it can make no class of, so a class that was deleted is not made again by a
// write that comes too late.
package weaviate

import (
	"context"
	"crypto/tls"
	"net/http"
	"runtime"
	"sync/atomic"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/batch"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/cluster"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/connection"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/data"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/db"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/misc"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/schema"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Store implements store.Vector. It is safe for concurrent use.
type Store struct {
	class     string
	address   address
	dims      int
	replicas  int
	hasKey    bool
	transport *http.Transport
	api       api

	closed atomic.Bool
	known  atomic.Bool  // the conditions were met since the last trouble
	async  atomic.Bool  // the server indexes vectors after it has answered
	copies atomic.Int64 // replicas that the class has
}

var _ store.Vector = (*Store)(nil)

// api are the parts of the client that are used.
type api struct {
	batch   *batch.API
	cluster *cluster.API
	data    *data.API
	graphql *graphql.API
	misc    *misc.API
	schema  *schema.API
}

// New returns the store without talking to the server. Its conditions are
// checked before the first use, after every trouble, and with every Mark.
// Errors: document.InvalidRequest. The caller closes the store.
func New(cfg Config) (*Store, error) {
	u, err := cfg.validate()
	if err != nil {
		return nil, err
	}
	pool, err := cfg.pool()
	if err != nil {
		return nil, err
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	transport.MaxIdleConnsPerHost = 16 // searches and writers at once, without a new connection for each
	client := &http.Client{
		Transport: transport,
		Timeout:   cfg.Timeout,
		// A server that sends elsewhere is not the one that was meant; nor
		// should the key follow.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	headers := map[string]string{}
	if cfg.APIKey != "" {
		headers["Authorization"] = "Bearer " + cfg.APIKey
	}
	// The client is put together here because its own constructor talks to
	// the server.
	con := connection.NewConnection(u.Scheme, u.Host+u.Path, client, cfg.Timeout, headers)
	// Its finalizer waits for ever for a token refresher that only OIDC has,
	// and would hold up every other finalizer of the process.
	runtime.SetFinalizer(con, nil)
	// The paths that the client uses are those of any version since 1.14.
	version := db.NewVersionProvider(func() string { return minVersion.String() })
	paths := db.NewDBVersionSupport(version)
	return &Store{
		class:     ClassName(cfg.Prefix, cfg.Name),
		address:   address(u.String()),
		dims:      cfg.Dims,
		replicas:  max(1, cfg.Replicas),
		hasKey:    cfg.APIKey != "",
		transport: transport,
		api: api{
			batch:   batch.New(con, nil, paths),
			cluster: cluster.New(con),
			data:    data.New(con, paths),
			graphql: graphql.New(con),
			misc:    misc.New(con, version),
			schema:  schema.New(con),
		},
	}, nil
}

// Drop implements store.Store.
func (s *Store) Drop(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	s.known.Store(false)
	return s.failed(ctx, "delete the class", s.api.schema.ClassDeleter().WithClassName(s.class).Do(ctx))
}

// Close implements store.Store.
func (s *Store) Close() error {
	s.closed.Store(true)
	s.transport.CloseIdleConnections()
	return nil
}

func (s *Store) open() error {
	if s.closed.Load() {
		return document.Errorf(document.Unavailable, "the store in class %s of Weaviate is closed", s.class)
	}
	return nil
}
