package rerank

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
)

const (
	// maxAnswer bounds an answer in bytes; a thousand ratings take 60 KB.
	maxAnswer = 4 << 20
	// maxReason bounds what is repeated of a server's own words.
	maxReason = 200
	// Pauses after a server said that it is asked too often: without a time of
	// its own, and at most.
	pause, maxPause = time.Second, time.Minute
)

// client talks to one server over HTTP. It is safe for concurrent use.
type client struct {
	http  *http.Client
	url   string
	where string // as a person may see it
	key   config.Secret

	mu    sync.Mutex
	until time.Time // not to be asked before
}

func newClient(cfg *config.Rerank, path string) (*client, error) {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConnsPerHost: 64, // searches run side by side; the default is 2
		IdleConnTimeout:     90 * time.Second,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:   true,
	}
	if cfg.CA != "" {
		pem, err := os.ReadFile(cfg.CA)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "query.rerank.ca cannot be read: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, document.Errorf(document.InvalidRequest, "query.rerank.ca: %s holds no certificate: give it in PEM form", cfg.CA)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	return &client{
		http: &http.Client{
			Transport: transport,
			// The key and the passages are for the server that is configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		url: strings.TrimRight(cfg.URL, "/") + path, where: cfg.URL, key: cfg.Key,
	}, nil
}

// post sends body and decodes the answer into out.
func (c *client) post(ctx context.Context, body, out any) error {
	if left := c.left(); left > 0 {
		return document.Errorf(document.RateLimited, "%s is asked too often; it is left alone for %s more", c.where, left.Round(time.Second/10))
	}
	js, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encode the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(js))
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key.Reveal())
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return c.broken(ctx, "cannot be asked", err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case err != nil:
		return c.broken(ctx, "broke off its answer", err)
	case resp.StatusCode != http.StatusOK:
		return c.refused(resp, raw)
	case len(raw) > maxAnswer:
		return document.Errorf(document.Unavailable, "%s answers with more than %d bytes", c.where, maxAnswer)
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return document.Errorf(document.Unavailable, "%s answers in an unknown form: %w", c.where, err)
	}
	return nil
}

// broken tells a failure of the connection. What package url says of it names
// the address, which is named already.
func (c *client) broken(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return document.Errorf(document.Unavailable, "%s %s: %w", c.where, what, err)
}

// refused puts a status other than 200 into a sentence, and keeps the pause
// that a server asks for.
func (c *client) refused(resp *http.Response, body []byte) error {
	reason := c.reason(body)
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests, s == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		c.wait(retryAfter(resp.Header.Get("Retry-After")))
		return document.Errorf(document.RateLimited, "%s is asked too often%s", c.where, reason)
	case s == http.StatusUnauthorized && c.key == "":
		return document.Errorf(document.Unauthorized, "%s asks for a key: set query.rerank.key", c.where)
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		return document.Errorf(document.Unauthorized, "%s does not accept the key: correct query.rerank.key%s", c.where, reason)
	case s == http.StatusNotFound:
		return document.Errorf(document.NotFound, "%s has no %s, or not that model: correct query.rerank.url or query.rerank.model%s", c.where, resp.Request.URL.Path, reason)
	case s == http.StatusRequestEntityTooLarge:
		return document.Errorf(document.TooLarge, "%s takes fewer passages at once: lower query.rerank.batch or query.rerank.passages%s", c.where, reason)
	case s >= http.StatusInternalServerError:
		return document.Errorf(document.Unavailable, "%s has trouble (status %d)%s", c.where, s, reason)
	default:
		return document.Errorf(document.InvalidRequest, "%s refuses the request (status %d)%s", c.where, s, reason)
	}
}

// reason finds a server's own words: Cohere writes {"message"}, TEI {"error",
// "error_type"}, others {"detail"}. A proxy's page says nothing more than its
// status. The key is taken out, should it be repeated.
func (c *client) reason(body []byte) string {
	var says struct {
		Message string          `json:"message"`
		Error   json.RawMessage `json:"error"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &says) != nil {
		return ""
	}
	text := says.Message
	for _, raw := range []json.RawMessage{says.Error, says.Detail} {
		if text == "" && len(raw) > 0 && json.Unmarshal(raw, &text) != nil {
			text = string(raw)
		}
	}
	if c.key != "" {
		text = strings.ReplaceAll(text, c.key.Reveal(), c.key.String())
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	if text == "" {
		return ""
	}
	return ": " + text
}

// retryAfter reads the header of that name: seconds, or a date (RFC 9110,
// 10.2.3).
func retryAfter(header string) time.Duration {
	d := pause
	if seconds, err := strconv.Atoi(header); err == nil && seconds >= 0 {
		d = time.Duration(min(seconds, int(maxPause/time.Second))) * time.Second
	} else if at, err := http.ParseTime(header); err == nil {
		d = time.Until(at)
	}
	return max(0, min(d, maxPause))
}

func (c *client) wait(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := time.Now().Add(d); until.After(c.until) {
		c.until = until
	}
}

func (c *client) left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.until)
}

// rating is one number of an answer, of the passage at an index of the request.
type rating struct {
	index *int
	score *float64
}

// place puts ratings in the order of n passages. There has to be exactly one
// for each: with fewer nobody knows what the others are worth.
func (c *client) place(ratings []rating, n int) ([]float64, error) {
	if len(ratings) != n {
		return nil, document.Errorf(document.Unavailable, "%s answers with %d ratings for %d passages", c.where, len(ratings), n)
	}
	out := make([]float64, n)
	seen := make([]bool, n)
	for _, r := range ratings {
		switch {
		case r.index == nil || *r.index < 0 || *r.index >= n:
			return nil, document.Errorf(document.Unavailable, "%s rates a passage that it was not sent", c.where)
		case seen[*r.index]:
			return nil, document.Errorf(document.Unavailable, "%s rates passage %d twice", c.where, *r.index)
		case r.score == nil || math.IsNaN(*r.score) || math.IsInf(*r.score, 0):
			return nil, document.Errorf(document.Unavailable, "%s gives passage %d no number", c.where, *r.index)
		}
		out[*r.index], seen[*r.index] = *r.score, true
	}
	return out, nil
}
