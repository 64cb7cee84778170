package open

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"os"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/elastic"
	"github.com/freshet-dev/freshet/pkg/store/weaviate"
)

func (o Options) elastic(g document.Generation) (store.Lexical, error) {
	c := o.Elasticsearch
	ca, err := readCA("elasticsearch.ca", c.CA)
	if err != nil {
		return nil, err
	}
	return elastic.New(elastic.Config{
		URLs: c.URLs, APIKey: c.APIKey.Reveal(), Username: c.Username, Password: c.Password.Reveal(), CA: ca,
		Prefix: c.Prefix, Name: string(g) + "-" + o.analyzerTag(), Shards: c.Shards, Replicas: c.Replicas, Timeout: c.Timeout,
	})
}

func (o Options) weaviate(g document.Generation) (store.Vector, error) {
	c := o.Weaviate
	ca, err := readCA("weaviate.ca", c.CA)
	if err != nil {
		return nil, err
	}
	return weaviate.New(weaviate.Config{
		URL: c.URL, APIKey: c.APIKey.Reveal(), CA: ca,
		Prefix: c.Prefix, Name: string(g), Dims: o.dims(g), Replicas: c.Replicas, Timeout: c.Timeout,
	})
}

// analyzerTag stands for the analyzer in names: the tokens of a lexical store
// depend on it, so another one finds an empty store.
func (o Options) analyzerTag() string {
	sum := sha256.Sum256([]byte(o.Analyzer))
	return hex.EncodeToString(sum[:4])
}

func readCA(key, file string) ([]byte, error) {
	if file == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(file)
	if err != nil {
		return nil, document.Errorf(document.InvalidRequest, "%s names a file that cannot be read: %w", key, err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(pem) {
		return nil, document.Errorf(document.InvalidRequest, "%s: %s holds no certificate: name a PEM file with the authority's", key, file)
	}
	return pem, nil
}

// Drop removes what servers hold of generations that a build had. Embedded stores
// are removed by RemoveUnused.
func (o Options) Drop(ctx context.Context, b contract.Build, generations []document.Generation) error {
	o.Analyzer, o.Dims = b.Analyzer, dimsOf(b)
	for _, g := range generations {
		var errs []error
		if o.Stores.Lexical == config.OnElasticsearch {
			errs = append(errs, dropped(ctx, func() (store.Store, error) { return o.elastic(g) }))
		}
		if o.Stores.Vector == config.OnWeaviate {
			errs = append(errs, dropped(ctx, func() (store.Store, error) { return o.weaviate(g) }))
		}
		if err := errors.Join(errs...); err != nil {
			return fmt.Errorf("remove the stores of %s: %w", g, err)
		}
	}
	return nil
}

// DropTokens removes what servers hold of generations that depends on the analyzer
// that a build had: it may be another than today's.
func (o Options) DropTokens(ctx context.Context, b contract.Build, generations []document.Generation) error {
	o.Stores.Vector = config.Embedded // which no server holds
	return o.Drop(ctx, b, generations)
}

func dropped(ctx context.Context, open func() (store.Store, error)) error {
	s, err := open()
	if err != nil {
		return err
	}
	return errors.Join(s.Drop(ctx), s.Close())
}
