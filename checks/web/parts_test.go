package web

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/services/gateway"
)

// accepting asks for an answer in parts in a way, and returns its kind and its body.
func (s *site) accepting(accept, path, body string) (kind string, text []byte) {
	s.t.Helper()
	a := s.do(s.request("POST", path, body, "Authorization", "Bearer "+gateway.Token(s.secret, contract.RoleAsk), "Accept", accept))
	if a.code != http.StatusOK {
		s.t.Fatalf("%s as %q: %d %s", path, accept, a.code, a.body)
	}
	return a.header.Get("Content-Type"), a.body
}

// eventsIn are the names and the data of events.
func eventsIn(t *testing.T, text []byte) (names, data []string) {
	t.Helper()
	for event := range bytes.SplitSeq(bytes.TrimSpace(text), []byte("\n\n")) {
		name, js, ok := strings.Cut(string(event), "\ndata: ")
		if name, named := strings.CutPrefix(name, "event: "); ok && named {
			names, data = append(names, name), append(data, js)
			continue
		}
		t.Errorf("%q is no event", event)
	}
	return names, data
}

var took = regexp.MustCompile(`"took_ms":[0-9.e-]+`)

func TestAnswerInParts_ComesInLinesOrAsEvents(t *testing.T) {
	model := talking(t)
	s := start(t, func(c *config.Config) {
		c.Query.Answer.Kind, c.Query.Answer.URL, c.Query.Answer.Model = "openai", model, "gpt-4o"
	})
	_, lines := s.accepting("*/*", "/api/v1/files", `{}`)
	for accept, want := range map[string]string{
		"*/*": "application/x-ndjson", "application/x-ndjson, text/event-stream": "application/x-ndjson",
		"text/event-stream": "text/event-stream", "text/event-stream; q=1, application/json": "text/event-stream",
	} {
		kind, text := s.accepting(accept, "/api/v1/files", `{}`)
		if kind != want {
			t.Errorf("accepting %q it is %s, want %s", accept, kind, want)
		}
		if want != "text/event-stream" {
			continue
		}
		names, data := eventsIn(t, text)
		got := took.ReplaceAllString(strings.Join(data, "\n"), "")
		if got != took.ReplaceAllString(string(bytes.TrimSpace(lines)), "") || slices.ContainsFunc(names, func(name string) bool { return name != "part" }) {
			t.Errorf("the events %v are\n%s\nthe lines\n%s", names, got, lines)
		}
	}
	_, text := s.accepting("text/event-stream", "/api/v1/answer", `{"query":"where does the heron stand"}`)
	var last contract.AnswerPart
	_, data := eventsIn(t, text)
	if err := json.Unmarshal([]byte(data[len(data)-1]), &last); err != nil || len(data) < 2 || last.Summary == nil {
		t.Errorf("a model's answer ends with %s, %v", data[len(data)-1], err)
	}
	if a := s.do(s.request("POST", "/api/v1/files", `{"sources":3}`, "Authorization", "Bearer "+gateway.Token(s.secret, contract.RoleAsk), "Accept", "text/event-stream")); a.code != http.StatusBadRequest || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("an error before the first part is %d %s", a.code, a.header.Get("Content-Type"))
	}
}
