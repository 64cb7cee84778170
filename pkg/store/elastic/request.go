package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/elastic/go-elasticsearch/v8/esapi"

	"github.com/freshet-dev/freshet/pkg/document"
)

// request is one of package esapi.
type request interface {
	Do(ctx context.Context, transport esapi.Transport) (*esapi.Response, error)
}

// refusal is an error that Elasticsearch answered with.
type refusal struct {
	Status int
	Type   string
	Reason string
}

// Error implements error.
func (r *refusal) Error() string {
	if r.Type == "" {
		return fmt.Sprintf("status %d", r.Status)
	}
	return r.Type + ": " + r.Reason
}

// errorBody is the "error" of an answer or of an item in it.
type errorBody struct {
	Type      string      `json:"type"`
	Reason    string      `json:"reason"`
	RootCause []errorBody `json:"root_cause"`
	CausedBy  *errorBody  `json:"caused_by"`
}

// refusal names the first cause: what stands above it says only where it
// happened.
func (e *errorBody) refusal(status int) *refusal {
	r := &refusal{Status: status, Type: e.Type, Reason: e.Reason}
	if len(e.RootCause) > 0 && e.RootCause[0].Type != "" {
		r.Type, r.Reason = e.RootCause[0].Type, e.RootCause[0].Reason
	}
	for c := e.CausedBy; c != nil; c = c.CausedBy {
		r.Reason += ": " + c.Reason
	}
	return r
}

// do sends a request and decodes the answer into out. Errors are a *refusal,
// a document.Error of the wire, or that of ctx.
func (s *Store) do(ctx context.Context, r request, out any) error {
	if s.closed.Load() {
		return s.errClosed()
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	within, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	err := s.exchange(within, r, out)
	if err != nil && within.Err() != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return document.Errorf(document.Unavailable, "Elasticsearch at %s did not answer within %s: is it overloaded?", s.where, s.cfg.Timeout)
	}
	return err
}

func (s *Store) exchange(ctx context.Context, r request, out any) error {
	resp, err := r.Do(ctx, s.client)
	if err != nil {
		if document.KindOf(err) == document.Internal {
			return document.Errorf(document.Unavailable, "Elasticsearch at %s cannot be asked: %w", s.where, err)
		}
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return document.Errorf(document.Unavailable, "Elasticsearch at %s broke off its answer: %w", s.where, err)
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return readRefusal(resp.StatusCode, body)
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		return s.unknownForm(err)
	}
	return nil
}

var errNoShard = errors.New("a routing value leads to no shard")

func (s *Store) unknownForm(err error) error {
	return document.Errorf(document.Unavailable, "Elasticsearch at %s answers in an unknown form: %w", s.where, err)
}

func readRefusal(status int, body []byte) *refusal {
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	var e errorBody
	// A proxy's refusal has another form, or none; the status says enough.
	if json.Unmarshal(body, &answer) == nil && json.Unmarshal(answer.Error, &e) != nil {
		_ = json.Unmarshal(answer.Error, &e.Reason)
	}
	return e.refusal(status)
}

// call sends a request of the store's daily work, once server and index are
// known to be right.
func (s *Store) call(ctx context.Context, r request, out any) error {
	if err := s.ready(ctx); err != nil {
		return err
	}
	return s.explain(ctx, s.do(ctx, r, out))
}

// jsonBody encodes v, which always can be.
func jsonBody(v any) io.Reader {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(errors.Join(errors.New("a request cannot be encoded"), err))
	}
	return &b
}
