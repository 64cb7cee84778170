package weaviate

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

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
		return s.notWeaviate("it answers with status %d", status)
	}
	if err != nil {
		return s.failed(ctx, "read its version", err)
	}
	has, err := parseVersion(meta.Version)
	if err != nil {
		return s.notWeaviate("its version is %q", meta.Version)
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

// checkResults checks that the server gives as many results as are asked for.
// The question has no answer, only a place that is too far away for less.
func (s *Store) checkResults(ctx context.Context) error {
	where := filters.Where().WithPath([]string{"id"}).WithOperator(filters.Equal).WithValueText(markID)
	answer, err := s.api.graphql.Get().WithClassName(s.class).WithFields(additional("id")).
		WithWhere(where).WithLimit(1).WithOffset(maxResults - 1).Do(ctx)
	if err != nil {
		return s.failed(ctx, "list objects", err)
	}
	if err := wrong(answer); err != nil {
		return document.Errorf(document.Unavailable, "Weaviate at %s does not give %d results: set its QUERY_MAXIMUM_RESULTS to that or more (%w)", s.address, maxResults, err)
	}
	return nil
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
