// Package provider talks to a server of somebody else's models over HTTP: with a
// key, an authority of its own, bounded answers, and errors that name the setting
// that has to be changed.
package provider

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	// MaxAnswer bounds an answer in bytes; a thousand ratings of passages take 60 KB.
	MaxAnswer = 4 << 20
	// maxReason bounds what is repeated of a server's own words.
	maxReason = 200
	// Pauses after a server said that it is asked too often: without a time of
	// its own, and at most.
	pause, maxPause = time.Second, time.Minute
)

// Server says where a server is, and by which settings.
type Server struct {
	URL string        // without the path of a request
	Key config.Secret // "" for none
	CA  string        // file with certificates (PEM) of authorities; "" for the system's
	// Section is where these settings stand, such as query.rerank: its url, key, ca
	// and model are named in errors.
	Section string
	// Header takes the key as it is; "" sends it as a bearer token.
	Header string
	// TooLarge is what to change where the server takes less at once, such as "lower
	// query.rerank.batch".
	TooLarge string
	// Most bounds an answer in bytes; 0 is MaxAnswer.
	Most int
}

// Client talks to one server. It is safe for concurrent use.
type Client struct {
	Server
	http *http.Client
	path string // of a request, behind the server's own

	mu    sync.Mutex
	until time.Time // not to be asked before
}

// New returns a client of the requests on a path of a server. Errors are those of
// its file of certificates.
func New(at Server, path string) (*Client, error) {
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}).DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConnsPerHost: 64, // searches run side by side; the default is 2
		IdleConnTimeout:     90 * time.Second,
		TLSClientConfig:     &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:   true,
	}
	if at.CA != "" {
		pem, err := os.ReadFile(at.CA)
		if err != nil {
			return nil, document.Errorf(document.InvalidRequest, "%s.ca cannot be read: %w", at.Section, err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, document.Errorf(document.InvalidRequest, "%s.ca: %s holds no certificate: give it in PEM form", at.Section, at.CA)
		}
		transport.TLSClientConfig.RootCAs = pool
	}
	return Over(transport, at, path), nil
}

// Over is New with the caller's own way to the server.
func Over(transport http.RoundTripper, at Server, path string) *Client {
	return &Client{
		Server: at,
		http: &http.Client{
			Transport: transport,
			// The key and the passages are for the server that is configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		path: path,
	}
}

// Post sends body as JSON and decodes the answer into out. Errors are *document.Error,
// or that of ctx.
func (c *Client) Post(ctx context.Context, body, out any) error {
	raw, err := c.Ask(ctx, body)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, out); err != nil {
		return document.Errorf(document.Unavailable, "%s answers in an unknown form: %w", c.URL, err)
	}
	return nil
}

// Ask sends body as JSON and returns the answer as it came. Errors are *document.Error,
// or that of ctx.
func (c *Client) Ask(ctx context.Context, body any) ([]byte, error) {
	resp, err := c.Open(ctx, body, "application/json")
	if err != nil {
		return nil, err
	}
	defer resp.Close()
	most := cmp.Or(c.Most, MaxAnswer)
	raw, err := io.ReadAll(io.LimitReader(resp, int64(most)+1))
	switch {
	case err != nil:
		return nil, c.Broken(ctx, "broke off its answer", err)
	case len(raw) > most:
		return nil, document.Errorf(document.Unavailable, "%s answers with more than %d bytes", c.URL, most)
	}
	return raw, nil
}

// Open sends body as JSON and returns the body of an answer in a media type, which
// the caller closes. Errors are *document.Error, or that of ctx.
func (c *Client) Open(ctx context.Context, body any, accept string) (io.ReadCloser, error) {
	if left := c.Left(); left > 0 {
		return nil, document.Errorf(document.RateLimited, "%s is asked too often; it is left alone for %s more", c.URL, left.Round(time.Second/10))
	}
	js, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target(), bytes.NewReader(js))
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	switch {
	case c.Key == "":
	case c.Header != "":
		req.Header.Set(c.Header, c.Key.Reveal())
	default:
		req.Header.Set("Authorization", "Bearer "+c.Key.Reveal())
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.Broken(ctx, "cannot be asked", err)
	}
	c.wait(spent(resp.Header))
	if resp.StatusCode == http.StatusOK {
		return resp.Body, nil
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, MaxAnswer))
	if err != nil {
		return nil, c.Broken(ctx, "broke off its answer", err)
	}
	return nil, c.refused(resp, raw)
}

// target is the address of a request. What the server's own has behind a question
// mark, such as the version that Azure asks for, stays behind the path.
func (c *Client) target() string {
	at, asked, found := strings.Cut(c.URL, "?")
	at = strings.TrimRight(at, "/") + c.path
	if found {
		at += "?" + asked
	}
	return at
}

// Broken tells a failure of the connection. What package url says of it names the
// address, which is named already.
func (c *Client) Broken(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return document.Errorf(document.Unavailable, "%s %s: %w", c.URL, what, err)
}

// refused puts a status other than 200 into a sentence, and keeps the pause
// that a server asks for.
func (c *Client) refused(resp *http.Response, body []byte) error {
	reason := c.reason(body)
	switch s := resp.StatusCode; {
	case s == http.StatusTooManyRequests, s == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") != "":
		c.wait(retryAfter(resp.Header.Get("Retry-After")))
		return document.Errorf(document.RateLimited, "%s is asked too often%s", c.URL, reason)
	case s == http.StatusUnauthorized && c.Key == "":
		return document.Errorf(document.Unauthorized, "%s asks for a key: set %s.key", c.URL, c.Section)
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		return document.Errorf(document.Unauthorized, "%s does not accept the key: correct %s.key%s", c.URL, c.Section, reason)
	case s == http.StatusNotFound:
		return document.Errorf(document.NotFound, "%s has no %s, or not that model: correct %[3]s.url or %[3]s.model%[4]s", c.URL, resp.Request.URL.Path, c.Section, reason)
	case s == http.StatusRequestEntityTooLarge:
		return document.Errorf(document.TooLarge, "%s takes less at once: %s%s", c.URL, c.TooLarge, reason)
	case s >= http.StatusInternalServerError:
		return document.Errorf(document.Unavailable, "%s has trouble (status %d)%s", c.URL, s, reason)
	default:
		return document.Errorf(document.InvalidRequest, "%s refuses the request (status %d)%s", c.URL, s, reason)
	}
}

// reason puts a server's own words behind a sentence. A proxy's page says nothing more
// than its status.
func (c *Client) reason(body []byte) string {
	if text := c.Words(body); text != "" {
		return ": " + text
	}
	return ""
}

// Words are a server's own about what went wrong, "" where it has none: Cohere writes
// {"message"}, TEI {"error", "error_type"}, OpenAI {"error": {"message"}}, others
// {"detail"}. They are cut, and the key is taken out, should it be repeated.
func (c *Client) Words(body []byte) string {
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
			var of struct {
				Message string `json:"message"`
			}
			if text = string(raw); json.Unmarshal(raw, &of) == nil && of.Message != "" {
				text = of.Message
			}
		}
	}
	if c.Key != "" {
		text = strings.ReplaceAll(text, c.Key.Reveal(), c.Key.String())
	}
	text = strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "")
	if len(text) > maxReason {
		text = strings.ToValidUTF8(text[:maxReason], "") + "…"
	}
	return text
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

func (c *Client) wait(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if until := time.Now().Add(d); until.After(c.until) {
		c.until = until
	}
}

// Left is how long the server is left alone from now on, as it has asked for; 0 or
// less where it may be asked.
func (c *Client) Left() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Until(c.until)
}
