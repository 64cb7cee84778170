package config_test

import (
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/config"
)

func TestGatewayThatCannotWorkOrIsNotSafe_IsRefusedByName(t *testing.T) {
	for _, c := range []struct {
		set  func(*config.Gateway)
		want string // "" for valid
	}{
		{func(g *config.Gateway) { g.Listen = "0.0.0.0:4723" }, "gateway.cert"},
		{func(g *config.Gateway) { g.Listen = ":4723" }, "gateway.plain"},
		{func(g *config.Gateway) { g.Listen = "10.0.0.5" }, "HOST:PORT"},
		{func(g *config.Gateway) { g.Listen, g.Plain = "0.0.0.0:4723", true }, ""},
		{func(g *config.Gateway) { g.Listen, g.Cert, g.Key = "0.0.0.0:4723", "/c", "/k" }, ""},
		{func(g *config.Gateway) { g.Cert = "/c" }, "gateway.key"},
		{func(g *config.Gateway) { g.Hosts = []string{"a.example:80"} }, "gateway.hosts"},
		{func(g *config.Gateway) { g.Listen = "[::1]:0" }, ""},
		{func(g *config.Gateway) { g.OIDC.Issuer, g.OIDC.Audience = "https://login.example.org", "freshet" }, ""},
		{func(g *config.Gateway) { g.OIDC.Issuer, g.OIDC.Audience = "http://127.0.0.1:8080/realms/x", "freshet" }, ""},
		{func(g *config.Gateway) { g.OIDC.Issuer, g.OIDC.Audience = "http://login.example.org", "freshet" }, "use https"},
		{func(g *config.Gateway) { g.OIDC.Issuer, g.OIDC.Audience = "login.example.org", "freshet" }, "gateway.oidc.issuer"},
		{func(g *config.Gateway) { g.OIDC.Issuer = "https://login.example.org" }, "gateway.oidc.audience"},
		{func(g *config.Gateway) { g.OIDC.Audience = "freshet" }, "gateway.oidc.issuer"},
		{func(g *config.Gateway) {
			g.OIDC.Issuer, g.OIDC.Audience, g.OIDC.Name = "https://login.example.org", "freshet", ""
		}, "gateway.oidc.name"},
		{func(g *config.Gateway) {
			g.OIDC.Issuer, g.OIDC.Audience, g.OIDC.Role = "https://login.example.org", "freshet", "admin"
		}, "gateway.oidc.role"},
		{func(g *config.Gateway) { g.Listen = "" }, ""},
	} {
		cfg := config.Default()
		c.set(&cfg.Gateway)
		err := cfg.Validate()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%+v: %v, want %q", cfg.Gateway, err, c.want)
		}
	}
}

func TestWebhookThatCannotWork_IsRefusedByName(t *testing.T) {
	right := config.Hook{Name: "birds", Kind: "github", Source: "birds", SecretFile: "/run/secrets/birds"}
	for want, hooks := range map[string][]config.Hook{
		"":                             {right, {Name: "birds-2", Kind: "generic", Source: "birds", SecretFile: "/s"}},
		"gateway.hooks[0].name":        {{Name: "a/b", Kind: "github", Source: "birds", SecretFile: "/s"}},
		"gateway.hooks[1].name":        {right, right},
		"gateway.hooks[0].kind":        {{Name: "a", Kind: "svn", Source: "birds", SecretFile: "/s"}},
		"gateway.hooks[0].source":      {{Name: "a", Kind: "gitlab", SecretFile: "/s"}},
		"gateway.hooks[0].secret_file": {{Name: "a", Kind: "gitlab", Source: "birds"}},
	} {
		cfg := config.Default()
		cfg.Gateway.Hooks = hooks
		err := cfg.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%+v: %v, want %q", hooks, err, want)
		}
	}
}
