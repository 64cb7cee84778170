package elastic

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
)

// double answers in the form of a server that the real one for tests cannot
// be: another product, an older version, an overloaded node.
type double struct {
	banner  string
	product string                      // header X-Elastic-Product
	answers map[string]http.HandlerFunc // by method and end of the path
}

func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if d.product != "" {
		w.Header().Set("X-Elastic-Product", d.product)
	}
	w.Header().Set("Content-Type", "application/json")
	for key, answer := range d.answers {
		method, end, _ := strings.Cut(key, " ")
		if r.Method == method && strings.HasSuffix(r.URL.Path, end) {
			answer(w, r)
			return
		}
	}
	switch {
	case r.URL.Path == "/":
		fmt.Fprint(w, d.banner)
	case r.Method == http.MethodGet && r.URL.Path == "/freshet-x":
		flat := object{"index.number_of_shards": "1", "index.uuid": "u"}
		for k, v := range settings() {
			flat[k] = v
		}
		fmt.Fprint(w, compact(object{"freshet-x-000001": object{"aliases": object{"freshet-x": object{}}, "mappings": mapping(), "settings": flat}}))
	default:
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprintf(w, `{"error":"%s %s was not expected"}`, r.Method, r.URL.Path)
	}
}

const banner8 = `{"version":{"number":"8.19.9"},"tagline":"You Know, for Search"}`

// reply answers with a status and a body.
func reply(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

// against is a store on a double.
func against(t *testing.T, d *double, timeout time.Duration) (*Store, string) {
	t.Helper()
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	s, err := New(Config{URLs: []string{server.URL}, Prefix: "freshet", Name: "x", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, server.URL
}

// expect checks an error's kind and that it is one line with all words.
func expect(t *testing.T, err error, kind document.ErrorKind, words ...string) {
	t.Helper()
	if document.KindOf(err) != kind {
		t.Fatalf("the error is of the kind %q, want %q: %v", document.KindOf(err), kind, err)
	}
	for _, w := range append(words, "http://127.0.0.1:") {
		if !strings.Contains(err.Error(), w) || strings.Contains(err.Error(), "\n") {
			t.Errorf("the error does not name %q in one line: %v", w, err)
		}
	}
}

func search(s *Store) error {
	_, err := s.Search(context.Background(), []store.Term{{Token: "a", Weight: 1}}, store.Filter{}, 10)
	return err
}

func TestAnotherServer_IsNotTakenForElasticsearch(t *testing.T) {
	for name, c := range map[string]struct {
		double double
		kind   document.ErrorKind
		says   []string
	}{
		"7.17":              {double{banner: `{"version":{"number":"7.17.3"},"tagline":"You Know, for Search"}`, product: "Elasticsearch"}, document.VersionMismatch, []string{"is 7.17.3: freshet needs 8.11 or newer"}},
		"before the header": {double{banner: `{"version":{"number":"7.10.2"},"tagline":"You Know, for Search"}`}, document.VersionMismatch, []string{"is 7.10.2: freshet needs 8.11 or newer"}},
		"8.10":              {double{banner: `{"version":{"number":"8.10.4"}}`, product: "Elasticsearch"}, document.VersionMismatch, []string{"is 8.10.4: freshet needs 8.11"}},
		"OpenSearch":        {double{banner: `{"version":{"distribution":"opensearch","number":"2.19.1"},"tagline":"The OpenSearch Project: https://opensearch.org/"}`}, document.VersionMismatch, []string{"is opensearch 2.19.1: freshet needs Elasticsearch 8.11"}},
		"a web page":        {double{banner: `<html>hello</html>`}, document.VersionMismatch, []string{"is not Elasticsearch", "correct the URL"}},
		"not found":         {double{answers: map[string]http.HandlerFunc{"GET /": reply(404, "404 page not found")}}, document.VersionMismatch, []string{"is not Elasticsearch", "404"}},
		"redirect": {double{answers: map[string]http.HandlerFunc{"GET /": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://elsewhere.example/", http.StatusFound)
		}}}, document.VersionMismatch, []string{"redirects to https://elsewhere.example/"}},
		"a proxy without its server": {double{answers: map[string]http.HandlerFunc{"GET /": reply(502, "bad gateway")}}, document.Unavailable, []string{"502"}},
		"a proxy that wants a key":   {double{answers: map[string]http.HandlerFunc{"GET /": reply(401, "who are you")}}, document.Unauthorized, []string{"asks for credentials"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := against(t, &c.double, time.Minute)
			expect(t, search(s), c.kind, c.says...)
			_, err := s.Mark(t.Context())
			expect(t, err, c.kind, c.says...)
		})
	}
}

func TestSomebodyElsesNotFound_IsNoEmptyStore(t *testing.T) {
	// As when the server is exchanged between two requests.
	d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{"GET /freshet-x": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Del("X-Elastic-Product")
		w.WriteHeader(http.StatusNotFound)
	}}}
	s, _ := against(t, d, time.Minute)
	_, err := s.Mark(t.Context())
	expect(t, err, document.VersionMismatch, "is not Elasticsearch")
}

