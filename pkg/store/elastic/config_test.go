package elastic

import (
	"strings"
	"testing"
	"time"

	"github.com/freshet-dev/freshet/pkg/document"
)

func TestAWrongConfiguration_IsRefused(t *testing.T) {
	right := Config{URLs: []string{"http://localhost:9200", "https://es.example:443/behind/a/proxy"}, Prefix: "freshet", Name: "code-5f2a91c0-lex1-porter2-nfkc15.0.0", Timeout: time.Minute}
	s, err := New(right)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*Config){
		"no URL":                  func(c *Config) { c.URLs = nil },
		"write it as http://":     func(c *Config) { c.URLs = []string{"localhost:9200"} },
		"write it as http":        func(c *Config) { c.URLs = []string{"http://localhost:9200", "tcp://localhost"} },
		"holds credentials":       func(c *Config) { c.URLs = []string{"http://me:secret@localhost:9200"} },
		"leave the rest out":      func(c *Config) { c.URLs = []string{"http://localhost:9200?pretty"} },
		"use one of them":         func(c *Config) { c.APIKey, c.Username, c.Password = "k", "u", "p" },
		"set both":                func(c *Config) { c.Username = "u" },
		"holds no certificate":    func(c *Config) { c.CA = []byte("-----BEGIN NOTHING-----") },
		"use a positive one":      func(c *Config) { c.Timeout = 0 },
		"needs a prefix":          func(c *Config) { c.Prefix = "" },
		"needs a prefix and":      func(c *Config) { c.Name = "" },
		"cannot name":             func(c *Config) { c.Name = "Code" },
		"cannot name an":          func(c *Config) { c.Prefix = "*" },
		"cannot name an index":    func(c *Config) { c.Prefix = "-x" },
		"cannot name an index of": func(c *Config) { c.Name = strings.Repeat("x", 250) },
		"shards":                  func(c *Config) { c.Shards = 2000 },
		"replicas":                func(c *Config) { c.Replicas = -1 },
	} {
		cfg := right
		change(&cfg)
		_, err := New(cfg)
		if document.KindOf(err) != document.InvalidRequest || !strings.Contains(err.Error(), says) {
			t.Errorf("want %q: %v", says, err)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

func TestATokenWithWhiteSpace_IsRefused(t *testing.T) {
	for _, token := range []string{"a b", "a\tb", "a\u3000b", "a\u2028b", "a\u1680b", "\x1f", "a\u2003", "", strings.Repeat("x", 256), "\xff"} {
		if document.KindOf(checkTokens([]string{"fine", token})) != document.InvalidRequest {
			t.Errorf("%q is accepted", token)
		}
	}
	for _, token := range []string{"a", "\u00a0", "\u2007", "\u202f", "\u200b", "\u0085", strings.Repeat("x", 255), "日本"} {
		if err := checkTokens([]string{token}); err != nil {
			t.Errorf("%q: %v", token, err)
		}
	}
}
