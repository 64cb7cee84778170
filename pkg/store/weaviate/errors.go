package weaviate

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/weaviate/weaviate-go-client/v4/weaviate/fault"
	"github.com/weaviate/weaviate/entities/models"

	"github.com/freshet-dev/freshet/pkg/document"
)

// failed makes one sentence of the client's error, and has the conditions
// checked again before the next use. It returns nil for nil.
func (s *Store) failed(ctx context.Context, doing string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.known.Store(false)
	status, cause := unwrap(err)
	switch {
	case status == 0:
		return s.address.noAnswer(cause)
	case status == http.StatusUnauthorized && s.hasKey:
		return document.Errorf(document.Unauthorized, "Weaviate at %s does not accept the API key: give one that it knows", s.address)
	case status == http.StatusUnauthorized:
		return document.Errorf(document.Unauthorized, "Weaviate at %s asks for an API key: give one", s.address)
	case status == http.StatusForbidden:
		return document.Errorf(document.Forbidden, "Weaviate at %s forbids this API key to %s: give it a role that may (%w)", s.address, doing, cause)
	case status == http.StatusTooManyRequests:
		return document.Errorf(document.RateLimited, "Weaviate at %s has too many requests and was asked to %s: it is tried again later", s.address, doing)
	case status >= 500:
		return document.Errorf(document.Unavailable, "Weaviate at %s fails to %s: %w", s.address, doing, cause)
	case status >= 300 && status < 400, status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return s.address.notWeaviate("it answers with status %d", status)
	}
	return document.Errorf(document.Internal, "Weaviate at %s refuses to %s with status %d: %w", s.address, doing, status, cause)
}

// unexpected is failed for a request to a class that was there: where the
// server stumbles over it, the conditions tell why.
func (s *Store) unexpected(ctx context.Context, doing string, err error) error {
	switch status, cause := unwrap(err); status {
	case http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusInternalServerError:
		if err := s.again(ctx); err != nil {
			return err
		}
		return document.Errorf(document.Unavailable, "Weaviate at %s fails to %s: %w", s.address, doing, cause)
	}
	return s.failed(ctx, doing, err)
}

// address is where a server is, as errors show it.
type address string

// noAnswer tells why there was no answer that could be read.
func (a address) noAnswer(err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var untrusted *tls.CertificateVerificationError
	var request *url.Error
	if errors.As(err, &request) {
		err = request.Err // the address is told anyway
	}
	switch {
	case errors.As(err, &syntax), errors.As(err, &kind):
		return a.notWeaviate("its answer cannot be read (%w)", err)
	case errors.Is(err, http.ErrSchemeMismatch):
		return document.Errorf(document.Unavailable, "Weaviate at %s does not speak TLS: give its URL with http://", a)
	case errors.As(err, &untrusted):
		return document.Errorf(document.Unavailable, "the certificate of Weaviate at %s is not trusted: give the authority that signed it (%w)", a, untrusted.Err)
	}
	return document.Errorf(document.Unavailable, "Weaviate at %s does not answer: check its URL and that it runs (%w)", a, err)
}

func (a address) notWeaviate(why string, args ...any) error {
	return document.Errorf(document.VersionMismatch, "what answers at %s is not Weaviate, "+why+": check the URL", append([]any{a}, args...)...)
}

// absent is the error of a class that is not there.
func (s *Store) absent() error {
	return document.Errorf(document.Unavailable, "Weaviate at %s has no class %s: the indexer creates it, is it running?", s.address, s.class)
}

// unwrap digs out what the client wraps without Unwrap: a status with the
// server's words, or status 0 and what kept the answer away.
func unwrap(err error) (status int, cause error) {
	var f *fault.WeaviateClientError
	for errors.As(err, &f) {
		if f.IsUnexpectedStatusCode {
			return f.StatusCode, words(f.Msg)
		}
		if f.DerivedFromError == nil {
			return 0, errors.New(f.Msg)
		}
		err, f = f.DerivedFromError, nil
	}
	return 0, err
}

// words returns the sentence in an answer that is an error.
func words(body string) error {
	var answer struct {
		models.ErrorResponse
		Message string `json:"message"`
	}
	if json.Unmarshal([]byte(body), &answer) == nil {
		if said := messages(&answer.ErrorResponse); said != "" {
			return errors.New(said)
		}
		if answer.Message != "" {
			return errors.New(answer.Message)
		}
	}
	const enough = 200
	body = strings.Join(strings.Fields(strings.ToValidUTF8(body, "")), " ")
	if len(body) > enough {
		body = strings.ToValidUTF8(body[:enough], "") + " …"
	}
	if body == "" {
		body = "it does not say why"
	}
	return errors.New(body)
}

func messages(r *models.ErrorResponse) string {
	if r == nil {
		return ""
	}
	var all []string
	for _, e := range r.Error {
		if e != nil && e.Message != "" {
			all = append(all, e.Message)
		}
	}
	return strings.Join(all, "; ")
}
