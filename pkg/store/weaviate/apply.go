package weaviate

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/go-openapi/strfmt"
	"github.com/weaviate/weaviate-go-client/v4/weaviate/filters"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed"
	"github.com/freshet-dev/freshet/pkg/store"
)

const (
	// putObjects are written by one request: 500 of 256 dimensions are 2 MB
	// of JSON, and more of them at once are not faster.
	putObjects = 500
	// deleteIDs are deleted by one request; the server looks each up.
	deleteIDs = 1000
	// With allReplicas a write is done when every replica has it, so that any
	// of them may answer; see everywhere. The mark is read from most of them.
	allReplicas  = "ALL"
	someReplicas = "QUORUM"
)

// Apply implements store.Vector. Entries whose vector is zero or has another
// length are refused with document.InvalidRequest.
func (s *Store) Apply(ctx context.Context, batch store.VectorBatch) (store.Result, error) {
	if err := s.ready(ctx); err != nil {
		return store.Result{}, err
	}
	result := store.Result{Put: make([]error, len(batch.Put)), Delete: make([]error, len(batch.Delete))}
	var objects []*models.Object
	var at []int // where in the batch each object stands
	for i, e := range batch.Put {
		if result.Put[i] = s.fits(e.Vector); result.Put[i] == nil {
			objects, at = append(objects, s.passage(e)), append(at, i)
		}
	}
	for from := 0; from < len(objects); from += putObjects {
		to := min(from+putObjects, len(objects))
		errs, err := s.put(ctx, objects[from:to])
		if err != nil {
			return store.Result{}, err
		}
		for i, err := range errs {
			result.Put[at[from+i]] = err
		}
	}
	for from := 0; from < len(batch.Delete); from += deleteIDs {
		to := min(from+deleteIDs, len(batch.Delete))
		ids := make([]string, to-from)
		for i, id := range batch.Delete[from:to] {
			ids[i] = id.String()
		}
		errs, err := s.delete(ctx, ids)
		if err != nil {
			return store.Result{}, err
		}
		copy(result.Delete[from:to], errs)
	}
	if err := s.everywhere(ctx); err != nil {
		return store.Result{}, err
	}
	return result, nil
}

func (s *Store) fits(v embed.Vector) error {
	if len(v.Data) != s.dims {
		return document.Errorf(document.InvalidRequest, "a vector has %d values and the store's have %d: use the embedder that the store was built with", len(v.Data), s.dims)
	}
	if scale := float64(v.Scale); !(math.Abs(scale)*-math.MinInt8 <= math.MaxFloat32) { // NaN compares false
		return document.Errorf(document.InvalidRequest, "a vector has the scale %g: its values must be finite", scale)
	}
	return nil
}

// values are those of a vector as the server takes them.
func values(v embed.Vector) []float32 {
	out := make([]float32, len(v.Data))
	for i, x := range v.Data {
		out[i] = float32(x) * v.Scale
	}
	return out
}

func (s *Store) passage(e store.VectorEntry) *models.Object {
	o := s.object(e.ID.String(), map[string]any{
		propTerms: termsOf(e.Attrs), propSource: e.Attrs.Source, propDoc: e.Attrs.Doc, propPath: e.Attrs.Path,
		propLanguage: e.Attrs.Language, propKind: e.Attrs.Kind, propSymbol: e.Attrs.Symbol,
	})
	o.Vector = values(e.Vector)
	return o
}

func (s *Store) object(id string, properties map[string]any) *models.Object {
	properties[propGuard] = struct{}{}
	return &models.Object{Class: s.class, ID: strfmt.UUID(id), Properties: properties}
}

// put writes passages, and returns an error for each. An object that is there
// already is deleted first: the server leaves an unchanged one alone, although
// its vector is lost if the server was killed before it wrote its index down.
func (s *Store) put(ctx context.Context, objects []*models.Object) ([]error, error) {
	ids := make([]string, len(objects))
	for i, o := range objects {
		ids[i] = o.ID.String()
	}
	errs, err := s.delete(ctx, ids)
	if err == nil {
		err = cmp.Or(errs...)
	}
	if err != nil {
		return nil, err
	}
	return s.write(ctx, objects)
}

// write writes objects, and returns an error for each.
func (s *Store) write(ctx context.Context, objects []*models.Object) ([]error, error) {
	answer, err := s.api.batch.ObjectsBatcher().WithObjects(objects...).WithConsistencyLevel(allReplicas).Do(ctx)
	if err != nil {
		return nil, s.unexpected(ctx, "write objects", err)
	}
	if len(answer) != len(objects) {
		return nil, document.Errorf(document.Unavailable, "Weaviate at %s was given %d objects and answers for %d: try again", s.address, len(objects), len(answer))
	}
	errs := make([]error, len(objects))
	for i, a := range answer {
		if a.Result != nil && a.Result.Errors != nil {
			errs[i] = document.Errorf(document.Unavailable, "Weaviate at %s refuses %s: %s", s.address, objects[i].ID, messages(a.Result.Errors))
		}
	}
	return errs, s.wholly(ctx, errs)
}

// delete deletes ids, and returns an error for each.
func (s *Store) delete(ctx context.Context, ids []string) ([]error, error) {
	where := filters.Where().WithPath([]string{"id"}).WithOperator(filters.ContainsAny).WithValueText(ids...)
	answer, err := s.api.batch.ObjectsBatchDeleter().WithClassName(s.class).WithWhere(where).WithConsistencyLevel(allReplicas).Do(ctx)
	if err != nil {
		return nil, s.unexpected(ctx, "delete objects", err)
	}
	errs := make([]error, len(ids))
	if answer.Results == nil || answer.Results.Failed == 0 {
		return errs, nil
	}
	for _, o := range answer.Results.Objects {
		for i := range ids {
			if ids[i] == o.ID.String() && o.Errors != nil {
				errs[i] = document.Errorf(document.Unavailable, "Weaviate at %s cannot delete %s: %s", s.address, o.ID, messages(o.Errors))
			}
		}
	}
	return errs, s.wholly(ctx, errs)
}

// wholly returns an error where the refusal of some objects is trouble with
// the store as a whole, which retrying one of them does not mend: the class is
// gone or another one, a shard takes no writes, a node is away, or every
// object was refused.
func (s *Store) wholly(ctx context.Context, errs []error) error {
	refused := slices.DeleteFunc(slices.Clone(errs), func(err error) bool { return err == nil })
	if len(refused) == 0 {
		return nil
	}
	if err := s.again(ctx); err != nil {
		return err
	}
	if _, err := s.queued(ctx); err != nil {
		return err
	}
	if len(refused) == len(errs) {
		return refused[0]
	}
	return nil
}
