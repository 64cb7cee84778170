package elastic

import (
	"context"
	"errors"
	"net/http"

	"github.com/freshet-dev/freshet/pkg/document"
)

// explain turns an error of do into one for the caller. Where server or index
// may have become another one, they are checked at once: what is wrong with
// them says more than the request that stumbled over it.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	var r *refusal
	if !errors.As(err, &r) {
		s.trust.doubt()
		return err
	}
	switch r.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusRequestEntityTooLarge:
		return s.sentence(r)
	}
	s.trust.doubt()
	if r.Status < http.StatusInternalServerError {
		if err := s.ready(ctx); err != nil {
			return err
		}
	}
	return s.sentence(r)
}

// sentence names the thing and the fix.
func (s *Store) sentence(r *refusal) error {
	switch r.Type {
	case "index_not_found_exception":
		return s.absent()
	case "cluster_block_exception":
		return document.Errorf(document.Unavailable, "index %s of Elasticsearch at %s is blocked: free disk space or lift the block: %w", s.alias, s.where, r)
	case "index_closed_exception":
		return document.Errorf(document.Unavailable, "index %s of Elasticsearch at %s is closed: open it with POST /%s/_open", s.alias, s.where, s.alias)
	case "search_context_missing_exception":
		return document.Errorf(document.Unavailable, "Elasticsearch at %s lost the listing of index %s, as at a restart: list again", s.where, s.alias)
	case "too_many_clauses", "too_many_nested_clauses":
		return document.Errorf(document.InvalidRequest, "the query has more words than Elasticsearch at %s takes: shorten it: %w", s.where, r)
	}
	switch {
	case r.Status == http.StatusUnauthorized && s.cfg.APIKey == "" && s.cfg.Username == "":
		return document.Errorf(document.Unauthorized, "Elasticsearch at %s asks for credentials: set an API key, or username and password", s.where)
	case r.Status == http.StatusUnauthorized:
		return document.Errorf(document.Unauthorized, "Elasticsearch at %s does not accept the credentials: correct the API key, or username and password", s.where)
	case r.Status == http.StatusForbidden:
		return document.Errorf(document.Forbidden, "Elasticsearch at %s forbids it: grant \"monitor\" on the cluster and \"all\" on the indices %s-*: %w", s.where, s.cfg.Prefix, r)
	case r.Status == http.StatusTooManyRequests:
		return document.Errorf(document.RateLimited, "Elasticsearch at %s is overloaded: send less or give it more memory: %w", s.where, r)
	case r.Status == http.StatusRequestEntityTooLarge:
		return document.Errorf(document.TooLarge, "a request is larger than Elasticsearch at %s takes: raise its http.max_content_length: %w", s.where, r)
	case r.Status >= http.StatusInternalServerError:
		return document.Errorf(document.Unavailable, "Elasticsearch at %s has trouble with index %s: see its log: %w", s.where, s.alias, r)
	}
	return document.Errorf(document.Internal, "Elasticsearch at %s refuses a request for index %s: %w", s.where, s.alias, r)
}

func (s *Store) absent() error {
	return document.Errorf(document.Unavailable, "Elasticsearch at %s has no index %s: the indexer creates it: is it running?", s.where, s.alias)
}
