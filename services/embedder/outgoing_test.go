package embedder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freshet-dev/freshet/pkg/bus"
	"github.com/freshet-dev/freshet/pkg/bus/bustest"
	"github.com/freshet-dev/freshet/pkg/config"
	"github.com/freshet-dev/freshet/pkg/contract"
	"github.com/freshet-dev/freshet/pkg/document"
	"github.com/freshet-dev/freshet/pkg/embed/embedtest"
	"github.com/freshet-dev/freshet/pkg/embed/open"
)

// canaries are secrets of no lock, each in a line that somebody might write.
var canaries = map[string]string{
	"Y3FDFDP5QZ7KTBWN":         "aws_access_key_id = AKIA" + "Y3FDFDP5QZ7KTBWN",
	"8sKd72mQzX0wLr5TnBv1YcHe": "remote https://oauth2:ghp_" + "8sKd72mQzX0wLr5TnBv1YcHe3JpUa6Gf4iRo@github.com/a/b",
	"9fK2vQx7ZpL4mT1w":         `api_token: "9fK2vQx7ZpL4mT1wR8sN"`,
	"tr0ub4dor":                "dsn: postgres://app:tr0ub4dor@db.internal/prod",
	"x3zq0vJ2w8S1kQ9d":         "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEAx3zq0vJ2w8S1kQ9dL4mN7bT5yR6uE0iO2pA8sD1fG3hJ4kL9\n-----END PRIVATE KEY-----",
}

// leaked are the canaries that a server was sent.
func leaked(srv *embedtest.Server) (out []string) {
	for _, a := range srv.Asked() {
		for canary := range canaries {
			if strings.Contains(strings.Join(a.Texts, "\n"), canary) {
				out = append(out, canary)
			}
		}
	}
	return out
}

// guarded is a service that asks a server, with what may leave.
func guarded(t *testing.T, b *bus.Bus, srv *embedtest.Server, provider string, o config.Outgoing) *Service {
	t.Helper()
	c := config.Default().Embedder
	c.Provider, c.URL, c.Key, c.Model, c.Dimensions = provider, srv.URL(), embedtest.Secret, "walrus-embed", 48
	switch provider {
	case config.OpenAI, config.Voyage:
		c.URL += "/v1"
	case config.TEI:
		c.URL += "/tei"
	}
	e, err := open.Embedder(c)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Config{Embedder: c, Outgoing: o, Generations: []document.Generation{testGeneration}}, Deps{Bus: b, Embedders: open.Alike(e)})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Outputs(contract.StreamVectors).Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// all has each canary embedded, as a passage of a file in a folder and as a question.
func all(t *testing.T, b *bus.Bus, s *Service, folder string) (errs []error) {
	t.Helper()
	n := 0
	for _, line := range canaries {
		n++
		errs = append(errs, s.makers[0].handle(t.Context(), []*bus.Msg{passage(t, b, document.Path(fmt.Sprintf("%s/a%d.yaml", folder, n)), "# calm text\n"+line+"\nend of it\n")})...)
		if _, err := s.embedQuery(t.Context(), contract.EmbedRequest{Text: "what is " + line}); err != nil {
			t.Error(err)
		}
	}
	return errs
}

// No server of any kind is sent a secret, in passages or in questions; what is sent
// where that is allowed shows that this test would see one.
func TestAnyServerMakesTheVectors_SecretsStayHere(t *testing.T) {
	b := bustest.New(t)
	for _, provider := range []string{config.OpenAI, config.Cohere, config.Voyage, config.Ollama, config.TEI} {
		for _, what := range []string{config.SecretsRedact, config.SecretsSkip, config.SecretsSend} {
			srv := embedtest.Start(t, 48)
			s := guarded(t, b, srv, provider, config.Outgoing{Secrets: what})
			for _, err := range all(t, b, s, provider+"/"+what) {
				if err != nil {
					t.Errorf("%s, %s: %v", provider, what, err)
				}
			}
			got, counts := leaked(srv), s.report().Counters
			switch what {
			case config.SecretsSend:
				if len(got) != 2*len(canaries) || counts["secrets_redacted"] != 0 {
					t.Errorf("%s: only %q were sent, %v", provider, got, counts)
				}
				continue
			case config.SecretsRedact:
				if counts["secrets_redacted"] != uint64(2*len(canaries)) || counts["embedded"] != uint64(len(canaries)) {
					t.Errorf("%s: counted %v", provider, counts)
				}
			default:
				if counts["secrets_skipped"] != uint64(len(canaries)) || counts["bare"] != uint64(len(canaries)) {
					t.Errorf("%s: counted %v", provider, counts)
				}
			}
			if len(got) > 0 {
				t.Errorf("%s, %s: it was sent %q", provider, what, got)
			}
		}
	}
}

func TestDocumentWithASecret_IsRefusedAndItsNeighboursAreNot(t *testing.T) {
	b, srv := bustest.New(t), embedtest.Start(t, 48)
	s := guarded(t, b, srv, config.OpenAI, config.Outgoing{Secrets: config.SecretsSend, Refuse: []string{"s"}})
	errs := s.makers[0].handle(t.Context(), []*bus.Msg{
		passage(t, b, "a.yaml", "calm\ntext\n"+canaries["9fK2vQx7ZpL4mT1w"]), passage(t, b, "b.yaml", "another calm text"),
	})
	err := errs[0]
	if errs[1] != nil || document.KindOf(err) != document.InvalidRequest || bus.Passing(err) {
		t.Fatalf("got %v", errs)
	}
	if says := err.Error(); !strings.Contains(says, "a.yaml") || !strings.Contains(says, "line 3") || !strings.Contains(says, "outgoing.refuse") || strings.Contains(says, "9fK2") {
		t.Errorf("it says %q", says)
	}
	if got := leaked(srv); len(got) > 0 {
		t.Errorf("it was sent %q", got)
	}
	if c := s.report().Counters; c["secrets_refused"] != 1 || c["embedded"] != 1 {
		t.Errorf("counted %v", c)
	}
}

// A model in the process has the text as it is: nothing leaves.
func TestModelInTheProcess_ReadsAllOfAText(t *testing.T) {
	b := bustest.New(t)
	s := service(t, b, nil)
	s.cfg.Outgoing.Secrets = config.SecretsRefuse
	for _, err := range all(t, b, s, "a") {
		if err != nil {
			t.Error(err)
		}
	}
	if c := s.report().Counters; c["embedded"] != uint64(len(canaries)) || c["secrets_redacted"] != 0 {
		t.Errorf("counted %v", c)
	}
}
