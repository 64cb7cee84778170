package rerank

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/provider"
)

// A passage's score is the number that it begins with, so that a rating that
// landed on another passage shows.
func score(passage string) (f float64) {
	_, _ = fmt.Sscan(passage, &f)
	return f
}

// stub speaks the wire format of one kind of server, as its sources have it. A
// fault, where there is one, answers in its place.
type stub struct {
	t     *testing.T
	kind  string
	fault http.HandlerFunc

	asked atomic.Int64
	mu    sync.Mutex
	sizes []int
}

const secret = "k-4711-secret"

func start(t *testing.T, kind string, fault http.HandlerFunc, change ...func(*config.Rerank)) (Reranker, *stub) {
	t.Helper()
	s := &stub{t: t, kind: kind, fault: fault}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	cfg := config.Default().Query.Rerank
	cfg.Kind, cfg.URL, cfg.Model, cfg.Key = kind, srv.URL, "rerank-v3.5", secret
	for _, c := range change {
		c(&cfg)
	}
	r, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r, s
}

func (s *stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Add(1)
	if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
		s.t.Errorf("Authorization %q", got)
	}
	if s.fault != nil {
		_, _ = io.Copy(io.Discard, r.Body) // only then a client that leaves is noticed
		s.fault(w, r)
		return
	}
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
		s.t.Errorf("%s with %s", r.Method, r.Header.Get("Content-Type"))
	}
	var in map[string]any
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		s.t.Error(err)
	}
	if s.kind == Cohere {
		s.cohere(w, r, in)
	} else {
		s.tei(w, r, in)
	}
}

type rated struct {
	index int
	score float64
}

func (s *stub) rate(list any) (out []rated) {
	for i, d := range list.([]any) {
		out = append(out, rated{i, score(d.(string))})
	}
	s.mu.Lock()
	s.sizes = append(s.sizes, len(out))
	s.mu.Unlock()
	slices.SortFunc(out, func(a, b rated) int { return compare(b.score, a.score) })
	return out
}

func (s *stub) cohere(w http.ResponseWriter, r *http.Request, in map[string]any) {
	if r.URL.Path != "/v2/rerank" || in["model"] != "rerank-v3.5" || in["query"] != "q" || len(in) != 4 {
		s.t.Errorf("%s %v", r.URL.Path, in)
	}
	all := s.rate(in["documents"])
	results := []map[string]any{}
	for _, x := range all[:int(in["top_n"].(float64))] {
		results = append(results, map[string]any{"index": x.index, "relevance_score": x.score})
	}
	reply(w, http.StatusOK, map[string]any{
		"id": "07734bd2-2473-4f07-94e1-0d9f0e6843cf", "results": results,
		"meta": map[string]any{"api_version": map[string]any{"version": "2"}, "billed_units": map[string]any{"search_units": 1}},
	})
}

// teiLimit is the --max-client-batch-size that the stub plays.
const teiLimit = 32

func (s *stub) tei(w http.ResponseWriter, r *http.Request, in map[string]any) {
	if r.URL.Path != "/rerank" || in["query"] != "q" || in["raw_scores"] != true || in["truncate"] != true || len(in) != 4 {
		s.t.Errorf("%s %v", r.URL.Path, in)
	}
	all := s.rate(in["texts"])
	if len(all) > teiLimit {
		reply(w, http.StatusRequestEntityTooLarge, map[string]any{
			"error": fmt.Sprintf("batch size %d > maximum allowed batch size %d", len(all), teiLimit), "error_type": "Validation",
		})
		return
	}
	ranks := []map[string]any{}
	for _, x := range all {
		ranks = append(ranks, map[string]any{"index": x.index, "score": x.score})
	}
	reply(w, http.StatusOK, ranks)
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

var three = []string{"0.25 low", "0.75 high", "-1.5 <&> ünïcode\nsecond line"}

func TestRatings_GoToTheirPassages(t *testing.T) {
	for _, kind := range []string{Cohere, TEI} {
		r, _ := start(t, kind, nil)
		got, err := r.Rate(t.Context(), "q", three)
		if err != nil || !slices.Equal(got, []float64{.25, .75, -1.5}) {
			t.Errorf("%s: %v, %v", kind, got, err)
		}
	}
}

func TestBatches_AreAsLargeAsTheServerTakes(t *testing.T) {
	var many []string
	var want []float64
	for i := range 75 {
		many, want = append(many, fmt.Sprint(i, " text")), append(want, float64(i))
	}
	for kind, sizes := range map[string][]int{TEI: {11, 32, 32}, Cohere: {75}} {
		r, s := start(t, kind, nil)
		got, err := r.Rate(t.Context(), "q", many)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v", kind, got, err)
		}
		if slices.Sort(s.sizes); !slices.Equal(s.sizes, sizes) {
			t.Errorf("%s: batches of %v, want %v", kind, s.sizes, sizes)
		}
	}
	r, _ := start(t, TEI, nil, func(c *config.Rerank) { c.Batch = 40 })
	_, err := r.Rate(t.Context(), "q", many)
	if document.KindOf(err) != document.TooLarge || !strings.Contains(err.Error(), "query.rerank.batch") || !strings.Contains(err.Error(), "maximum allowed batch size 32") {
		t.Errorf("too large a batch: %v", err)
	}
}

