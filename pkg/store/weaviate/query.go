package weaviate

import (
	"context"
	"errors"
	"strings"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/graphql"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
)

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
	answer, err := get.WithClassName(s.class).WithFields(fields...).Do(ctx)
	return s.rows(ctx, doing, "Get", answer, err)
}

// rows takes an answer apart.
func (s *Store) rows(ctx context.Context, doing, verb string, answer *models.GraphQLResponse, err error) ([]row, error) {
	if err != nil {
		return nil, s.unexpected(ctx, doing, err)
	}
	if err := wrong(answer); err != nil {
		if err := s.again(ctx); err != nil {
			return nil, err
		}
		return nil, document.Errorf(document.Unavailable, "Weaviate at %s fails to %s class %s: %w", s.address, doing, s.class, err)
	}
	classes, _ := answer.Data[verb].(map[string]any)
	list, ok := classes[s.class].([]any)
	if !ok {
		return nil, s.address.notWeaviate("it answers a query without a result")
	}
	rows := make([]row, len(list))
	for i, o := range list {
		rows[i], _ = o.(map[string]any)
	}
	return rows, nil
}

// wrong is what an answer says of a query that was not carried out.
func wrong(answer *models.GraphQLResponse) error {
	if len(answer.Errors) == 0 {
		return nil
	}
	var said []string
	for _, e := range answer.Errors {
		if e != nil {
			said = append(said, e.Message)
		}
	}
	return errors.New(strings.Join(said, "; "))
}
