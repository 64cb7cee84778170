//go:build servers

package elastic_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/store"
	"github.com/freshet-dev/freshet/pkg/store/elastic"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers"
	"github.com/freshet-dev/freshet/pkg/store/storetest/servers/proxy"
)

// key is an API key in its encoded form.
func key(pair string) string { return base64.StdEncoding.EncodeToString([]byte(pair)) }

func TestCredentials_AreSentAndUnderstood(t *testing.T) {
	_, index := created(t)
	guard := proxy.Guard{APIKey: key("full:secret"), ReadOnlyAPIKey: key("reader:secret"), User: "freshet", Password: "a:b c"}
	p := proxy.Elasticsearch(t, servers.ElasticURL(t), guard)
	with := func(change func(*elastic.Config)) *elastic.Store {
		cfg := config(t, "")
		cfg.Name = strings.TrimPrefix(index, cfg.Prefix+"-")
		cfg.URLs, cfg.CA = []string{p.URL}, p.CA
		change(&cfg)
		return openWith(t, cfg)
	}
	for name, change := range map[string]func(*elastic.Config){
		"API key":           func(c *elastic.Config) { c.APIKey = guard.APIKey },
		"user and password": func(c *elastic.Config) { c.Username, c.Password = guard.User, guard.Password },
	} {
		t.Run(name, func(t *testing.T) {
			s := with(change)
			for call, err := range everyCall(t.Context(), s) {
				if err != nil {
					t.Errorf("%s: %v", call, err)
				}
			}
			if m, err := s.Mark(t.Context()); err != nil || m.ID != "corpus" {
				t.Errorf("the mark is %+v, %v", m, err)
			}
		})
	}
	for name, c := range map[string]struct {
		change func(*elastic.Config)
		says   string
	}{
		"nothing":        {func(*elastic.Config) {}, "asks for credentials: set an API key"},
		"wrong key":      {func(c *elastic.Config) { c.APIKey = key("full:guess") }, "does not accept the credentials: correct the API key"},
		"wrong password": {func(c *elastic.Config) { c.Username, c.Password = guard.User, "guess" }, "does not accept the credentials"},
	} {
		t.Run(name, func(t *testing.T) {
			s := with(c.change)
			for _, err := range everyCall(t.Context(), s) {
				says(t, err, document.Unauthorized, p.URL, c.says)
			}
			_, err := s.Mark(t.Context())
			says(t, err, document.Unauthorized, p.URL, c.says)
			says(t, s.SetMark(t.Context(), store.Mark{ID: "x"}), document.Unauthorized, p.URL, c.says)
		})
	}
	t.Run("key that may only read", func(t *testing.T) {
		s := with(func(c *elastic.Config) { c.APIKey = guard.ReadOnlyAPIKey })
		if hits, err := s.Search(t.Context(), word, store.Filter{}, 10); err != nil || len(hits) == 0 {
			t.Errorf("a search has %d hits, %v", len(hits), err)
		}
		if counts, err := s.Counts(t.Context(), []string{"word"}); err != nil || counts.Chunks == 0 {
			t.Errorf("the counts are %+v, %v", counts, err)
		}
		_, err := s.Apply(t.Context(), store.LexicalBatch{Put: []store.LexicalEntry{passage(5)}})
		says(t, err, document.Forbidden, p.URL, "grant", "freshet-test-*", "reader")
		says(t, s.SetMark(t.Context(), store.Mark{ID: "corpus"}), document.Forbidden, p.URL, "grant")
	})
	t.Run("authority that is not trusted", func(t *testing.T) {
		s := with(func(c *elastic.Config) { c.APIKey, c.CA = guard.APIKey, proxy.Weaviate(t, p.URL).CA })
		_, err := s.Mark(t.Context())
		says(t, err, document.Unavailable, p.URL, "is not trusted", "set ca")
	})
	t.Run("system's authorities", func(t *testing.T) {
		s := with(func(c *elastic.Config) { c.APIKey, c.CA = guard.APIKey, nil })
		_, err := s.Mark(t.Context())
		says(t, err, document.Unavailable, p.URL, "is not trusted", "set ca")
	})
	t.Run("https to a server without it", func(t *testing.T) {
		s := with(func(c *elastic.Config) {
			c.URLs = []string{strings.Replace(servers.ElasticURL(t), "http://", "https://", 1)}
		})
		_, err := s.Mark(t.Context())
		says(t, err, document.Unavailable, "does not speak TLS: write http://")
	})
	t.Run("http to a server with TLS", func(t *testing.T) {
		s := with(func(c *elastic.Config) { c.URLs = []string{strings.Replace(p.URL, "https://", "http://", 1)} })
		_, err := s.Mark(t.Context())
		says(t, err, document.Unavailable, "speaks TLS: write https://")
	})
}
