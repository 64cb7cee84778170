package elastic

import (
	"context"
	"encoding/json"
	"iter"
	"time"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

const (
	// idPage is how many ids a request brings.
	idPage = 5000
	// idKeep is how long the server keeps a listing for the next request.
	idKeep = "5m"
)

type idAnswer struct {
	PIT  string `json:"pit_id"`
	Hits struct {
		Hits []struct {
			Fields values          `json:"fields"`
			Sort   json.RawMessage `json:"sort"`
		} `json:"hits"`
	} `json:"hits"`
}

// IDs implements store.Store. A listing of everything reads from one point in
// time, which the server keeps for five minutes between two pages.
func (s *Store) IDs(ctx context.Context, scope store.Scope) iter.Seq2[store.Ref, error] {
	return func(yield func(store.Ref, error) bool) {
		if err := s.list(ctx, scope, yield); err != nil {
			yield(store.Ref{}, err)
		}
	}
}

// list calls yield until it wants no more.
func (s *Store) list(ctx context.Context, scope store.Scope, yield func(store.Ref, error) bool) error {
	whole := false
	body := object{
		"size":             idPage,
		"track_total_hits": false,
		"stored_fields":    "_none_",
		"docvalue_fields":  []string{fieldID, fieldSource, fieldDoc},
	}
	request := func() esapi.SearchRequest { return esapi.SearchRequest{Body: jsonBody(body)} }
	if scope == (store.Scope{}) {
		pit, err := s.openPIT(ctx)
		if err != nil {
			return err
		}
		point := object{"id": pit, "keep_alive": idKeep}
		defer func() { s.closePIT(ctx, point["id"].(string)) }()
		body["query"], body["sort"], body["pit"] = exists(fieldID), []string{"_shard_doc"}, point
	} else {
		// One document has few chunks, mostly one page, and in the order of
		// ids none comes twice: no point in time to open and close.
		filter := []object{exists(fieldID), {"term": object{fieldSource: scope.Source}}, {"term": object{fieldDoc: scope.Doc}}}
		body["query"], body["sort"] = object{"bool": object{"filter": filter}}, []string{fieldID}
		request = func() esapi.SearchRequest {
			return esapi.SearchRequest{Index: []string{s.alias}, Body: jsonBody(body), AllowPartialSearchResults: &whole}
		}
	}
	for {
		var answer idAnswer
		if err := s.call(ctx, request(), &answer); err != nil {
			return err
		}
		hits := answer.Hits.Hits
		for _, h := range hits {
			ref := store.Ref{Source: document.Source(h.Fields.one(fieldSource)), Doc: document.DocID(h.Fields.one(fieldDoc))}
			if err := ref.ID.UnmarshalText([]byte(h.Fields.one(fieldID))); err != nil {
				return s.unknownForm(err)
			}
			if !yield(ref, nil) {
				return nil
			}
		}
		if len(hits) < idPage {
			return nil
		}
		body["search_after"] = hits[len(hits)-1].Sort
		if point, ok := body["pit"].(object); ok && answer.PIT != "" {
			point["id"] = answer.PIT
		}
	}
}

func (s *Store) openPIT(ctx context.Context) (string, error) {
	var pit struct {
		ID string `json:"id"`
	}
	err := s.call(ctx, esapi.OpenPointInTimeRequest{Index: []string{s.alias}, KeepAlive: idKeep}, &pit)
	return pit.ID, err
}

// closePIT lets the server forget a listing; failing that it does so by
// itself.
func (s *Store) closePIT(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = s.do(ctx, esapi.ClosePointInTimeRequest{Body: jsonBody(object{"id": id})}, nil)
}