func TestNewerVersions_AreAccepted(t *testing.T) {
	for _, version := range []string{"8.11.0", "8.19.9", "9.2.1", "10.0.0", "8.12.0-SNAPSHOT"} {
		if !atLeast(version, MinVersion) {
			t.Errorf("%s is refused", version)
		}
	}
	for _, version := range []string{"", "x", "8", "8.1.9", "7.17.99"} {
		if atLeast(version, MinVersion) {
			t.Errorf("%q is accepted", version)
		}
	}
}

func TestARefusal_NamesTheFix(t *testing.T) {
	problem := func(kind, reason string) string {
		return fmt.Sprintf(`{"error":{"root_cause":[{"type":"%[1]s","reason":"%[2]s"}],"type":"outer","reason":"all shards failed"},"status":400}`, kind, reason)
	}
	for name, c := range map[string]struct {
		status int
		body   string
		kind   document.ErrorKind
		says   []string
	}{
		"overloaded":    {429, problem("es_rejected_execution_exception", "queue is full"), document.RateLimited, []string{"overloaded", "queue is full"}},
		"breaker":       {429, problem("circuit_breaking_exception", "data too large"), document.RateLimited, []string{"data too large"}},
		"disk":          {429, problem("cluster_block_exception", "disk usage exceeded flood-stage watermark"), document.Unavailable, []string{"free disk space", "flood-stage"}},
		"starting":      {503, problem("cluster_block_exception", "state not recovered"), document.Unavailable, []string{"state not recovered"}},
		"shards":        {503, problem("no_shard_available_action_exception", "no shard"), document.Unavailable, []string{"freshet-x", "no shard"}},
		"too large":     {413, ``, document.TooLarge, []string{"http.max_content_length"}},
		"words":         {400, problem("too_many_clauses", "maxClauseCount is set to 1024"), document.InvalidRequest, []string{"shorten it"}},
		"text only":     {500, `{"error":"broken","status":500}`, document.Unavailable, []string{"trouble", "freshet-x"}},
		"not expected":  {400, problem("parsing_exception", "unknown query"), document.Internal, []string{"freshet-x", "unknown query"}},
		"cut answer":    {200, `{"hits":{"hits":[{"so`, document.Unavailable, []string{"unknown form"}},
		"credentials":   {403, problem("security_exception", "action is unauthorized"), document.Forbidden, []string{"grant", "freshet-*", "is unauthorized"}},
		"index missing": {404, problem("index_not_found_exception", "no such index"), document.Unavailable, []string{"freshet-x", "the indexer creates it"}},
	} {
		t.Run(name, func(t *testing.T) {
			d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{"POST /_search": reply(c.status, c.body)}}
			s, _ := against(t, d, time.Minute)
			expect(t, search(s), c.kind, c.says...)
		})
	}
}

