package elastic

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

// wire looks at every answer before anything is made of it: behind a proxy,
// or after an exchange of servers, a 404 may come from anybody, and would
// read as a store that is gone.
type wire struct {
	next    http.RoundTripper
	timeout time.Duration
}

// RoundTrip implements http.RoundTripper. Its errors are ready to be shown.
func (w *wire) RoundTrip(req *http.Request) (*http.Response, error) {
	node := req.URL.Scheme + "://" + req.URL.Host
	resp, err := w.next.RoundTrip(req)
	if err != nil {
		return nil, unreachable(req.Context(), node, err)
	}
	if resp.Header.Get("X-Elastic-Product") == "Elasticsearch" {
		return resp, nil
	}
	switch status := resp.StatusCode; {
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusTooManyRequests, status >= 500:
		return resp, nil // a proxy's own refusal
	}
	defer resp.Body.Close()
	return nil, foreign(node, resp)
}

// foreign says who answers instead of Elasticsearch 8.
func foreign(node string, resp *http.Response) error {
	var banner struct {
		Version struct{ Number, Distribution string }
		Tagline string
	}
	body, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<16)) // what could be read is judged
	if json.Unmarshal(body, &banner) == nil && banner.Version.Number != "" {
		if banner.Version.Distribution == "" && banner.Tagline == "You Know, for Search" {
			return tooOld(node, banner.Version.Number)
		}
		if banner.Version.Distribution != "" {
			return document.Errorf(document.VersionMismatch, "the server at %s is %s %s: freshet needs Elasticsearch %s or newer",
				node, banner.Version.Distribution, banner.Version.Number, MinVersion)
		}
	}
	if resp.StatusCode == http.StatusBadRequest && bytes.Contains(body, []byte("HTTPS")) { // as Go and nginx say it
		return document.Errorf(document.Unavailable, "the server at %s speaks TLS: write https:// in its URL", node)
	}
	if to := resp.Header.Get("Location"); to != "" {
		return document.Errorf(document.VersionMismatch, "the server at %s is not Elasticsearch, it redirects to %s: correct the URL", node, to)
	}
	return document.Errorf(document.VersionMismatch, "the server at %s is not Elasticsearch (status %d): correct the URL", node, resp.StatusCode)
}

// unreachable turns an error of the connection into a sentence; ctx ending is
// no error of the connection.
func unreachable(ctx context.Context, node string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		plain     tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return document.Errorf(document.Unavailable, "the certificate of Elasticsearch at %s is not trusted: set ca to the file of its certificate authority: %w", node, err)
	case errors.As(err, &host), errors.As(err, &invalid):
		return document.Errorf(document.Unavailable, "the certificate of Elasticsearch at %s does not hold: correct the URL or renew the certificate: %w", node, err)
	case errors.As(err, &plain), err.Error() == "http: server gave HTTP response to HTTPS client":
		return document.Errorf(document.Unavailable, "Elasticsearch at %s does not speak TLS: write http:// in its URL: %w", node, err)
	case errors.Is(err, io.EOF):
		return document.Errorf(document.Unavailable, "Elasticsearch at %s closed the connection: is it stopping, or does it want https://? %w", node, err)
	}
	return document.Errorf(document.Unavailable, "Elasticsearch at %s cannot be reached: start it or correct the URL: %w", node, err)
}