func TestWrongAnswer_IsNotTakenForRatings(t *testing.T) {
	one := func(kind, list string) string {
		if kind == TEI {
			return list
		}
		return `{"id":"a","results":` + strings.ReplaceAll(list, `"score"`, `"relevance_score"`) + `}`
	}
	for name, list := range map[string]string{
		"too few":           `[{"index":0,"score":1},{"index":1,"score":2}]`,
		"none":              `[]`,
		"null":              `null`,
		"too many":          `[{"index":0,"score":1},{"index":1,"score":2},{"index":2,"score":3},{"index":0,"score":4}]`,
		"an index too high": `[{"index":0,"score":1},{"index":1,"score":2},{"index":3,"score":3}]`,
		"a negative index":  `[{"index":0,"score":1},{"index":1,"score":2},{"index":-1,"score":3}]`,
		"an index twice":    `[{"index":0,"score":1},{"index":1,"score":2},{"index":1,"score":3}]`,
		"no index":          `[{"index":0,"score":1},{"index":1,"score":2},{"score":3}]`,
		"half an index":     `[{"index":0,"score":1},{"index":1,"score":2},{"index":1.5,"score":3}]`,
		"no score":          `[{"index":0,"score":1},{"index":1,"score":2},{"index":2}]`,
		"null as score":     `[{"index":0,"score":1},{"index":1,"score":2},{"index":2,"score":null}]`,
		"NaN":               `[{"index":0,"score":1},{"index":1,"score":2},{"index":2,"score":NaN}]`,
		"NaN as text":       `[{"index":0,"score":1},{"index":1,"score":2},{"index":2,"score":"NaN"}]`,
		"infinity":          `[{"index":0,"score":1},{"index":1,"score":2},{"index":2,"score":1e999}]`,
		"no list":           `{"score":1}`,
		"a page":            `<html>sign in</html>`,
		"a cut list":        `[{"index":0,"score":1},{"index":1,"sco`,
	} {
		for _, kind := range []string{Cohere, TEI} {
			r, _ := start(t, kind, says(http.StatusOK, one(kind, list)))
			got, err := r.Rate(t.Context(), "q", three)
			if document.KindOf(err) != document.Unavailable {
				t.Errorf("%s, %s: %v, %v", kind, name, got, err)
			}
		}
	}
}

