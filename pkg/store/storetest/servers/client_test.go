//go:build servers

package servers_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// client keeps things by name in a server, in the plainest way that outlives a
// restart: an index of Elasticsearch with one document, a class of Weaviate with
// one object.
type client struct {
	url  string
	kept func(name string) string // the path that answers 200 if name is kept
	put  func(name string) []call
	gone func(name string) string // the path to delete
}

type call struct{ method, path, body string }

func elasticClient(url string) client {
	index := func(name string) string { return "/" + strings.ToLower(name) }
	return client{
		url:  url,
		kept: func(name string) string { return index(name) + "/_doc/1" },
		put: func(name string) []call {
			return []call{{http.MethodPut, index(name) + "/_doc/1?refresh=true", `{"text":"here"}`}}
		},
		gone: index,
	}
}

func weaviateClient(url string) client {
	const id = "7ef9cd25-2d8c-4d15-9d0c-0a8e42f8ba08"
	return client{
		url:  url + "/v1",
		kept: func(name string) string { return "/objects/" + name + "/" + id },
		put: func(name string) []call {
			return []call{
				{http.MethodPost, "/schema", `{"class":"` + name + `","vectorizer":"none"}`},
				{http.MethodPost, "/objects", `{"class":"` + name + `","id":"` + id + `","vector":[1,0]}`},
			}
		},
		gone: func(name string) string { return "/schema/" + name },
	}
}

func (c client) do(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, c.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func (c client) keep(t *testing.T, name string) {
	t.Helper()
	for _, p := range c.put(name) {
		if status, text := c.do(t, p.method, p.path, p.body); status/100 != 2 {
			t.Fatalf("%s %s: %d %s", p.method, p.path, status, text)
		}
	}
}

func (c client) forget(t *testing.T, name string) {
	t.Helper()
	if status, text := c.do(t, http.MethodDelete, c.gone(name), ""); status != http.StatusOK {
		t.Errorf("delete %s: %d %s", name, status, text)
	}
}

// get asks for a document until the server can tell: one that has just started
// may answer before it has opened what it holds.
func (c client) get(t *testing.T, name string) (status int, text string) {
	t.Helper()
	for {
		status, text = c.do(t, http.MethodGet, c.kept(name), "")
		if status != http.StatusServiceUnavailable || t.Context().Err() != nil {
			return status, text
		}
		time.Sleep(50 * time.Millisecond) // nobody announces it
	}
}

func (c client) holds(t *testing.T, name string) {
	t.Helper()
	if status, text := c.get(t, name); status != http.StatusOK {
		t.Errorf("%s is lost: %d %s", name, status, text)
	}
}

func (c client) lacks(t *testing.T, name string) {
	t.Helper()
	if status, text := c.get(t, name); status != http.StatusNotFound && status != http.StatusUnprocessableEntity {
		t.Errorf("%s should be gone: %d %s", name, status, text)
	}
}
