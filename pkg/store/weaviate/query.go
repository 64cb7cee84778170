package weaviate

import (
	"context"
	"errors"
	"strings"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
)

// refusal is a query that the server understood to be wrong, or could not
// carry out.
type refusal struct{ words string }

func (r *refusal) Error() string { return r.words }

// row is an object of an answer.
type row map[string]any

func (r row) text(property string) string { text, _ := r[property].(string); return text }

func (r row) additional(name string) any {
	all, _ := r["_additional"].(map[string]any)
	return all[name]
}

func (r row) id() (id document.ChunkID, err error) {
	text, _ := r.additional("id").(string)
	return id, id.UnmarshalText([]byte(text))
}

func (r row) distance() float64 { d, _ := r.additional("distance").(float64); return d }

func fields(names ...string) []graphql.Field {
	out := make([]graphql.Field, len(names))
	for i, name := range names {
		out[i].Name = name
	}
	return out
}

func additional(names ...string) graphql.Field {
	return graphql.Field{Name: "_additional", Fields: fields(names...)}
}

// list returns the objects of the class that match.
func (s *Store) list(ctx context.Context, doing string, get *graphql.GetBuilder, fields []graphql.Field) ([]row, error) {
	rows, err := s.get(ctx, doing, get, fields)
	return rows, s.explained(ctx, doing, err)
}

// get is list, whose error may be a refusal.
func (s *Store) get(ctx context.Context, doing string, get *graphql.GetBuilder, fields []graphql.Field) ([]row, error) {
	answer, err := get.WithClassName(s.class).WithFields(fields...).Do(ctx)
	return s.rows(ctx, doing, "Get", answer, err)
}

// rows takes an answer apart.
func (s *Store) rows(ctx context.Context, doing, verb string, answer *models.GraphQLResponse, err error) ([]row, error) {
	if err != nil {
		return nil, s.failed(ctx, doing, err)
	}
	if len(answer.Errors) > 0 {
		s.known.Store(false)
		var words []string
		for _, e := range answer.Errors {
			words = append(words, e.Message)
		}
		return nil, &refusal{strings.Join(words, "; ")}
	}
	classes, _ := answer.Data[verb].(map[string]any)
	list, ok := classes[s.class].([]any)
	if !ok {
		return nil, s.notWeaviate("it answers a query without a result")
	}
	rows := make([]row, len(list))
	for i, o := range list {
		rows[i], _ = o.(map[string]any)
	}
	return rows, nil
}

// explained finds out what a refusal comes from.
func (s *Store) explained(ctx context.Context, doing string, err error) error {
	var refused *refusal
	if !errors.As(err, &refused) {
		return err
	}
	if err := s.again(ctx); err != nil {
		return err
	}
	return document.Errorf(document.Unavailable, "Weaviate at %s cannot %s class %s: %w", s.address, doing, s.class, err)
}

// again checks the conditions again.
func (s *Store) again(ctx context.Context) error {
	s.known.Store(false)
	return s.ready(ctx)
}
