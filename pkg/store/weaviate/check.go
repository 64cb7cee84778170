package weaviate

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
)

// minVersion is the oldest server that is accepted: the one whose types the
// client is made of.
var minVersion = version{1, 27}

type version [2]int

func (v version) String() string { return fmt.Sprintf("%d.%d.0", v[0], v[1]) }

// ready makes sure that the server and the class are what they should be. It
// asks only before the first use and after trouble.
func (s *Store) ready(ctx context.Context) error {
	if err := s.open(); err != nil {
		return err
	}
	if s.known.Load() {
		return nil
	}
	found, err := s.check(ctx)
	if err == nil && !found {
		return s.absent()
	}
	return err
}

// check checks the conditions, and reports whether there is a class.
func (s *Store) check(ctx context.Context) (found bool, err error) {
	if err := s.open(); err != nil {
		return false, err
	}
	known := s.known.Load()
	if !known {
		if err := s.checkServer(ctx); err != nil {
			return false, err
		}
	}
	var class *models.Class
	found, err = s.ask(ctx, "read the schema", func() (err error) {
		class, err = s.api.schema.ClassGetter().WithClassName(s.class).Do(ctx)
		return err
	})
	if err != nil || !found {
		s.known.Store(false)
		return false, err
	}
	if err := s.conforms(class); err != nil {
		s.known.Store(false)
		return false, err
	}
	s.copies.Store(1)
	if class.ReplicationConfig != nil {
		s.copies.Store(class.ReplicationConfig.Factor)
	}
	if !known {
		if err := s.checkResults(ctx); err != nil {
			return false, err
		}
		s.known.Store(true)
	}
	return true, nil
}

// checkServer checks what does not depend on the class.
func (s *Store) checkServer(ctx context.Context) error {
	meta, err := s.api.misc.MetaGetter().Do(ctx)
	if status, _ := unwrap(err); status == http.StatusBadRequest {
		return s.address.notWeaviate("it answers with status %d", status)
	}
	if err != nil {
		return s.failed(ctx, "read its version", err)
	}
	has, err := parseVersion(meta.Version)
	if err != nil {
		return s.address.notWeaviate("its version is %q", meta.Version)
	}
	if has[0] < minVersion[0] || has[0] == minVersion[0] && has[1] < minVersion[1] {
		return document.Errorf(document.VersionMismatch, "Weaviate at %s is %s: freshet needs %s or newer", s.address, meta.Version, minVersion)
	}
	if err := s.serving(ctx); err != nil {
		return err
	}
	nodes, err := s.api.cluster.NodesStatusGetter().Do(ctx)
	if status, _ := unwrap(err); status == http.StatusForbidden {
		s.async.Store(true) // Refresh has to know and will be refused; a key for queries need not be
		return nil
	}
	if err != nil {
		return s.failed(ctx, "read the state of its nodes", err)
	}
	s.async.Store(indexesLater(nodes))
	return nil
}

// serving checks that the server has all of its data at hand. While it starts
// it answers, but knows no object and no class.
func (s *Store) serving(ctx context.Context) error {
	ready, err := s.api.misc.ReadyChecker().Do(ctx)
	if err != nil {
		return s.failed(ctx, "say whether it is ready", err)
	}
	if !ready {
		s.known.Store(false)
		return document.Errorf(document.Unavailable, "Weaviate at %s is not ready: it is starting, or misses nodes", s.address)
	}
	return nil
}

// ask asks for something that may not be there. That it is not is believed of
// a server that says that it is ready before it is asked again.
func (s *Store) ask(ctx context.Context, doing string, get func() error) (found bool, err error) {
	for range 2 {
		err := get()
		if err == nil {
			return true, nil
		}
		if status, _ := unwrap(err); status != http.StatusNotFound {
			return false, s.failed(ctx, doing, err)
		}
		if err := s.serving(ctx); err != nil {
			return false, err
		}
	}
	return false, nil
}

// indexesLater reports whether a node may index vectors after it has answered
// (ASYNC_INDEXING): only one that does not tells the length of the queue that
// its writers wait for. A node that says nothing might.
func indexesLater(nodes *models.NodesStatusResponse) bool {
	for _, n := range nodes.Nodes {
		if n.BatchStats == nil || n.BatchStats.QueueLength == nil {
			return true
		}
	}
	return false
}

// makingLimit is how long a class that another creator is making is waited for:
// it is in the schema before there is anything to ask.
const makingLimit = 5 * time.Second

// beingMade reports whether an error says that of a class, or of the first one
// that the server has.
func beingMade(err error) bool {
	_, cause := unwrap(err)
	return cause != nil && (strings.Contains(cause.Error(), "non-existing index") || strings.Contains(cause.Error(), "no graphql provider"))
}

// checkResults checks that the server gives as many results as are asked for.
// The question has no answer, only a place that is too far away for less.
func (s *Store) checkResults(ctx context.Context) error {
	where := filters.Where().WithPath([]string{"id"}).WithOperator(filters.Equal).WithValueText(markID)
	for pause, waited := 10*time.Millisecond, time.Duration(0); ; pause, waited = 2*pause, waited+pause {
		answer, err := s.api.graphql.Get().WithClassName(s.class).WithFields(additional("id")).
			WithWhere(where).WithLimit(1).WithOffset(maxResults - 1).Do(ctx)
		refused := err != nil
		if !refused {
			err = wrong(answer)
		}
		switch {
		case err == nil:
			return nil
		case beingMade(err) && waited < makingLimit:
		case refused:
			return s.failed(ctx, "list objects", err)
		default:
			return document.Errorf(document.Unavailable, "Weaviate at %s does not give %d results: set its QUERY_MAXIMUM_RESULTS to that or more (%w)", s.address, maxResults, err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// again checks the conditions again.
func (s *Store) again(ctx context.Context) error {
	s.known.Store(false)
	return s.ready(ctx)
}

func parseVersion(text string) (version, error) {
	var v version
	major, rest, _ := strings.Cut(text, ".")
	minor, _, _ := strings.Cut(rest, ".")
	for i, part := range []string{major, minor} {
		n, err := strconv.Atoi(part)
		if err != nil {
			return v, err
		}
		v[i] = n
	}
	return v, nil
}
