package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway"
)

// described is the description that a freshet gives out.
type described struct {
	t        *testing.T
	compiler *jsonschema.Compiler
	doc      map[string]any
}

func describe(s *site) *described {
	s.t.Helper()
	a := s.as("", "GET", "/openapi.json", "")
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil || a.code != http.StatusOK {
		s.t.Fatalf("%d, %v", a.code, err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("mem:openapi.json", doc); err != nil {
		s.t.Fatal(err)
	}
	return &described{s.t, c, doc.(map[string]any)}
}

// check holds JSON against the schema at a place of the description.
func (d *described) check(what string, js []byte, place ...string) {
	d.t.Helper()
	for i, p := range place {
		place[i] = strings.NewReplacer("~", "~0", "/", "~1").Replace(p)
	}
	schema, err := d.compiler.Compile("mem:openapi.json#/" + strings.Join(place, "/"))
	if err != nil {
		d.t.Fatalf("%s is not described: %v", what, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(js))
	if err == nil {
		err = schema.Validate(v)
	}
	if err != nil {
		d.t.Errorf("%s is not what the description says: %v\n%s", what, err, js)
	}
}

// operations are those of the description, as "METHOD path".
func (d *described) operations() []string {
	var out []string
	for path, methods := range d.doc["paths"].(map[string]any) {
		for method := range methods.(map[string]any) {
			out = append(out, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(out)
	return out
}

// asked is one request to each operation; what one of them makes the next needs.
var asked = []struct {
	operation, path, body string
	kind                  string // of the answer; JSON by default
}{
	{"GET /healthz", "", "", "text/plain"},
	{"GET /metrics", "", "", "text/plain"},
	{"GET /api/v1/asker", "", "", ""},
	{"POST /api/v1/links", "", `{"role":"ask"}`, ""},
	{"GET /api/v1/status", "", "", ""},
	{"GET /api/v1/events/status", "", "", "text/event-stream"},
	{"GET /api/v1/events/changes", "", "", "text/event-stream"},
	{"GET /api/v1/events/standing", "", "", "text/event-stream"},
	{"POST /api/v1/search", "", `{"query":"heron waits","explain":true,"k":3}`, ""},
	{"POST /api/v1/grep", "", `{"pattern":"nests"}`, ""},
	{"POST /api/v1/files", "", `{}`, "application/x-ndjson"},
	{"POST /api/v1/read", "", `{"path":"heron.go"}`, ""},
	{"POST /api/v1/passages", "", `{"documents":[{"source":"birds","path":"heron.go","view":"worktree"}]}`, ""},
	{"POST /api/v1/outline", "", `{"path":"heron.go"}`, ""},
	{"POST /api/v1/context", "", `{"query":"where does the heron stand"}`, ""},
	{"POST /api/v1/related", "", `{"path":"heron.go","line":4,"lease":"new"}`, ""},
	{"POST /api/v1/answer", "", `{"query":"where does the heron stand and wait"}`, "application/x-ndjson"},
	{"POST /api/v1/watches", "", `{"id":"WATCH"}`, ""},
	{"GET /api/v1/watches", "", "", ""},
	{"DELETE /api/v1/watches/{id}", "/api/v1/watches/WATCH", "", ""},
	{"POST /api/v1/explain", "", `{"source":"birds","path":"heron.go","search":{"query":"heron"}}`, ""},
	{"POST /api/v1/explain/path", "", `{"source":"birds","path":"ibis.md"}`, ""},
	{"GET /api/v1/sources", "", "", ""},
	{"POST /api/v1/sources", "", `{"kind":"api","source":"notes"}`, ""},
	{"POST /api/v1/documents", "", `{"source":"notes","documents":[{"path":"a.md","text":"A stork came by."}]}`, ""},
	{"POST /api/v1/documents/delete", "", `{"source":"notes","documents":[{"path":"a.md"}]}`, ""},
	{"DELETE /api/v1/sources/{source}", "/api/v1/sources/notes", "", ""},
	{"POST /api/v1/token", "", `{}`, ""},
	{"POST /api/v1/feedback", "", `{"kind":"up","query":"heron","token":"TOKEN","hits":[{"source":"birds","path":"heron.go","start_line":3,"end_line":4,"rank":1}]}`, ""},
	{"POST /api/v1/feedback/list", "", `{}`, ""},
	{"GET /api/v1/golden", "", "", ""},
	{"POST /api/v1/golden", "", `{"source":"birds","query":"where does the ibis nest","answers":[{"path":"ibis.md"}]}`, ""},
	{"POST /api/v1/evaluate", "", `{"note":"words alone","arms":[{"name":"words","off":["vector"],"ranking":{"stem":"0"}}]}`, "application/x-ndjson"},
	{"POST /api/v1/evaluations", "", `{"id":"RUN"}`, ""},
	{"DELETE /api/v1/evaluations/{id}", "/api/v1/evaluations/RUN", "", ""},
	{"DELETE /api/v1/golden/{source}/{id}", "/api/v1/golden/birds/GOLDEN", "", ""},
	{"POST /api/v1/verify", "", `{}`, "application/x-ndjson"},
	{"POST /api/v1/verify/files", "", `{}`, "application/x-ndjson"},
	{"POST /api/v1/lease", "", `{"lease":"LEASE"}`, ""},
	{"POST /api/v1/embed", "", `{"text":"heron"}`, ""},
	{"POST /api/v1/feedback/purge", "", `{}`, ""},
	{"POST /api/v1/audit/list", "", `{"limit":100}`, ""},
	{"POST /api/v1/reranker", "", `{}`, ""},
	{"POST /api/v1/ranking", "", `{"ranking":{"stem":"0.5"},"min_confidence":0.01,"note":"as it won"}`, ""},
	{"POST /api/v1/losses/accept", "", `{}`, ""},
	{"POST /api/v1/build/accept", "", `{}`, ""},
	{"POST /api/v1/build/reindex", "", `{}`, ""},
	{"POST /api/v1/build/reload", "", `{}`, ""},
	{"POST /api/v1/keys", "", `{"name":"laptop","groups":["docs"],"seconds":3600}`, ""},
	{"GET /api/v1/keys", "", "", ""},
	{"GET /api/v1/access", "", "", ""},
	{"DELETE /api/v1/keys/{name}", "/api/v1/keys/laptop", "", ""},
	{"POST /api/v1/sweep", "", `{}`, ""},
	{"POST /api/v1/erase/index", "", `{}`, ""},
	{"POST /api/v1/erase/log", "", `{}`, ""},
	{"GET /api/v1/losses", "", "", ""},
	{"POST /api/v1/letters/list", "", `{}`, ""},
	{"POST /api/v1/letters/show", "", `{"filter":{"sources":["birds"]}}`, ""},
	{"POST /api/v1/letters/retry", "", `{"all":true}`, ""},
	{"POST /api/v1/letters/drop", "", `{"all":true}`, ""},
	{"POST /api/v1/letters/outcome", "", `{"letters":[]}`, ""},
}

// talking is the address of a language model that says one sentence.
func talking(t *testing.T) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"The heron stands in shallow water [1].\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func TestEveryAnswer_IsWhatTheDescriptionSays(t *testing.T) {
	model := talking(t)
	s := start(t, func(c *config.Config) {
		c.Access.Audit = time.Hour
		c.Query.Answer.Kind, c.Query.Answer.URL, c.Query.Answer.Model = "openai", model, "gpt-4o"
	})
	d := describe(s)
	var status contract.StatusReply
	if err := json.Unmarshal(s.as(contract.RoleAsk, "GET", "/api/v1/status", "").body, &status); err != nil {
		t.Fatal(err)
	}
	token := status.Token.String()
	var leased contract.SearchReply
	if err := json.Unmarshal(s.as(contract.RoleAsk, "POST", "/api/v1/search", `{"query":"heron","lease":"new"}`).body, &leased); err != nil || leased.Lease == nil {
		t.Fatalf("no lease is given: %v", err)
	}
	var kept contract.Watched
	if err := json.Unmarshal(s.as(contract.RoleAsk, "POST", "/api/v1/watches", `{"question":{"query":"where does a heron nest"}}`).body, &kept); err != nil || kept.ID == "" {
		t.Fatalf("no question is kept: %v", err)
	}
	var golden contract.GoldenList
	if err := json.Unmarshal(s.as(contract.RoleAdmin, "POST", "/api/v1/golden", `{"source":"birds","query":"where does the heron stand","answers":[{"path":"heron.go"}]}`).body, &golden); err != nil || len(golden.Questions) != 1 {
		t.Fatalf("no golden question is kept: %v", err)
	}
	run := s.evaluate(`{}`)
	var all []string
	for _, q := range asked {
		all = append(all, q.operation)
		method, template, _ := strings.Cut(q.operation, " ")
		path := template
		made := strings.NewReplacer("TOKEN", token, "LEASE", leased.Lease.Lease, "WATCH", kept.ID, "GOLDEN", golden.Questions[0].ID, "RUN", run.ID)
		if q.path != "" {
			path = made.Replace(q.path)
		}
		if q.body = made.Replace(q.body); q.body != "" {
			d.check("the request of "+q.operation, []byte(q.body), "paths", template, strings.ToLower(method), "requestBody", "content", "application/json", "schema")
		}
		if q.kind == "text/event-stream" {
			s.listen(d, path)
			continue
		}
		a := s.as(contract.RoleAdmin, method, path, q.body)
		kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
		want := q.kind
		if want == "" {
			want = "application/json"
		}
		if a.code != http.StatusOK || kind != want {
			t.Errorf("%s: %d %s: %s", q.operation, a.code, kind, a.body)
			continue
		}
		answers := [][]byte{a.body}
		switch want {
		case "text/plain":
			continue
		case "application/x-ndjson":
			answers = bytes.Split(a.body, []byte("\n"))
		}
		for _, js := range answers {
			d.check("the answer of "+q.operation, js, "paths", template, strings.ToLower(method), "responses", "200", "content", want, "schema")
		}
		if strings.HasPrefix(path, "/api/") {
			s.refused(d, method, path, template)
		}
	}
	slices.Sort(all)
	if got := d.operations(); !slices.Equal(got, all) {
		t.Errorf("described are %v, asked were %v", got, all)
	}
}

// listen hears the first status, or the change that a write leads to.
func (s *site) listen(d *described, path string) {
	s.t.Helper()
	r := s.request("GET", path, "", "Authorization", "Bearer "+gateway.Token(s.secret, contract.RoleAsk))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	name, schema := "status", "status-reply"
	if strings.HasSuffix(path, "changes") {
		name, schema = "change", ""
		s.as(contract.RoleAdmin, "POST", "/api/v1/sources", `{"kind":"api","source":"heard"}`)
		s.as(contract.RoleAdmin, "POST", "/api/v1/documents", `{"source":"heard","documents":[{"path":"b.md","text":"Heard."}]}`)
	}
	if strings.HasSuffix(path, "standing") {
		name, schema = "standing", ""
		s.as(contract.RoleAsk, "POST", "/api/v1/watches", `{"question":{"query":"where does the spoonbill nest","min_relevance":0.001}}`)
		s.as(contract.RoleAdmin, "POST", "/api/v1/documents", `{"source":"heard","documents":[{"path":"c.md","text":"The spoonbill nests in a willow."}]}`)
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			if event, ok := strings.CutPrefix(lines.Text(), "event: "); ok && event != name {
				s.t.Errorf("%s tells %q", path, event)
			}
			continue
		}
		if schema != "" {
			d.check("the event of "+path, []byte(data), "components", "schemas", schema)
		}
		var change contract.Change
		if err := json.Unmarshal([]byte(data), &change); name == "change" && (err != nil || change.Source != "heard") {
			s.t.Errorf("%v: %s", err, data)
		}
		var hit contract.StandingHit
		if err := json.Unmarshal([]byte(data), &hit); name == "standing" && (err != nil || hit.Hit.Path != "c.md") {
			s.t.Errorf("%v: %s", err, data)
		}
		return
	}
	s.t.Errorf("%s ended: %v", path, lines.Err())
}

// refused asks without a token, and in a way that is not understood: both errors
// are those of the description.
func (s *site) refused(d *described, method, path, template string) {
	s.t.Helper()
	for what, a := range map[string]answer{
		"a stranger's": s.as("", method, path, `{}`),
		"a broken":     s.as(contract.RoleAdmin, "PATCH", path, ``),
	} {
		if a.code != http.StatusUnauthorized && a.code != http.StatusBadRequest {
			s.t.Errorf("%s %s as %s request: %d", method, path, what, a.code)
		}
		d.check(what+" error of "+template, a.body, "components", "responses", "error", "content", "application/json", "schema")
	}
}

func TestMistypedField_IsRefusedByName(t *testing.T) {
	s := start(t, nil)
	for body, part := range map[string]string{
		`{"query":"x","kk":3}`: "kk", `{"query":"x"`: "not JSON", `{"query":7}`: "query", ``: "query",
	} {
		a := s.as(contract.RoleAsk, "POST", "/api/v1/search", body)
		if e := a.failure(t).Error; a.code != http.StatusBadRequest || e.Kind != "invalid_request" || !strings.Contains(e.Message, part) {
			t.Errorf("%s: %d %s", body, a.code, a.body)
		}
	}
	if a := s.as(contract.RoleAsk, "POST", "/api/v1/read", `{"path":"stork.go"}`); a.code != http.StatusNotFound {
		t.Errorf("%d %s", a.code, a.body)
	}
	if a := s.as(contract.RoleAsk, "POST", "/api/v1/search", `{"query":"x","token":"1.1"}`); a.code != http.StatusPreconditionFailed {
		t.Errorf("%d %s", a.code, a.body)
	}
	if a := s.as(contract.RoleAsk, "GET", "/api/v1/none", ""); a.code != http.StatusNotFound || a.failure(t).Error.Kind != "not_found" {
		t.Errorf("%d %s", a.code, a.body)
	}
}
