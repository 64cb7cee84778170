package siege

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest/shipped"
	"github.com/freshet-dev/freshet/pkg/client"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/rollout"
	"github.com/freshet-dev/freshet/pkg/store/open"
)

// workers is how many processes there are of each service but the watcher, of
// which a deployment has one.
const workers = 3

// teamServices are the services of a team's deployment.
var teamServices = []string{"watcher", "chunker", "embedder", "indexer", "query"}

// staff makes a deployment of processes of each service over the NATS server of
// docker-compose.yml and real stores. Each process has the login and the
// rights of its service.
func (r *round) staff(g ground) (*deployment, error) {
	nats, err := shipped.Start(r.cfg.NATSConfig, logOf(g.data))
	if err != nil {
		return nil, err
	}
	d := &deployment{log: g.log, url: nats.URL(), ready: r.answers, close: func() error { nats.Close(); return nil }}
	d.login = func(user string) (bus.Remote, error) {
		if user == bus.UserServices {
			user = shipped.Everything
		}
		return nats.Login(user), nil
	}
	stores, err := r.shared(g, d.url)
	if err != nil {
		nats.Close()
		return nil, err
	}
	d.close = func() error {
		defer nats.Close()
		return drop(stores)
	}
	for _, service := range teamServices {
		login := nats.Login(service)
		p := member{
			program: filepath.Join(r.cfg.Services, service), log: g.log, args: []string{"--config", g.settings},
			env: append(slices.Clone(g.env), config.Variable("nats.user")+"="+login.User, config.Variable("nats.password")+"="+login.Password,
				config.Variable("query.channel_deadline")+"=20s", config.Variable("query.embed_deadline")+"=10s"),
		}
		n := workers
		if service == "watcher" {
			n = 1
		}
		for i := range n {
			one := p
			one.name = fmt.Sprintf("%s %d", service, i+1)
			d.members = append(d.members, &one)
		}
	}
	return d, nil
}

// shared adds to a round's settings where the servers are, and opens the stores
// there, under names of their own: others may use the servers, too.
func (r *round) shared(g ground, url string) (open.Stores, error) {
	var b strings.Builder
	name := fmt.Sprintf("s%x", time.Now().UnixNano())
	fmt.Fprintf(&b, "data: %s\nnats: {url: %s}\nstores: {lexical: elasticsearch, vector: weaviate}\n", g.data, url)
	fmt.Fprintf(&b, "elasticsearch: {urls: ['%s'], prefix: %s}\nweaviate: {url: %s, prefix: %s}\n", r.cfg.ElasticURL, name, r.cfg.WeaviateURL, strings.ToUpper(name[:1])+name[1:])
	b.WriteString("sources:\n")
	for _, source := range g.sources {
		fmt.Fprintf(&b, "  - {root: %s, name: %s}\n", g.roots[source], source)
	}
	f, err := os.OpenFile(g.settings, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteString(b.String())
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	cfg, err := config.Load(g.settings)
	if err != nil {
		return nil, err
	}
	_, build, err := rollout.Resolved(cfg)
	if err != nil {
		return nil, err
	}
	return open.Open(open.FromConfig(cfg, build))
}

// dropWithin is how long the servers may take to forget a round.
const dropWithin = time.Minute

// drop takes what a round wrote out of the servers.
func drop(stores open.Stores) error {
	ctx, cancel := context.WithTimeout(context.Background(), dropWithin)
	defer cancel()
	var err error
	for _, sinks := range stores {
		err = errors.Join(err, sinks.Lexical.Drop(ctx), sinks.Vector.Drop(ctx))
	}
	return errors.Join(err, stores.Close())
}

// answers waits until a query service says that everything is ready.
func (r *round) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	if r.bus == nil {
		if err := r.connect(ctx); err != nil {
			return err
		}
	}
	for {
		rep, err := client.Status.Ask(ctx, r.bus.Conn(), client.None)
		if err == nil && rep.Ready {
			return nil
		}
		if err != nil && document.KindOf(err) != document.Unavailable && document.KindOf(err) != document.Deadline {
			return fmt.Errorf("the services are not ready: %w", err)
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-ctx.Done():
			return fmt.Errorf("the services were not ready after %s: %+v", readyWithin, rep)
		}
		if err := r.dep.fallen(); err != nil {
			return err
		}
	}
}
