//go:build servers

package proxy_test

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers/proxy"
)

func TestMain(m *testing.M) { os.Exit(servers.Run(m)) }

// trusting is a client that knows one authority.
func trusting(t *testing.T, pem []byte) *http.Client {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		t.Fatalf("this is no certificate:\n%s", pem)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request with an Authorization header.
func ask(t *testing.T, c *http.Client, method, url, authorization, body string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if authorization != "" {
		req.Header.Set("Authorization", authorization)
	}
	resp, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

func encoded(pair string) string { return base64.StdEncoding.EncodeToString([]byte(pair)) }

func TestWrongCredentialsForElasticsearch_AreRefused(t *testing.T) {
	guard := proxy.Guard{APIKey: encoded("full:secret"), ReadOnlyAPIKey: encoded("reader:secret"), User: "freshet", Password: "a:b c"}
	p := proxy.Elasticsearch(t, servers.ElasticURL(t), guard)
	client := trusting(t, p.CA)
	for _, c := range []struct {
		name, method, path, authorization string
		status                            int
		reason                            string
	}{
		{"nothing", "GET", "/_cluster/health", "", 401, "missing authentication credentials for REST request [/_cluster/health]"},
		{"key", "GET", "/_cluster/health", "ApiKey " + guard.APIKey, 200, ""},
		{"other case", "GET", "/_cluster/health", "apikey " + guard.APIKey, 200, ""},
		{"wrong key", "GET", "/_cluster/health", "ApiKey " + encoded("full:guess"), 401, "unable to authenticate with provided credentials and anonymous access is not allowed for this request"},
		{"empty key", "GET", "/_cluster/health", "ApiKey ", 401, "unable to authenticate with provided credentials and anonymous access is not allowed for this request"},
		{"bearer", "GET", "/_cluster/health", "Bearer " + guard.APIKey, 401, "unable to authenticate with provided credentials and anonymous access is not allowed for this request"},
		{"basic", "GET", "/_cluster/health", "Basic " + encoded("freshet:a:b c"), 200, ""},
		{"wrong password", "GET", "/_cluster/health", "Basic " + encoded("freshet:a"), 401, "unable to authenticate user [freshet] for REST request [/_cluster/health]"},
		{"reader reads", "POST", "/_all/_search", "ApiKey " + guard.ReadOnlyAPIKey, 200, ""},
		{"reader writes", "PUT", "/written", "ApiKey " + guard.ReadOnlyAPIKey, 403, "action [indices:data/write/bulk] is unauthorized for API key id [reader] of user [elastic], this action is granted by the index privileges [create_doc,create,delete,index,write,all]"},
		{"key reaches the server", "GET", "/written", "ApiKey " + guard.APIKey, 404, "no such index [written]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask(t, client, c.method, p.URL+c.path, c.authorization, "")
			if a.status != c.status {
				t.Fatalf("the answer is %d: %s", a.status, a.body)
			}
			if got := a.header.Get("X-Elastic-Product"); got != "Elasticsearch" {
				t.Errorf("the product check fails: the header is %q", got)
			}
			if c.status == http.StatusUnauthorized && len(a.header.Values("WWW-Authenticate")) != 3 {
				t.Errorf("the ways to authenticate are %q", a.header.Values("WWW-Authenticate"))
			}
			if c.reason == "" {
				return
			}
			var body struct {
				Error struct {
					Reason    string
					RootCause []struct{ Type, Reason string } `json:"root_cause"`
				}
				Status int
			}
			if err := json.Unmarshal([]byte(a.body), &body); err != nil {
				t.Fatalf("%v in %s", err, a.body)
			}
			if body.Error.Reason != c.reason || body.Status != c.status || len(body.Error.RootCause) != 1 || body.Error.RootCause[0].Reason != c.reason {
				t.Errorf("the answer is %s", a.body)
			}
		})
	}
}

func TestAGuardWithoutCredentials_LetsNobodyThrough(t *testing.T) {
	p := proxy.Elasticsearch(t, servers.ElasticURL(t), proxy.Guard{})
	client := trusting(t, p.CA)
	for _, authorization := range []string{"", "ApiKey", "ApiKey ", "Basic " + encoded(":"), "Bearer x"} {
		if a := ask(t, client, "GET", p.URL+"/", authorization, ""); a.status != http.StatusUnauthorized {
			t.Errorf("%q is answered with %d: %s", authorization, a.status, a.body)
		}
	}
}

func TestAnotherAuthority_IsNotTrusted(t *testing.T) {
	p := proxy.Weaviate(t, servers.WeaviateURL(t))
	other := proxy.Weaviate(t, servers.WeaviateURL(t))
	resp, err := trusting(t, other.CA).Get(p.URL + "/v1/meta")
	if err == nil {
		resp.Body.Close()
	}
	var unknown x509.UnknownAuthorityError
	if !errors.As(err, &unknown) {
		t.Errorf("a client that trusts another authority gets %v", err)
	}
	pem, err := os.ReadFile(p.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	if a := ask(t, trusting(t, pem), "GET", p.URL+"/v1/meta", "", ""); a.status != http.StatusOK {
		t.Errorf("a client that trusts the right one gets %d: %s", a.status, a.body)
	}
}
