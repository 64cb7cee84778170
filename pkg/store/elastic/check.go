package elastic

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
)

// MinVersion is the oldest server that is accepted. Everything used here is
// older; it is the version that Elastic's serverless offer names, and the
// ones before it are no longer mended.
const MinVersion = "8.11"

// check asks who answers and what lies behind the alias. found is false where
// there is no index yet.
func (s *Store) check(ctx context.Context) (found bool, err error) {
	n := s.trust.since()
	if err := s.checkServer(ctx); err != nil {
		return false, err
	}
	indices, err := s.indices(ctx)
	if err != nil || len(indices) == 0 {
		return false, err
	}
	name, err := s.checkIndices(indices)
	if err != nil {
		return false, err
	}
	if err := s.findRoutes(ctx, name, indices[name]); err != nil {
		return false, err
	}
	s.trust.confirm(n)
	return true, nil
}

func (s *Store) checkServer(ctx context.Context) error {
	var banner struct {
		Version struct{ Number string }
	}
	if err := s.do(ctx, esapi.InfoRequest{}, &banner); err != nil {
		return s.plain(err)
	}
	if !atLeast(banner.Version.Number, MinVersion) {
		return tooOld(s.where, banner.Version.Number)
	}
	return nil
}

func tooOld(where, number string) error {
	return document.Errorf(document.VersionMismatch, "Elasticsearch at %s is %s: freshet needs %s or newer", where, number, MinVersion)
}

// atLeast compares major and minor numbers.
func atLeast(version, least string) bool {
	return slices.Compare(majorMinor(version), majorMinor(least)) >= 0
}

func majorMinor(version string) []int {
	out := make([]int, 2)
	for i, part := range strings.SplitN(version, ".", 3)[:min(2, strings.Count(version, ".")+1)] {
		out[i], _ = strconv.Atoi(part) // not a number: older than anything
	}
	return out
}

// index is what the server tells of one.
type index struct {
	Aliases  map[string]map[string]any `json:"aliases"`
	Mappings map[string]any            `json:"mappings"`
	Settings map[string]string         `json:"settings"` // flat
}

// indices returns what the alias, or an index of its name, leads to.
func (s *Store) indices(ctx context.Context) (map[string]index, error) {
	flat := true
	var out map[string]index
	err := s.do(ctx, esapi.IndicesGetRequest{Index: []string{s.alias}, FlatSettings: &flat}, &out)
	var r *refusal
	if errors.As(err, &r) && r.Status == http.StatusNotFound {
		return nil, nil
	}
	return out, s.plain(err)
}

// plain turns an error of do into a sentence without another look at the
// server.
func (s *Store) plain(err error) error {
	var r *refusal
	if errors.As(err, &r) {
		return s.sentence(r)
	}
	return err
}

// checkIndices returns the name of the one index that is as it should be.
func (s *Store) checkIndices(indices map[string]index) (string, error) {
	names := sortedKeys(indices)
	if len(names) > 1 {
		return "", document.Errorf(document.IdentityMismatch, "the alias %s of Elasticsearch at %s leads to %s: leave it on one of them",
			s.alias, s.where, strings.Join(names, " and "))
	}
	name := names[0]
	if name == s.alias {
		return "", document.Errorf(document.IdentityMismatch, "%s of Elasticsearch at %s is an index where freshet has an alias, so somebody else made it: delete it, then freshet makes its own and fills it from the log",
			s.alias, s.where)
	}
	if what := difference(s.alias, indices[name]); what != "" {
		return "", document.Errorf(document.IdentityMismatch, "index %s of Elasticsearch at %s has %s: undo that, or delete the index and it is filled again from the log",
			name, s.where, what)
	}
	return name, nil
}
