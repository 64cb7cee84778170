package weaviate

import (
	"context"
	"net/http"
	"strconv"

	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// markID is the object that holds the mark. No chunk has it: theirs are of
// UUID version 5.
const markID = "00000000-0000-4000-8000-000000000001"

// Mark implements store.Store. Errors: those of the conditions.
func (s *Store) Mark(ctx context.Context) (store.Mark, error) {
	found, err := s.check(ctx)
	if err != nil || !found {
		return store.Mark{}, err
	}
	return s.readMark(ctx)
}

// PeekMark implements store.Store: one request, of which the conditions are no
// part.
func (s *Store) PeekMark(ctx context.Context) (store.Mark, error) {
	if err := s.ready(ctx); err != nil {
		return store.Mark{}, err
	}
	return s.readMark(ctx)
}

func (s *Store) readMark(ctx context.Context) (store.Mark, error) {
	held, err := s.markObject(ctx)
	if err != nil || held == nil {
		return store.Mark{}, err
	}
	id, _ := held[propStore].(string)
	text, _ := held[propPosition].(string)
	position, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return store.Mark{}, nil //nolint:nilerr // A mark that was changed by hand is a lost one.
	}
	return store.Mark{ID: id, Position: position}, nil
}

// markObject returns the properties of the mark; nil when there is none.
func (s *Store) markObject(ctx context.Context) (map[string]any, error) {
	var objects []*models.Object
	found, err := s.ask(ctx, "read the mark", func() (err error) {
		objects, err = s.api.data.ObjectsGetter().WithClassName(s.class).WithID(markID).WithConsistencyLevel(someReplicas).Do(ctx)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	held, _ := objects[0].Properties.(map[string]any)
	return held, nil
}

// SetMark implements store.Store. Of two that create the class at once, one
// does and the other takes it.
func (s *Store) SetMark(ctx context.Context, m store.Mark) error {
	found, err := s.check(ctx)
	if err != nil {
		return err
	}
	if !found {
		err := s.api.schema.ClassCreator().WithClass(s.definition()).Do(ctx)
		status, cause := unwrap(err)
		if err != nil && status != http.StatusUnprocessableEntity {
			return s.failed(ctx, "create class "+s.class, err)
		}
		found, err = s.check(ctx)
		if err != nil {
			return err
		}
		if !found {
			return document.Errorf(document.InvalidRequest, "Weaviate at %s refuses to create class %s with %d replicas: %w", s.address, s.class, s.replicas, cause)
		}
	}
	_, err = s.write(ctx, []*models.Object{s.object(markID, map[string]any{
		propStore: m.ID, propPosition: strconv.FormatUint(m.Position, 10),
	})})
	return err
}
