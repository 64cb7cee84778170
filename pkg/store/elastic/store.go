// Package elastic is the lexical store on Elasticsearch.
//
// Chunks of one generation lie in one index, <prefix>-<name>-000001, behind
// the alias <prefix>-<name>. Tokens come analysed and are joined by spaces in
// a field with the core analyzer "whitespace", under the BM25 parameters of
// package store, so that it ranks as the embedded store does, with three
// differences. Lucene keeps the length of a passage exactly up to 39 tokens
// and above that in 8 bits (an error of at most 12 %). Its scores are float32.
// And a deleted chunk stays in the statistics (N, n, avglen) until its segment
// is merged, which changes weights a little and never what is found.
//
// The mark is a document of the same index, so that it is restored together
// with the data; it has none of the fields that searches and counts ask for.
//
// The key or user needs the cluster privilege "monitor" and, on <prefix>-*,
// "read" and "view_index_metadata"; the indexer's needs "all" there.
package elastic

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/elastic/go-elasticsearch/v8"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// Store implements store.Lexical. It is safe for concurrent use, by several
// processes too.
type Store struct {
	cfg    Config
	where  string // the URLs, for messages
	alias  string
	client *elasticsearch.BaseClient
	http   *http.Transport
	closed atomic.Bool
	trust  trust
	routes atomic.Pointer[routes] // never nil once ready returned nil
	marks  marks
}

var _ store.Lexical = (*Store)(nil)

// New returns a store without asking the server anything: server and index
// are checked before they are first used, and again after trouble. Errors are
// InvalidRequest. The caller closes the store.
func New(cfg Config) (*Store, error) {
	if err := cfg.validate(); err != nil {
		return nil, err
	}
	cfg.Shards = max(cfg.Shards, 1)
	s := &Store{cfg: cfg, where: strings.Join(cfg.URLs, ", "), alias: cfg.alias(), trust: trust{turn: newTurn()}, marks: marks{turn: newTurn()}}
	s.http = &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConnsPerHost: 64, // queries run side by side; the default is 2
		IdleConnTimeout:     90 * time.Second,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if len(cfg.CA) > 0 {
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(cfg.CA) {
			return nil, document.Errorf(document.InvalidRequest, "the CA for Elasticsearch at %s holds no certificate: give it in PEM form", s.where)
		}
		s.http.TLSClientConfig.RootCAs = pool
	}
	client, err := elasticsearch.NewBaseClient(elasticsearch.Config{
		Addresses: cfg.URLs,
		APIKey:    cfg.APIKey,
		Username:  cfg.Username,
		Password:  cfg.Password,
		Transport: &wire{next: s.http, timeout: cfg.Timeout},
		// Whoever calls tries again, after it has looked at the mark: a retry
		// in here could write into an index that was exchanged meanwhile.
		DisableRetry:      true,
		DisableMetaHeader: true,
	})
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "set up the client of Elasticsearch at %s: %w", s.where, err)
	}
	s.client = client
	return s, nil
}

// Close releases connections. Everything applied is kept by the server.
func (s *Store) Close() error {
	if s.closed.Swap(true) {
		return nil
	}
	err := s.client.Close(context.Background())
	s.http.CloseIdleConnections()
	return err
}

func (s *Store) errClosed() error {
	return document.Errorf(document.Unavailable, "the store on index %s of Elasticsearch is closed: open it again", s.alias)
}
