// Package flood asks a gateway more than it takes: slow clients, questions at a rate, and
// bodies that are broken or too large at every endpoint. What it counts says whether the
// gateway keeps serving, and tells the others when to come again.
package flood

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Config says what is asked.
type Config struct {
	URL   string // of the gateway, plain HTTP
	Token string // that lets in
	Slow  int    // clients that send their request a byte at a time
	Rate  int    // requests a second that are offered
	For   time.Duration
	// Large is how many bytes are more than the gateway takes.
	Large int
}

// Result is what became of the requests.
type Result struct {
	Offered  int
	Codes    map[int]int     // answers by status
	Lost     int             // requests that no answer came to
	NoHint   int             // 429 and 503 that do not say when to come again
	Accepted []string        // broken or too large bodies that were taken
	Broken   []string        // statuses that say that something broke, with the endpoint
	Served   []time.Duration // of the questions that were answered, sorted
	Asked    int             // questions
}

// one in so many requests is broken, or too large; the others are questions.
const (
	everyBroken = 4
	everyLarge  = 50
	// underWay bounds the requests of this client that wait for an answer.
	underWay = 1024
)

// Run floods the gateway until the time is over.
func Run(ctx context.Context, cfg Config) (Result, error) {
	f := &flood{cfg: cfg, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: underWay}, Timeout: 30 * time.Second}}
	f.Codes = map[int]int{}
	defer f.client.CloseIdleConnections()
	if err := f.readEndpoints(ctx); err != nil {
		return f.Result, err
	}
	ctx, stop := context.WithTimeout(ctx, cfg.For)
	defer stop()
	var slow, asked sync.WaitGroup
	for range cfg.Slow {
		slow.Go(func() { f.dawdle(ctx) })
	}
	room := make(chan struct{}, underWay)
	begun := time.Now()
	for n := 0; ctx.Err() == nil; n++ {
		if due := begun.Add(time.Duration(n) * time.Second / time.Duration(cfg.Rate)); time.Until(due) > 0 {
			select {
			case <-time.After(time.Until(due)):
			case <-ctx.Done():
				continue
			}
		}
		f.Offered++
		select {
		case room <- struct{}{}:
			asked.Go(func() { defer func() { <-room }(); f.ask(n) })
		default:
			f.note(func() { f.Lost++ }) // this client has no room itself
		}
	}
	asked.Wait()
	slow.Wait()
	slices.Sort(f.Served)
	return f.Result, nil
}

type flood struct {
	cfg       Config
	client    *http.Client
	endpoints []string // that take a body

	mu sync.Mutex
	Result
}

func (f *flood) note(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// readEndpoints learns from the description what takes a body.
func (f *flood) readEndpoints(ctx context.Context) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.cfg.URL+"/openapi.json", nil)
	if err != nil {
		return fmt.Errorf("ask for the description: %w", err)
	}
	answer, err := f.client.Do(r)
	if err != nil {
		return fmt.Errorf("ask for the description: %w", err)
	}
	defer func() { _ = answer.Body.Close() }()
	var d struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.NewDecoder(answer.Body).Decode(&d); err != nil {
		return fmt.Errorf("read the description: %w", err)
	}
	for path, methods := range d.Paths {
		if methods["post"] != nil && strings.HasPrefix(path, "/api/v1/") {
			f.endpoints = append(f.endpoints, path)
		}
	}
	slices.Sort(f.endpoints)
	return nil
}

var words = strings.Fields("message retry delay folder commit token passage query vector store lease stream watch deadline reader answer heron ibis")

// ask sends the nth request and notes what becomes of it.
func (f *flood) ask(n int) {
	var body []byte
	path, wrong := "/api/v1/search", ""
	switch {
	case n%everyLarge == 1:
		wrong, path = "too large", f.endpoints[n/everyLarge%len(f.endpoints)]
		body = append(append([]byte(`{"query":"`), bytes.Repeat([]byte("x"), f.cfg.Large)...), `"}`...)
	case n%everyBroken == 0:
		wrong, path = "broken", f.endpoints[n/everyBroken%len(f.endpoints)]
		body = []byte(`{"query": "heron", "k": [`)
	default:
		body = fmt.Appendf(nil, `{"query":"%s %s %d"}`, words[n%len(words)], words[n/len(words)%len(words)], n)
		f.note(func() { f.Asked++ })
	}
	r, err := http.NewRequest(http.MethodPost, f.cfg.URL+path, bytes.NewReader(body))
	if err != nil {
		f.note(func() { f.Lost++ })
		return
	}
	r.Header.Set("Authorization", "Bearer "+f.cfg.Token)
	r.Header.Set("Content-Type", "application/json")
	begun := time.Now()
	answer, err := f.client.Do(r)
	if err != nil {
		f.note(func() { f.Lost++ })
		return
	}
	_, err = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	took := time.Since(begun)
	f.note(func() {
		f.Codes[answer.StatusCode]++
		after, wrongAfter := strconv.Atoi(answer.Header.Get("Retry-After"))
		switch code := answer.StatusCode; {
		case err != nil:
			f.Lost++
		case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
			if wrongAfter != nil || after < 1 {
				f.NoHint++
			}
		case code == http.StatusOK && wrong != "":
			f.Accepted = append(f.Accepted, wrong+" at "+path)
		case code == http.StatusOK:
			f.Served = append(f.Served, took)
		case code >= http.StatusInternalServerError && code != http.StatusGatewayTimeout:
			f.Broken = append(f.Broken, strconv.Itoa(code)+" at "+path)
		}
	})
}

// dawdle sends a request a byte at a time, over and over.
func (f *flood) dawdle(ctx context.Context) {
	at, err := url.Parse(f.cfg.URL)
	if err != nil {
		return
	}
	for ctx.Err() == nil {
		if err := dawdleOnce(ctx, at.Host, f.cfg.Token); err != nil && !errors.Is(err, context.Canceled) {
			select {
			case <-time.After(100 * time.Millisecond): // it was cut off, as it should be
			case <-ctx.Done():
			}
		}
	}
}

func dawdleOnce(ctx context.Context, host, token string) error {
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", host)
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := fmt.Fprintf(conn, "POST /api/v1/search HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n", host, token); err != nil {
		return fmt.Errorf("send the header: %w", err)
	}
	for range 100 {
		if _, err := conn.Write([]byte(" ")); err != nil {
			return fmt.Errorf("send the body: %w", err)
		}
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Print writes the figures.
func (r *Result) Print(w io.Writer) error {
	at := func(percent int) time.Duration {
		if len(r.Served) == 0 {
			return 0
		}
		return r.Served[min(len(r.Served)*percent/100, len(r.Served)-1)].Round(time.Millisecond / 10)
	}
	_, err := fmt.Fprintf(w, "offered %d requests, %d of them questions: %d answered (%.0f %%), p50 %s, p99 %s\nby status: %v; %d without an answer\n429 and 503 without Retry-After: %d; broken or too large bodies that were taken: %d; 5xx: %d\n",
		r.Offered, r.Asked, len(r.Served), 100*float64(len(r.Served))/float64(max(r.Asked, 1)), at(50), at(99), r.Codes, r.Lost, r.NoHint, len(r.Accepted), len(r.Broken))
	if err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