// The bodies are those that Cohere's documentation and TEI's source give.
func TestRefusal_HasItsReason(t *testing.T) {
	for name, c := range map[string]struct {
		kind   string
		fault  http.HandlerFunc
		want   document.ErrorKind
		holds  string
		absent string
	}{
		"cohere 400": {Cohere, says(400, `{"message":"invalid request: list of documents must not be empty"}`), document.InvalidRequest, "list of documents must not be empty", ""},
		"cohere 401": {Cohere, says(401, `{"id":"x","message":"invalid api token"}`), document.Unauthorized, "query.rerank.key: invalid api token", ""},
		"cohere 404": {Cohere, says(404, `{"message":"model 'rerank-v9' not found"}`), document.NotFound, "query.rerank.model: model 'rerank-v9' not found", ""},
		"cohere 429": {Cohere, says(429, `{"message":"You are using a Trial key, which is limited to 40 API calls / minute."}`), document.RateLimited, "limited to 40 API calls", ""},
		"cohere 500": {Cohere, says(500, `{"message":"internal server error, this has been reported"}`), document.Unavailable, "status 500): internal server error", ""},
		"tei 413":    {TEI, says(413, `{"error":"batch size 64 > maximum allowed batch size 32","error_type":"Validation"}`), document.TooLarge, "maximum allowed batch size 32", ""},
		"tei 422":    {TEI, says(422, `{"error":"Tokenization error","error_type":"Tokenizer"}`), document.InvalidRequest, "Tokenization error", ""},
		"tei 424":    {TEI, says(424, `{"error":"model is not a re-ranker model","error_type":"Backend"}`), document.InvalidRequest, "not a re-ranker model", ""},
		"tei 429":    {TEI, says(429, `{"error":"Model is overloaded","error_type":"Overloaded"}`), document.RateLimited, "Model is overloaded", ""},
		"tei 503":    {TEI, says(503, `{"error":"unhealthy","error_type":"Unhealthy"}`), document.Unavailable, "status 503): unhealthy", ""},
		"a proxy":    {TEI, says(502, "<html><h1>Bad Gateway</h1></html>"), document.Unavailable, "status 502", "html"},
		"redirect":   {TEI, says(307, "", "Location", "http://127.0.0.1:1/"), document.InvalidRequest, "status 307", ""},
		"a detail":   {TEI, says(400, `{"detail":[{"loc":["body"],"msg":"field required"}]}`), document.InvalidRequest, "field required", ""},
		"the key":    {Cohere, says(403, `{"message":"no such key: `+secret+`"}`), document.Unauthorized, "no such key: (secret)", secret},
		"a novel":    {Cohere, says(500, `{"message":"`+strings.Repeat("é", 5000)+`"}`), document.Unavailable, "…", ""},
	} {
		r, _ := start(t, c.kind, c.fault)
		_, err := r.Rate(t.Context(), "q", three)
		if document.KindOf(err) != c.want || !strings.Contains(err.Error(), c.holds) || c.absent != "" && strings.Contains(err.Error(), c.absent) || len(err.Error()) > 500 {
			t.Errorf("%s: %s: %v", name, document.KindOf(err), err)
		}
	}
}

func TestPauseThatIsAskedFor_IsKept(t *testing.T) {
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		r, s := start(t, Cohere, says(status, `{"message":"slow down"}`, "Retry-After", "30"))
		for range 3 {
			if _, err := r.Rate(t.Context(), "q", three); document.KindOf(err) != document.RateLimited {
				t.Errorf("%d: %v", status, err)
			}
		}
		if n := s.asked.Load(); n != 1 {
			t.Errorf("%d: asked %d times within 30 s", status, n)
		}
	}
}

func TestSlowServer_IsGivenUpAtTheDeadline(t *testing.T) {
	for name, fault := range map[string]http.HandlerFunc{
		"no answer": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"half an answer": func(w http.ResponseWriter, r *http.Request) {
			_, _ = w.Write([]byte(`[{"index":0,`))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		},
	} {
		r, _ := start(t, TEI, fault)
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		_, err := r.Rate(ctx, "q", three)
		cancel()
		if document.KindOf(err) != document.Deadline {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestConnectionThatBreaks_IsNoAnswer(t *testing.T) {
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`[{"index":0,"score":1},{"index":1,"score":2},{"index":2,"score":3}]`))
	}
	endless := func(w http.ResponseWriter, _ *http.Request) {
		blank := []byte(strings.Repeat(" ", 1<<16))
		for range provider.MaxAnswer>>16 + 2 {
			_, _ = w.Write(blank)
		}
	}
	for name, fault := range map[string]http.HandlerFunc{"cut": cut, "endless": endless} {
		r, _ := start(t, TEI, fault)
		if _, err := r.Rate(t.Context(), "q", three); document.KindOf(err) != document.Unavailable {
			t.Errorf("%s: %v", name, err)
		}
	}
	srv := httptest.NewServer(nil)
	srv.Close()
	r, err := New(config.Rerank{Kind: TEI, URL: srv.URL, Batch: 32})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Rate(t.Context(), "q", three); document.KindOf(err) != document.Unavailable || strings.Count(err.Error(), srv.URL) != 1 {
		t.Errorf("nobody listens: %v", err)
	}
}
