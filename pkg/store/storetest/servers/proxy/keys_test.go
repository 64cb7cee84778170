//go:build servers && control

package proxy_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers/proxy"
)

func TestWrongKeysForWeaviate_AreRefused(t *testing.T) {
	s := servers.OwnWeaviate(t, servers.WeaviateKeys("all", "some")...)
	p := proxy.Weaviate(t, s.URL())
	client := trusting(t, p.CA)
	const class = `{"class":"Kept","vectorizer":"none"}`
	for _, c := range []struct {
		name, method, authorization, body string
		status                            int
		says                              string
	}{
		{"nothing", "GET", "", "", http.StatusUnauthorized, "anonymous access not enabled"},
		{"wrong key", "GET", "Bearer guess", "", http.StatusUnauthorized, "invalid api key"},
		{"reader reads", "GET", "Bearer some", "", http.StatusOK, "classes"},
		{"reader writes", "POST", "Bearer some", class, http.StatusForbidden, "forbidden"},
		{"key", "POST", "Bearer all", class, http.StatusOK, "Kept"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask(t, client, c.method, p.URL+"/v1/schema", c.authorization, c.body)
			if a.status != c.status || !strings.Contains(a.body, c.says) {
				t.Errorf("the answer is %d: %s", a.status, a.body)
			}
		})
	}
}