func TestATroubleInOneItem_IsToldApartFromTheDocuments(t *testing.T) {
	item := func(op string, status int, kind string) string {
		return fmt.Sprintf(`{"%s":{"status":%d,"error":{"type":"%s","reason":"because"}}}`, op, status, kind)
	}
	done := `{"create":{"status":201}}`
	batch := store.LexicalBatch{Put: []store.LexicalEntry{{ID: document.ChunkID{1}}, {ID: document.ChunkID{2}}}}
	for name, c := range map[string]struct {
		item string
		kind document.ErrorKind
	}{
		"overloaded": {item("create", 429, "es_rejected_execution_exception"), document.RateLimited},
		"disk":       {item("create", 429, "cluster_block_exception"), document.Unavailable},
		"shard":      {item("create", 503, "unavailable_shards_exception"), document.Unavailable},
		"no alias":   {item("create", 404, "index_not_found_exception"), document.Unavailable},
		"closed":     {item("create", 400, "index_closed_exception"), document.Unavailable},
	} {
		t.Run(name, func(t *testing.T) {
			d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{
				"POST /_bulk": reply(200, fmt.Sprintf(`{"items":[%s,%s]}`, done, c.item))}}
			s, _ := against(t, d, time.Minute)
			result, err := s.Apply(t.Context(), batch)
			expect(t, err, c.kind)
			if result.Put != nil || result.Delete != nil {
				t.Errorf("there are results beside the error: %+v", result)
			}
		})
	}
	t.Run("the document's own", func(t *testing.T) {
		d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{
			"POST /_bulk": reply(200, fmt.Sprintf(`{"items":[%s,%s]}`, item("create", 400, "document_parsing_exception"), item("create", 409, "version_conflict_engine_exception")))}}
		s, _ := against(t, d, time.Minute)
		result, err := s.Apply(t.Context(), batch)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, result.Put[0], document.InvalidRequest, "refuses a chunk", "because")
		if result.Put[1] != nil {
			t.Errorf("a chunk that is there is not done: %v", result.Put[1])
		}
	})
	t.Run("too few answers", func(t *testing.T) {
		d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{"POST /_bulk": reply(200, `{"items":[`+done+`]}`)}}
		s, _ := against(t, d, time.Minute)
		_, err := s.Apply(t.Context(), batch)
		expect(t, err, document.Unavailable, "1 of 2")
	})
}

func TestAShardThatWasNotRefreshed_IsTold(t *testing.T) {
	d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{
		"POST /_refresh": reply(200, `{"_shards":{"total":2,"successful":1,"failed":1,"failures":[{"shard":0,"index":"freshet-x-000001","status":"INTERNAL_SERVER_ERROR","reason":{"type":"refresh_failed_engine_exception","reason":"no space left"}}]}}`)}}
	s, _ := against(t, d, time.Minute)
	expect(t, s.Refresh(t.Context()), document.Unavailable, "1 shards", "freshet-x", "no space left")
}

func TestAServerThatHangs_IsGivenUpInTime(t *testing.T) {
	over := make(chan struct{})
	defer close(over) // before the server is closed, which waits for it
	d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{
		"POST /_search": func(http.ResponseWriter, *http.Request) { <-over }}}
	s, _ := against(t, d, 50*time.Millisecond)
	expect(t, search(s), document.Unavailable, "did not answer within 50ms")

	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	s, _ = against(t, d, time.Hour)
	if _, err := s.Search(ctx, []store.Term{{Token: "a", Weight: 1}}, store.Filter{}, 10); document.KindOf(err) != document.Deadline {
		t.Errorf("the caller's deadline gives %v", err)
	}
}

func TestARequestWhoseAnswerIsLost_IsSentOnce(t *testing.T) {
	var sent atomic.Int64
	d := &double{banner: banner8, product: "Elasticsearch", answers: map[string]http.HandlerFunc{
		"POST /_bulk": func(http.ResponseWriter, *http.Request) { sent.Add(1); panic(http.ErrAbortHandler) }}}
	s, _ := against(t, d, time.Minute)
	_, err := s.Apply(t.Context(), store.LexicalBatch{Delete: []document.ChunkID{{1}}})
	expect(t, err, document.Unavailable, "closed the connection")
	if n := sent.Load(); n != 1 {
		t.Errorf("it was sent %d times", n)
	}
}
