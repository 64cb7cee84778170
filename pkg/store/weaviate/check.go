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
	class, err := s.api.schema.ClassGetter().WithClassName(s.class).Do(ctx)
	if status, _ := unwrap(err); status == http.StatusNotFound {
		s.known.Store(false)
		return false, nil
	}
	if err != nil {
		return false, s.failed(ctx, "read the schema", err)
	}
	if err := s.conforms(class); err != nil {
		s.known.Store(false)
		return false, err
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
